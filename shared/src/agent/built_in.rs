//! The version that is built in: what a first installation installs, and what stands in where none is installed.

use super::{AgentVersion, DEFAULT_AGENT, Promise, Topic, every_channel};
use crate::case::Category;

impl AgentVersion {
    /// The version that a first installation installs, and that stands in where none is installed.
    pub fn built_in() -> Self {
        Self {
            name: DEFAULT_AGENT.into(),
            version: 0,
            instructions: INSTRUCTIONS.into(),
            topics: TOPICS
                .iter()
                .map(|(name, category, keywords)| topic(name, *category, keywords))
                .collect(),
            promises: PROMISES.iter().map(promise).collect(),
            tone: "Friendly, brief and plain. No exclamation marks, no emoji unless the customer uses them."
                .into(),
            channels: every_channel(),
            notifies: true,
        }
    }
}

fn topic(name: &str, category: Category, keywords: &str) -> Topic {
    Topic {
        name: name.into(),
        category,
        keywords: keywords.split(';').map(|word| word.trim().into()).collect(),
    }
}

fn promise((phrase, act, says, does_not): &PromiseRow) -> Promise {
    Promise {
        phrase: (*phrase).into(),
        opens_request: act.is_empty(),
        act: Some((*act).to_owned()).filter(|act| !act.is_empty()),
        matches: vec![(*says).into()],
        not: vec![(*does_not).into()],
    }
}

const INSTRUCTIONS: &str = "\
You answer customers of this business about their orders, requests, appointments and stays.
Answer the newest message first, in the customer's language, in at most five sentences.
Take up what was said earlier: do not ask again for what the customer or the account facts already say, and do \
not confirm again what was cancelled.
Say what happens next, if something does. If one short question would settle what is meant, ask it.";

type TopicRow = (&'static str, Category, &'static str);

/// Keywords are separated by semicolons. The first topic that a message touches names the case: danger first.
const TOPICS: &[TopicRow] = &[
    (
        "safety",
        Category::PolicyRestriction,
        "gas leak;smell gas;smelling gas;smells of gas;smells like gas;smell of gas;carbon monoxide; \
         fire;smell smoke;smell of smoke;see smoke;there is smoke;there's smoke;so much smoke; \
         a lot of smoke;full of smoke;smoke coming;smoke is coming;ambulance;injured;emergency; \
         electric shock;unsafe;break-in;broken into;police; \
         incendio;hay fuego;fuga de gas;huele a gas;olor a gas;emergencia;ambulancia;policía; \
         notfall;gasgeruch;riecht nach gas;feuer;es brennt;krankenwagen;polizei; \
         incendie;fuite de gaz;odeur de gaz;sent le gaz;il y a le feu;au feu;ambulance;urgence vitale",
    ),
    (
        "legal threat",
        Category::PolicyRestriction,
        "lawyer;lawyers;attorney;attorneys;solicitor;solicitors;i'll sue;we'll sue;i'd sue; \
         i will sue;we will sue;going to sue;want to sue;have to sue;like to sue;i can sue; \
         i could sue;gonna sue;sue you;sue your;sue the;sue them;suing;lawsuit;lawsuits;legal action; \
         legal proceedings;legal steps;legal team;legal advice;take you to court;taking you to court; \
         see you in court;small claims; \
         abogado;abogada;anwalt;anwältin;rechtsanwalt;verklagen;avocat;avocate;porter plainte",
    ),
    (
        "deposit",
        Category::PolicyRestriction,
        "deposit;deposits;depósito;depósitos;fianza;kaution;la caution;ma caution;dépôt de garantie",
    ),
    (
        "refund",
        Category::PolicyRestriction,
        "refund;refunds;refunded;refunding;refundable;money back;chargeback;reimburse;reimbursed; \
         reimbursement;reembolso;reembolsar;rückerstattung;rueckerstattung;geld zurück;remboursement;rembourser; \
         remboursé",
    ),
    (
        "request for a person",
        Category::CustomerRequest,
        "human;real person;actual person;live person;to a person;with a person;want a person; \
         need a person;person please;person, please;live agent;real agent;to an agent;with an agent; \
         agent please;to an operator;with an operator;talk to somebody;speak to somebody; \
         speak with somebody;somebody call; \
         representative;to speak with someone;talk to someone;talk with someone;speak to someone; \
         speak with someone;chat with someone;me to someone;me with someone;someone call; \
         someone to call;to a manager;with a manager;your manager;the manager;supervisor; \
         hablar con una persona;una persona real;hablar con alguien;agente humano;un humano;con un agente; \
         einem menschen;einen menschen;einem mitarbeiter;einen mitarbeiter;einer mitarbeiterin; \
         mit jemandem sprechen;mit jemandem reden;echte person; \
         un humain;une vraie personne;à une personne;à quelqu'un;un conseiller;agent humain",
    ),
];

/// A phrase, the act that it claims is done, a sentence that says it, and one that does not. What claims no act is of
/// what is still to be done: a request that is opened with it makes it honest.
type PromiseRow = (&'static str, &'static str, &'static str, &'static str);

/// In English, Spanish, German and French; the act is what a record would name, in English.
const PROMISES: &[PromiseRow] = &[
    ("I will * follow up", "", "I'll personally follow up by e-mail.", "I will not follow up."),
    (
        "we will * follow up",
        "",
        "We'll follow up as soon as we know more.",
        "Please follow up with the courier.",
    ),
    ("will * get back to you", "", "Somebody will get back to you.", "We'll be glad when you get back."),
    ("I will * look into", "", "I'll look into this for you.", "You can look into your account at any time."),
    ("we will * look into", "", "We'll look into it.", "Did you look into the box?"),
    (
        "I will * let you know",
        "",
        "I'll let you know when it arrives.",
        "Please let us know when it arrives.",
    ),
    ("we will * let you know", "", "We'll let you know.", "The tracking page lets you know where it is."),
    ("I will * contact you", "", "I'll contact you tomorrow.", "The courier called to contact you."),
    ("we will * contact you", "", "We'll contact you by phone.", "We contact our couriers every day."),
    ("colleague will * contact you", "", "A colleague will contact you.", "You can contact a colleague."),
    ("I have * passed * on", "", "I've passed this on to our team.", "The deadline has passed."),
    ("I have * forwarded", "", "I've forwarded it to our team.", "You have forwarded the wrong file."),
    ("I have * refunded", "refund", "I've just refunded it.", "I have not refunded it."),
    ("we have * refunded", "refund", "We have already refunded it.", "We refund orders within two weeks."),
    ("has been refunded", "refund", "Your order has been refunded.", "It has not been refunded yet."),
    (
        "I have * issued * refund",
        "refund",
        "I've issued a full refund.",
        "Refunds are issued within two weeks.",
    ),
    ("I have * cancelled", "cancel", "I have cancelled it.", "You have cancelled it."),
    ("I have * canceled", "cancel", "I've canceled the order.", "The order can be canceled until Friday."),
    ("we have * cancelled", "cancel", "We have cancelled your visit.", "We cancelled nothing."),
    ("has been cancelled", "cancel", "Your visit has been cancelled.", "It has not been cancelled."),
    ("I have * booked", "book", "I've booked the cleaner.", "The room is booked."),
    ("we have * booked", "book", "We have booked a table for you.", "We have rooms that nobody has booked."),
    ("I have * rescheduled", "reschedule", "I've rescheduled your visit.", "Your visit can be rescheduled."),
    ("I have * changed your", "change", "I've changed your address.", "You have changed your address."),
    ("technician is * on the way", "technician", "A technician is on the way.", "This needs a technician."),
    ("me pondré * en contacto", "", "Me pondré en contacto con usted.", "Puede ponerse en contacto."),
    ("nos pondremos * en contacto", "", "Nos pondremos en contacto.", "Gracias por ponerse en contacto."),
    ("daré seguimiento", "", "Le daré seguimiento a su caso.", "Puede ver el seguimiento de su pedido."),
    ("le avisaré", "", "Le avisaré mañana.", "Avise al conductor, por favor."),
    ("te avisaré", "", "Te avisaré cuando llegue.", "¿Nos avisas cuando llegue?"),
    ("le avisaremos", "", "Le avisaremos mañana.", "No nos han avisado."),
    ("he * reenviado", "", "He reenviado su pregunta.", "Usted ha reenviado otra factura."),
    ("he * reembolsado", "refund", "Le he reembolsado 20 euros.", "El pedido no se ha reembolsado."),
    ("hemos * reembolsado", "refund", "Hemos reembolsado el pedido.", "Reembolsamos en dos semanas."),
    ("he * cancelado", "cancel", "He cancelado el pedido.", "¿Ha cancelado usted el pedido?"),
    ("hemos * cancelado", "cancel", "Hemos cancelado su visita.", "Se puede cancelar hasta el viernes."),
    ("he * reservado", "book", "He reservado la mesa.", "¿Ha reservado usted una mesa?"),
    ("hemos * reservado", "book", "Le hemos reservado una mesa.", "Está todo reservado."),
    ("técnico está * en camino", "technician", "Un técnico está ya en camino.", "Hace falta un técnico."),
    ("ich melde mich", "", "Ich melde mich morgen bei Ihnen.", "Bitte melden Sie sich beim Kurier."),
    ("wir melden uns", "", "Wir melden uns, sobald wir mehr wissen.", "Sie können sich jederzeit melden."),
    ("werde mich * melden", "", "Ich werde mich bei Ihnen melden.", "Der Kurier hat sich nicht gemeldet."),
    ("ich kümmere mich", "", "Ich kümmere mich darum.", "Der Kurier kümmert sich um die Zustellung."),
    ("wir kümmern uns", "", "Wir kümmern uns darum.", "Bitte kümmern Sie sich selbst darum."),
    ("ich gebe * Bescheid", "", "Ich gebe Ihnen morgen Bescheid.", "Geben Sie uns bitte Bescheid."),
    (
        "ich habe * weitergeleitet",
        "",
        "Ich habe es weitergeleitet.",
        "Sie haben die Rechnung weitergeleitet.",
    ),
    ("ich habe * erstattet", "refund", "Ich habe Ihnen den Betrag erstattet.", "Er wird bald erstattet."),
    ("wir haben * erstattet", "refund", "Wir haben den Betrag erstattet.", "Es wurde noch nichts erstattet."),
    ("ich habe * storniert", "cancel", "Ich habe die Bestellung storniert.", "Haben Sie sie storniert?"),
    ("wir haben * storniert", "cancel", "Wir haben den Termin storniert.", "Er kann storniert werden."),
    ("ich habe * gebucht", "book", "Ich habe das Zimmer gebucht.", "Haben Sie ein Zimmer gebucht?"),
    ("wir haben * gebucht", "book", "Wir haben einen Tisch gebucht.", "Es ist alles ausgebucht."),
    (
        "ich habe * verschoben",
        "reschedule",
        "Ich habe Ihren Termin verschoben.",
        "Er kann verschoben werden.",
    ),
    (
        "Techniker ist * unterwegs",
        "technician",
        "Ein Techniker ist unterwegs.",
        "Es braucht einen Techniker.",
    ),
    ("je vous recontacte", "", "Je vous recontacte demain.", "Vous pouvez nous recontacter demain."),
    ("je vous recontacterai", "", "Je vous recontacterai demain.", "Le livreur vous a-t-il recontacté ?"),
    ("reviens * vers vous", "", "Je reviens vite vers vous.", "Le colis est revenu vers nous."),
    ("reviendrons * vers vous", "", "Nous reviendrons vers vous.", "Revenez vers nous quand vous voulez."),
    ("je vous tiens * au courant", "", "Je vous tiens au courant.", "Tenez-nous au courant."),
    ("je vous tiendrai * au courant", "", "Je vous tiendrai au courant.", "Êtes-vous au courant ?"),
    ("j'ai * transmis", "", "J'ai transmis votre demande.", "Vous avez transmis une autre facture."),
    ("j'ai * remboursé", "refund", "J'ai remboursé la commande.", "Elle n'est pas encore remboursée."),
    ("avons * remboursé", "refund", "Nous vous avons déjà remboursé.", "On rembourse en deux semaines."),
    ("j'ai * annulé", "cancel", "J'ai annulé la commande.", "Avez-vous annulé la commande ?"),
    ("avons * annulé", "cancel", "Nous avons annulé votre visite.", "On peut annuler jusqu'à vendredi."),
    ("j'ai * réservé", "book", "J'ai réservé la table.", "Avez-vous réservé une table ?"),
    ("avons * réservé", "book", "Nous avons réservé une table.", "Tout est réservé."),
    ("technicien est * en route", "technician", "Un technicien est en route.", "Il faut un technicien."),
];
