//! What a team is told of a case. It leaves the house, so it says nothing of the customer but where to look: no name,
//! no address, no word that they wrote.

use crate::case::{Category, Priority};
use crate::time::Timestamp;
use serde_json::{Value, json};
use ulid::Ulid;

/// A case that wants a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The case.
    pub case_id: Ulid,
    /// Since when its teams are told anew, if they are.
    pub round_at: Option<Timestamp>,
    /// How far it is on its route: 0 is the first team.
    pub step: u32,
    /// The team that is told.
    pub team: String,
    /// Why the bot stopped.
    pub category: Category,
    /// The same in a sentence.
    pub why: String,
    /// The agent's topic, if a rule of the agent stopped the bot.
    pub topic: Option<String>,
    /// How soon the case wants a person.
    pub priority: Priority,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When this step began: at its opening, or when the time of the team before was over.
    pub since: Timestamp,
    /// The thread in the console.
    pub link: String,
}

impl Notification {
    /// Names it, the same however often it is sent: a receiver that knows it already may ignore it.
    pub fn id(&self) -> String {
        let round = self.round_at.map(|at| format!("-{}", at.millis())).unwrap_or_default();
        format!("{}{round}-{}", self.case_id, self.step)
    }

    /// The body of a webhook.
    pub fn json(&self) -> Value {
        let event = if self.step == 0 { "case.opened" } else { "case.not_taken" };
        json!({
            "type": event,
            "timestamp": self.since.rfc3339(),
            "data": {
                "case_id": self.case_id,
                "team": self.team,
                "category": self.category,
                "why": self.why,
                "topic": self.topic,
                "priority": self.priority,
                "opened_at": self.opened_at.rfc3339(),
                "url": self.link,
            },
        })
    }

    /// One line, as the subject of a mail.
    pub fn subject(&self) -> String {
        format!("{}, {} priority", self.heading(), self.priority.code())
    }

    /// A few lines for people.
    pub fn text(&self) -> String {
        let Self { case_id, why, link, .. } = self;
        format!("{}\n{why}\nCase {case_id}, opened {}\n{link}", self.subject(), self.opened_at.to_minute())
    }

    /// The same as Slack wants it: what could be markup is not.
    pub fn slack(&self) -> Value {
        let text = self.text().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        json!({ "text": text })
    }

    fn heading(&self) -> String {
        match self.step {
            0 => format!("A customer waits for {}", self.team),
            _ => format!("Nobody has taken a case; it goes to {}", self.team),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notification(step: u32) -> Notification {
        Notification {
            case_id: Ulid::from_parts(0, 1),
            round_at: None,
            step,
            team: "billing".into(),
            category: Category::PolicyRestriction,
            why: "A rule of the agent says that people answer this: deposit.".into(),
            topic: Some("deposit <!channel>".into()),
            priority: Priority::High,
            opened_at: Timestamp::from_millis(1_796_292_000_000),
            since: Timestamp::from_millis(1_796_292_000_000),
            link: "https://example.com/console/threads/01A".into(),
        }
    }

    #[test]
    fn a_mail_says_who_waits_why_and_where() {
        assert_eq!(notification(0).subject(), "A customer waits for billing, high priority");
        assert_eq!(
            notification(1).text(),
            "Nobody has taken a case; it goes to billing, high priority\n\
             A rule of the agent says that people answer this: deposit.\n\
             Case 00000000000000000000000001, opened 2026-12-03 10:00 UTC\n\
             https://example.com/console/threads/01A"
        );
    }

    #[test]
    fn nothing_is_markup_in_slack() {
        let sent = Notification { why: "<!channel> & co".into(), ..notification(0) }.slack();
        let text = sent["text"].as_str().unwrap();
        assert!(text.contains("&lt;!channel&gt; &amp; co") && !text.contains('<'), "{text}");
    }

    #[test]
    fn it_has_the_same_name_each_time_and_another_at_each_step_and_in_each_round() {
        assert_eq!(notification(0).id(), notification(0).id());
        assert_ne!(notification(0).id(), notification(1).id());
        let again = Notification { round_at: Some(Timestamp::from_millis(7)), ..notification(0) };
        assert_eq!(again.id(), "00000000000000000000000001-7-0");
    }
}
