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
    "never",
    "no",
    "will",
    "once",
    "when",
    "if",
    "until",
    "unless",
    "would",
    "can",
    "cannot",
    "could",
    "may",
    "might",
    "should",
    "must",
    "before",
    "after",
    "to be",
    "to have",
    "too late",
    "being",
    "gets",
    "get",
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
    "en cuanto",
    "si el",
    "si su",
    "si la",
    "una vez",
    "despues",
    "sea",
    "sera",
    "puede",
    "podra",
    "podria",
    "debe",
    "deberia",
    "va a",
    "previsto",
    "hasta",
    "antes",
    // German
    "nicht",
    "nie",
    "wird",
    "werden",
    "wenn",
    "sobald",
    "nachdem",
    "falls",
    "ob",
    "bis",
    "kann",
    "konnen",
    "konnte",
    "soll",
    "sollen",
    "sollte",
    "durfte",
    "muss",
    "musste",
    "bevor",
    // French
    "pas",
    "jamais",
    "soit",
    "sera",
    "seront",
    "quand",
    "lorsque",
    "des que",
    "une fois",
    "apres",
    "si",
    "peut",
    "pouvez",
    "pourra",
    "pourrait",
    "doit",
    "devrait",
    "va etre",
    "avant",
];

/// Words that say for sure what comes behind them, although one of them looks like a hedge.
const ASSURANCES: &[&str] = &[
    "can confirm",
    "can see",
    "can tell you",
    "can assure you",
    "can happily say",
    "puedo confirmar",
    "puedo confirmarle",
    "puedo ver",
    "kann bestatigen",
    "kann ihnen bestatigen",
    "kann sehen",
    "kann ihnen sagen",
    "peux confirmer",
    "peux vous confirmer",
    "peux voir",
    "peux vous dire",
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
        if sentence.ends_with('?') || !claims_something(sentence) {
            return vec![];
        }
        let full = in_full(sentence);
        let clauses = ours(&full).into_iter().flat_map(|part| part.split([',', ':', '(', ')']));
        clauses.flat_map(Self::claimed_in_clause).collect()
    }

    fn claimed_in_clause(clause: &str) -> Vec<(Self, &'static str)> {
        let mut claimed = vec![];
        for (standing, sayings) in SAYINGS {
            let Some(saying) = sayings.iter().find(|saying| contains_words(clause, saying)) else { continue };
            let (before, after) = clause.split_once(saying).unwrap_or_default();
            let is_elsewhere =
                *saying == "has arrived" && [" at ", " in "].iter().any(|to| after.starts_with(to));
            if !is_elsewhere && !HEDGES.iter().any(|hedge| contains_words(before, hedge)) {
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

/// The sentence without short forms, and without words that only look like hedges: assurances, `no. 7`, `3 May`.
fn in_full(sentence: &str) -> String {
    let mut full =
        sentence.replace("n't", " not").replace("'ll", " will").replace("no. ", "").replace("no #", "#");
    for assurance in ASSURANCES {
        full = full.replace(assurance, "");
    }
    let words: Vec<&str> = full.split(' ').collect();
    let is_number =
        |word: Option<&&str>| word.is_some_and(|word| word.starts_with(|mark: char| mark.is_ascii_digit()));
    let is_month = |at: usize| {
        words[at] == "may"
            && (is_number(words.get(at + 1)) || at.checked_sub(1).is_some_and(|at| is_number(words.get(at))))
    };
    let kept = (0..words.len()).filter(|at| !is_month(*at)).map(|at| words[at]);
    kept.collect::<Vec<_>>().join(" ")
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

/// Behind these a sentence tells what the customer wishes.
const WISHES: &[&str] = &[
    "you want",
    "you'd like",
    "you would like",
    "you'd prefer",
    "you asked",
    "you need",
    "quiere",
    "desea",
    "prefiere",
    "sie mochten",
    "sie wollen",
    "sie wunschen",
    "vous voulez",
    "vous souhaitez",
    "vous preferez",
];

/// Whether a sentence (in [`plain`] form) tells what the customer says or wishes.
pub(super) fn tells_the_customers(sentence: &str) -> bool {
    REPORTS.iter().chain(WISHES).any(|report| contains_words(sentence, report))
}
