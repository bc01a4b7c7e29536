//! Agents: what the bot is told and when it stops, as immutable versions.

use crate::case::Category;
use serde::{Deserialize, Serialize};

/// The agent that answers where nothing else is said.
pub const DEFAULT_AGENT: &str = "default";

/// One immutable version of an agent (*signed-change*).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentVersion {
    /// The agent's name.
    pub name: String,
    /// The version's number; 0 is the one that is built in and stands in when none is installed.
    pub version: u32,
    /// What the bot is told. The rules are code and stand above it.
    pub instructions: String,
    /// What people answer.
    pub topics: Vec<Topic>,
    /// Promises that only an open request or case makes honest.
    pub promises: Vec<Promise>,
    /// How the bot speaks.
    pub tone: String,
}

/// Something that people answer, and how to tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    /// Its name, as it stands in the case.
    pub name: String,
    /// The category of a case that it opens.
    pub category: Category,
    /// Words and phrases; they count on word boundaries, in any case.
    pub keywords: Vec<String>,
}

/// Something that the bot may say only with a record behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    /// Words that make it; a `*` stands for up to three words between.
    pub phrase: String,
    /// Whether a reply that makes it may open a request in the same commit.
    pub opens_request: bool,
    /// What is claimed to be done, such as `refund`: only a record that names it backs the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<String>,
    /// Examples that must match.
    pub matches: Vec<String>,
    /// Examples that must not.
    pub not: Vec<String>,
}

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
         electric shock;unsafe;break-in;broken into;police;incendio;fuga de gas;notfall;gasgeruch; \
         incendie;fuite de gaz",
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
         hablar con una persona;una persona real;hablar con alguien;einem menschen;einem mitarbeiter; \
         einen mitarbeiter;un humain;une vraie personne;à une personne;à quelqu'un;un conseiller",
    ),
];

type PromiseRow = (&'static str, bool, &'static str, &'static str, &'static str);

/// Phrase, whether it opens a request, what is claimed to be done, an example, and one that must not match.
const PROMISES: &[PromiseRow] = &[
    ("I will * follow up", true, "", "I'll personally follow up.", "I will not follow up."),
    ("we will get back to you", true, "", "We'll get back to you soon.", "Will you get back to us?"),
    ("I have * refunded", false, "refund", "I've just refunded it.", "I have not refunded it."),
    ("I have * cancelled", false, "cancel", "I have cancelled it.", "You have cancelled it."),
    ("I have * booked", false, "book", "I've booked the cleaner.", "The room is booked."),
    (
        "a technician is on the way",
        false,
        "technician",
        "A technician is on the way.",
        "Is a technician on the way?",
    ),
];

fn promise(row: &PromiseRow) -> Promise {
    let (phrase, opens_request, act, matching, not) = *row;
    Promise {
        phrase: phrase.into(),
        opens_request,
        act: Some(act).filter(|act| !act.is_empty()).map(str::to_owned),
        matches: vec![matching.into()],
        not: vec![not.into()],
    }
}
