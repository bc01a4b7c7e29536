//! Where a record stands, as records and people say it: English, Spanish, German and French.

use crate::facts::Fact;
use crate::facts::read::{is_closed, status};
use crate::rules::words::{contains as contains_words, plain};

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Open,
    InProgress,
    Shipped,
    OnItsWay,
    Delivered,
    Cancelled,
    Resolved,
}

use Standing::{Cancelled, Delivered, InProgress, OnItsWay, Open, Resolved, Shipped};

/// Words of a status.
const STATUSES: [(Standing, &[&str]); 7] = [
    (Delivered, &["delivered", "entregado", "entregada", "zugestellt", "geliefert", "livre", "livree"]),
    (
        OnItsWay,
        &[
            "in transit",
            "in_transit",
            "on its way",
            "out for delivery",
            "out_for_delivery",
            "en camino",
            "en transito",
            "unterwegs",
            "en route",
        ],
    ),
    (Cancelled, &["cancelled", "canceled", "cancelado", "cancelada", "storniert", "annule", "annulee"]),
    (
        Resolved,
        &[
            "resolved",
            "closed",
            "done",
            "fixed",
            "solved",
            "completed",
            "resuelto",
            "resuelta",
            "cerrado",
            "cerrada",
            "erledigt",
            "gelost",
            "geschlossen",
            "abgeschlossen",
            "resolu",
            "resolue",
            "cloture",
            "termine",
        ],
    ),
    (
        Shipped,
        &["shipped", "dispatched", "enviado", "enviada", "versandt", "verschickt", "expedie", "envoye"],
    ),
    (
        InProgress,
        &[
            "processing",
            "processed",
            "in progress",
            "in_progress",
            "in process",
            "en proceso",
            "en curso",
            "in bearbeitung",
            "en cours",
        ],
    ),
    (Open, &["open", "new", "pending", "waiting", "abierto", "abierta", "pendiente", "offen", "ouvert"]),
];

/// How people say it of a record in a sentence. Words that are more often something else need a verb beside them.
const SAYINGS: [(Standing, &[&str]); 7] = [
    (
        Delivered,
        &[
            "delivered",
            "has arrived",
            "was received",
            "entregado",
            "entregada",
            "zugestellt",
            "geliefert",
            "ausgeliefert",
            "ete livre",
            "ete livree",
            "est livre",
            "est livree",
        ],
    ),
    (
        OnItsWay,
        &[
            "in transit",
            "on its way",
            "on the way",
            "out for delivery",
            "en camino",
            "en transito",
            "en reparto",
            "unterwegs",
            "in zustellung",
            "en route",
            "en chemin",
            "en cours de livraison",
        ],
    ),
    (
        Cancelled,
        &[
            "cancelled",
            "canceled",
            "cancelado",
            "cancelada",
            "anulado",
            "anulada",
            "storniert",
            "abgesagt",
            "annule",
            "annulee",
        ],
    ),
    (
        Resolved,
        &[
            "resolved",
            "solved",
            "is closed",
            "was closed",
            "been closed",
            "completed",
            "been fixed",
            "was fixed",
            "is fixed",
            "resuelto",
            "resuelta",
            "cerrado",
            "cerrada",
            "erledigt",
            "gelost",
            "behoben",
            "abgeschlossen",
            "resolu",
            "resolue",
            "cloture",
            "cloturee",
            "est termine",
            "est terminee",
        ],
    ),
    (
        Shipped,
        &[
            "shipped",
            "dispatched",
            "been sent",
            "was sent",
            "enviado",
            "enviada",
            "despachado",
            "versandt",
            "versendet",
            "verschickt",
            "expedie",
            "expediee",
            "ete envoye",
            "ete envoyee",
        ],
    ),
    (
        InProgress,
        &[
            "being processed",
            "in progress",
            "is processing",
            "being worked on",
            "being handled",
            "en proceso",
            "en tramite",
            "en curso",
            "in bearbeitung",
            "wird bearbeitet",
            "en cours de traitement",
        ],
    ),
    (
        Open,
        &[
            "is open",
            "still open",
            "remains open",
            "open request",
            "is pending",
            "still pending",
            "esta abierto",
            "esta abierta",
            "sigue abierto",
            "sigue abierta",
            "esta pendiente",
            "sigue pendiente",
            "ist offen",
            "noch offen",
            "est ouvert",
            "est ouverte",
            "toujours ouvert",
            "toujours ouverte",
            "est en attente",
        ],
    ),
];

/// Words behind which a saying claims nothing: in their clause it is denied, wished for, doubted, or still to come.
const HEDGES: &[&str] = &[
    // English
    "not",
    "isn't",
    "wasn't",
    "hasn't",
    "haven't",
    "aren't",
    "never",
    "no",
    "will",
    "won't",
    "once",
    "when",
    "if",
    "until",
    "unless",
    "would",
    "can",
    "can't",
    "cannot",
    "could",
    "may",
    "might",
    "should",
    "must",
    "before",
    "to be",
    "being",
    "gets",
    "as soon as",
    "want",
    "wanted",
    "asked",
    "whether",
    "expected",
    "scheduled",
    "due to",
    "about to",
    "partly",
    "partially",
    // Spanish
    "no ha",
    "nunca",
    "aun",
    "todavia",
    "cuando",
    "si el",
    "si su",
    "si la",
    "una vez",
    "sera",
    "puede",
    "podria",
    "debe",
    "deberia",
    "va a",
    "hasta",
    "antes",
    // German
    "nicht",
    "nie",
    "wird",
    "werden",
    "wenn",
    "sobald",
    "falls",
    "ob",
    "bis",
    "kann",
    "konnte",
    "soll",
    "sollte",
    "durfte",
    "muss",
    "musste",
    "bevor",
    // French
    "pas",
    "jamais",
    "sera",
    "seront",
    "quand",
    "lorsque",
    "des que",
    "si",
    "peut",
    "pourrait",
    "doit",
    "devrait",
    "va etre",
    "avant",
];

/// Words behind which a saying is the customer's, as far as the sentence goes on about it.
const REPORTS: &[&str] = &[
    // English
    "you say",
    "you said",
    "you're saying",
    "you are saying",
    "you write",
    "you wrote",
    "you mention",
    "you mentioned",
    "you told",
    "you report",
    "you reported",
    "you tell",
    "you were told",
    // Spanish
    "usted dice",
    "nos dice",
    "dices",
    "dijiste",
    "usted escribe",
    "escribes",
    "usted indica",
    "nos indica",
    "usted comenta",
    "nos comenta",
    "menciona que",
    // German
    "sie schreiben",
    "sie schrieben",
    "sie sagen",
    "sie sagten",
    "sie geben an",
    "sie melden",
    "sie berichten",
    "sie haben geschrieben",
    "sie haben gesagt",
    "du schreibst",
    "du sagst",
    "laut ihnen",
    // French
    "vous dites",
    "vous avez dit",
    "vous ecrivez",
    "vous avez ecrit",
    "vous indiquez",
    "vous mentionnez",
    "vous signalez",
    "tu dis",
    "selon vous",
];

/// Where a sentence turns from one thing to another.
const TURNS: &[&str] = &[
    ";",
    " - ",
    ", but ",
    ", and ",
    ", yet ",
    ", however",
    " pero ",
    ", y ",
    " aber ",
    ", und ",
    ", jedoch",
    " mais ",
    ", et ",
    ", cependant",
];

impl Standing {
    /// Where the record stands, if it says so in words that are known.
    pub(super) fn of(fact: &Fact) -> Option<Self> {
        let said = plain(&status(fact)?);
        let denied = ["not", "partially", "partly", "reopened", "requested"];
        if denied.iter().any(|word| contains_words(&said, word)) {
            return None;
        }
        let known = STATUSES.iter().find(|(_, words)| words.iter().any(|word| contains_words(&said, word)));
        known.map(|(standing, _)| *standing).or_else(|| is_closed(fact).then_some(Resolved))
    }

    /// What a sentence (in [`plain`] form) claims: each standing with its words. Questions claim nothing, nor does
    /// what is said of the customer's own words.
    pub(super) fn claimed(sentence: &str) -> Vec<(Self, &'static str)> {
        if sentence.ends_with('?') {
            return vec![];
        }
        let clauses = ours(sentence).into_iter().flat_map(|part| part.split([',', ':', '(', ')']));
        clauses.flat_map(Self::claimed_in_clause).collect()
    }

    fn claimed_in_clause(clause: &str) -> Vec<(Self, &'static str)> {
        let mut claimed = vec![];
        for (standing, sayings) in SAYINGS {
            let Some(saying) = sayings.iter().find(|saying| contains_words(clause, saying)) else { continue };
            let before = clause.split(saying).next().unwrap_or_default();
            if !HEDGES.iter().any(|hedge| contains_words(before, hedge)) {
                claimed.push((standing, *saying));
            }
        }
        claimed
    }

    /// Whether what is claimed cannot be so where the record stands.
    pub(super) fn contradicts(self, record: Self) -> bool {
        match self {
            Open => matches!(record, Delivered | Cancelled | Resolved),
            InProgress => matches!(record, Delivered | Cancelled | Resolved),
            Shipped => matches!(record, Open | InProgress | Cancelled),
            OnItsWay => matches!(record, Open | InProgress | Delivered | Cancelled | Resolved),
            Delivered => matches!(record, Open | InProgress | Shipped | OnItsWay | Cancelled),
            Cancelled => !matches!(record, Cancelled | Resolved),
            Resolved => matches!(record, Open | InProgress | Shipped | OnItsWay),
        }
    }
}

/// Whether a text claims anything at all, as a cheap first look; the text is in [`plain`] form.
pub(super) fn claims_something(text: &str) -> bool {
    SAYINGS.iter().any(|(_, sayings)| sayings.iter().any(|saying| text.contains(saying)))
}

/// The parts of a sentence (in [`plain`] form) that tell nothing of what the customer says.
fn ours(sentence: &str) -> Vec<&str> {
    let mut parts = vec![sentence];
    for turn in TURNS {
        parts = parts.into_iter().flat_map(|part| part.split(turn)).collect();
    }
    parts.into_iter().map(before_report).collect()
}

fn before_report(part: &str) -> &str {
    let reports = REPORTS.iter().filter(|report| contains_words(part, report));
    let first = reports.filter_map(|report| part.find(report)).min();
    first.and_then(|at| part.get(..at)).unwrap_or(part)
}

/// Whether a sentence (in [`plain`] form) tells what the customer says.
pub(super) fn tells_the_customers(sentence: &str) -> bool {
    REPORTS.iter().any(|report| contains_words(sentence, report))
}
