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
    pub promises: Vec<String>,
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
            promises: PROMISES.iter().map(|&promise| promise.into()).collect(),
            tone: "Friendly, brief and plain. No exclamation marks, no emoji unless the customer uses them."
                .into(),
        }
    }
}

fn topic(name: &str, category: Category, keywords: &[&str]) -> Topic {
    Topic { name: name.into(), category, keywords: keywords.iter().map(|&word| word.into()).collect() }
}

const INSTRUCTIONS: &str = "\
You answer customers of this business about their orders, requests, appointments and stays.
Answer the newest message first, in the customer's language, in at most five sentences.
Take up what was said earlier: do not ask again for what the customer or the account facts already say, and do \
not confirm again what was cancelled.
Say what happens next, if something does. If one short question would settle what is meant, ask it.";

type TopicRow = (&'static str, Category, &'static [&'static str]);

const TOPICS: &[TopicRow] = &[
    (
        "deposit",
        Category::PolicyRestriction,
        &["deposit", "deposits", "depósito", "fianza", "kaution", "caution"],
    ),
    (
        "refund",
        Category::PolicyRestriction,
        &[
            "refund",
            "refunds",
            "refunded",
            "refunding",
            "money back",
            "chargeback",
            "reimburse",
            "reimbursed",
            "reimbursement",
            "reembolso",
            "rückerstattung",
            "remboursement",
            "rembourser",
        ],
    ),
    (
        "legal threat",
        Category::PolicyRestriction,
        &[
            "lawyer",
            "lawyers",
            "attorney",
            "solicitor",
            "sue",
            "suing",
            "lawsuit",
            "legal action",
            "take you to court",
            "abogado",
            "anwalt",
            "rechtsanwalt",
            "avocat",
        ],
    ),
    (
        "safety",
        Category::PolicyRestriction,
        &[
            "gas leak",
            "smell gas",
            "smells of gas",
            "carbon monoxide",
            "fire",
            "smoke",
            "ambulance",
            "injured",
            "emergency",
            "electric shock",
            "unsafe",
            "break-in",
            "police",
            "incendio",
            "notfall",
            "incendie",
        ],
    ),
    (
        "request for a person",
        Category::CustomerRequest,
        &[
            "human",
            "real person",
            "actual person",
            "to a person",
            "human agent",
            "live agent",
            "representative",
            "to someone",
            "with someone",
            "someone call",
            "to a manager",
            "your manager",
            "the manager",
            "supervisor",
            "una persona",
            "einem menschen",
            "mitarbeiter",
            "un humain",
            "une personne",
            "un conseiller",
        ],
    ),
];

const PROMISES: &[&str] = &[
    "I'll follow up",
    "I will follow up",
    "we'll get back to you",
    "I have refunded",
    "I've refunded",
    "I have cancelled",
    "I have booked",
    "a technician is on the way",
];
