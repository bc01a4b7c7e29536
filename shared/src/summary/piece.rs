//! What a fold works on: messages with their whole text, cut to what one call takes.

use super::spill::cut;
use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::text;
use crate::thread::{Author, Message, Seq};
use std::borrow::Cow;

/// A message with its whole text, `BODY` items and attachments included.
#[derive(Debug, Clone)]
pub struct Whole {
    /// The message.
    pub message: Message,
    /// Its text, then a line for each attachment.
    pub text: String,
}

impl Whole {
    /// A message whose text is `text`.
    pub fn new(message: Message, text: String) -> Self {
        let bare = Message { text, tail: String::new(), omitted_chars: 0, bodies: 0, ..message.clone() };
        let text = bare.shown(usize::MAX).into_owned();
        Self { message, text }
    }

    /// As many of the oldest messages of a batch as fit the limits, at least one if there is one.
    pub fn first<'a>(batch: &'a [Self], limits: &Limits) -> &'a [Self] {
        let mut used = 0_usize;
        let fits = |whole: &&Self| {
            used = used.saturating_add(text::chars(&whole.text));
            used <= limits.batch_chars
        };
        let fitting = batch.iter().take(limits.batch_messages).take_while(fits).count().max(1);
        batch.get(..fitting).unwrap_or(batch)
    }
}

/// A message, or a part of one, as one call is given it.
#[derive(Debug, Clone)]
pub struct Piece<'a> {
    /// The message.
    pub message: &'a Message,
    /// Its text, or the part's.
    pub text: Cow<'a, str>,
    /// All that is known of its text: a cut may tell a value from its neighbours, and what the cut makes of it was
    /// never said.
    pub evidence: Cow<'a, str>,
    /// Which part of how many, if the message is longer than one call takes.
    pub part: Option<(usize, usize)>,
}

impl<'a> Piece<'a> {
    /// A batch as the calls of one fold take it: all of it in one, or a long message part by part.
    pub fn calls(batch: &'a [Whole], batch_chars: usize) -> Vec<Vec<Self>> {
        match batch {
            [long] if text::chars(&long.text) > batch_chars => {
                let parts = cut(&long.text, batch_chars);
                let of = parts.len();
                let piece = |(n, text)| Piece {
                    message: &long.message,
                    text: Cow::Borrowed(text),
                    evidence: Cow::Borrowed(long.text.as_str()),
                    part: Some((n + 1, of)),
                };
                parts.into_iter().enumerate().map(piece).map(|piece| vec![piece]).collect()
            }
            _ => vec![batch.iter().map(Self::whole).collect()],
        }
    }

    fn whole(whole: &'a Whole) -> Self {
        let text = Cow::Borrowed(whole.text.as_str());
        Self { message: &whole.message, evidence: text.clone(), text, part: None }
    }

    /// Of the newest messages (newest first) those above `known`: at most one batch of them, the newest, oldest
    /// first. The newest is always among them.
    pub fn fresh(newest_first: &'a [Message], known: Seq, limits: &Limits) -> Vec<Self> {
        let shown_chars = limits.message_chars.min(limits.batch_chars);
        let mut fresh: Vec<Self> = vec![];
        let mut used = 0_usize;
        for message in newest_first.iter().take_while(|message| message.seq > known) {
            let text = message.shown(shown_chars);
            used = used.saturating_add(text::chars(&text));
            if !fresh.is_empty() && (fresh.len() >= limits.batch_messages || used > limits.batch_chars) {
                break;
            }
            fresh.push(Self { message, text, evidence: stored(message), part: None });
        }
        fresh.reverse();
        fresh
    }
}

/// The text of a message without its `BODY` items.
fn stored(message: &Message) -> Cow<'_, str> {
    if message.omitted_chars == 0 {
        return message.shown(usize::MAX);
    }
    let head = Message { omitted_chars: 0, ..message.clone() };
    Cow::Owned(format!("{}\n{}", message.tail, head.shown(usize::MAX)))
}

/// Everything that one call of the small model is given.
#[derive(Debug)]
pub struct Given<'a> {
    /// Snapshot and history as they are; between the parts of one message, as the last part left them.
    pub old: &'a Snapshot,
    /// What ages out, oldest first.
    pub batch: &'a [Piece<'a>],
    /// What the four fields do not know yet, oldest first.
    pub fresh: &'a [Piece<'a>],
    /// From this the fence is made.
    pub seed: &'a str,
}

impl Given<'_> {
    /// The texts of the messages.
    pub fn said(&self) -> impl Iterator<Item = &str> {
        self.batch.iter().chain(self.fresh).map(|piece| piece.text.as_ref())
    }

    /// What the customer wrote, for guessing the language.
    pub(super) fn customers_words(&self) -> String {
        let customers = |piece: &&Piece<'_>| piece.message.author == Author::Customer;
        let pieces = self.batch.iter().chain(self.fresh).filter(customers);
        pieces.map(|piece| piece.text.as_ref()).collect::<Vec<_>>().join("\n")
    }
}
