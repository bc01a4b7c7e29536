//! What customers ask for, as far as a few lists of English words can tell. Where they cannot, it is not
//! understood: a question left to somebody else is better than an answer to another one.

use super::words::{contains, plain};
use crate::facts::Fact;
use crate::text;

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Order,
    Request,
    Appointment,
}

impl Subject {
    pub(super) const ALL: [Self; 3] = [Self::Order, Self::Request, Self::Appointment];

    /// The kind of its facts.
    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Request => "request",
            Self::Appointment => "appointment",
        }
    }

    fn of_kind(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|subject| subject.kind() == kind)
    }

    fn words(self) -> &'static str {
        match self {
            Self::Order => {
                "order orders package packages parcel parcels delivery shipment shipments purchase tracking"
            }
            Self::Request => "request requests ticket tickets repair repairs maintenance",
            Self::Appointment => {
                "appointment appointments visit visits viewing viewings meeting technician plumber engineer"
            }
        }
    }
}

/// Ids, and words after "about", that are kept of what was heard.
const WORDS_KEPT: usize = 12;

/// What was heard in all the messages that wait.
#[derive(Debug, Default)]
pub(super) struct Heard<'a> {
    pub(super) subjects: Vec<Subject>,
    /// Facts that were named by their id.
    pub(super) named: Vec<&'a Fact>,
    /// Ids that name nothing here, as they were written.
    pub(super) unknown: Vec<String>,
    /// Words after "about".
    pub(super) about: Vec<String>,
    pub(super) asks_when: bool,
    pub(super) asks_what: bool,
    pub(super) not_arrived: bool,
    pub(super) is_thanks: bool,
    pub(super) greets: bool,
    /// Whether anything was asked that can be answered.
    pub(super) asked: bool,
    /// Whether something besides was not understood.
    pub(super) unheard: bool,
    /// Whether all of it was only polite.
    pub(super) only_polite: bool,
}

/// Listens to all messages that wait, oldest first.
pub(super) fn listen<'a>(messages: &[&str], facts: &'a [Fact]) -> Heard<'a> {
    let mut heard = Heard { only_polite: !messages.is_empty(), ..Heard::default() };
    for message in messages {
        let sentences: Vec<Sentence<'a>> =
            text::sentences(message).into_iter().map(|sentence| Sentence::of(sentence, facts)).collect();
        let kinds: Vec<Speech> = sentences.iter().map(Sentence::speech).collect();
        heard.only_polite &= !kinds.is_empty() && kinds.iter().all(|kind| *kind == Speech::Polite);
        heard.unheard |= kinds.contains(&Speech::Other)
            || !kinds.iter().any(|kind| matches!(kind, Speech::Question | Speech::Named | Speech::Polite));
        for (sentence, kind) in sentences.into_iter().zip(kinds) {
            heard.add(sentence, kind);
        }
    }
    if heard.asked && heard.subjects.is_empty() {
        heard.subjects.push(Subject::Order);
    }
    heard
}

impl<'a> Heard<'a> {
    fn add(&mut self, sentence: Sentence<'a>, kind: Speech) {
        self.is_thanks |= kind == Speech::Polite && sentence.has(THANKS);
        self.greets |= kind == Speech::Polite && sentence.has(GREETINGS);
        if !matches!(kind, Speech::Question | Speech::Named) {
            return;
        }
        self.asked |= kind == Speech::Question || sentence.words.len() <= 6;
        self.asks_when |= sentence.has("when eta arrive arriving arrives long soon");
        self.asks_what |=
            sentence.has("what what's whats items contents") && sentence.has("in inside items contents");
        self.not_arrived |= sentence.not_arrived();
        self.about.extend(sentence.about());
        self.about.truncate(WORDS_KEPT);
        let of_named = sentence.named.iter().filter_map(|fact| Subject::of_kind(&fact.kind));
        for subject in of_named.chain(sentence.subjects) {
            if !self.subjects.contains(&subject) {
                self.subjects.push(subject);
            }
        }
        for fact in sentence.named {
            if !self.named.iter().any(|named| std::ptr::eq(*named, fact)) {
                self.named.push(fact);
            }
        }
        for id in sentence.unknown {
            if self.unknown.len() < WORDS_KEPT && !self.unknown.contains(&id) {
                self.unknown.push(id);
            }
        }
    }
}

/// What a sentence does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speech {
    /// Asks what the records can answer.
    Question,
    /// Names a record.
    Named,
    /// Greets, thanks, agrees.
    Polite,
    /// Asks for something else.
    Other,
    /// Tells something.
    Statement,
}

const GREETINGS: &str = "hi hello hey morning afternoon evening";
const THANKS: &str = "thanks thank thx ty cheers appreciated";
const AGREES: &str = "ok okay great perfect alright bye goodbye understood";
const FILLERS: &str = "good day there dear team you so very much a lot please got it best kind regards all that's fine \
    nice cool sure for your help the and again everything";

const ASKS: &str = "where when what what's whats when's where's which how is are was were did do does has have can could \
    will would any wheres";
const SEEKS: &str = "where where's wheres when when's status track tracking eta update updates news progress arriving \
    arrives happening";
const OWN: &str = "my our mine i i'm i've i'd the this that it its we";
const TRAVELS: &str = "arrive arrives arriving arrived ship shipped deliver delivered come coming here";

/// Words of what only people can do, or of what no record says.
const ACTIONS: &str = "cancel cancelling change changing modify edit return returning exchange replace replacement swap \
    reschedule move postpone add remove buy pay charge charged charges book make arrange refund refunded why wrong \
    damaged broken defective complain complaint instead different another upgrade send resend reship give redirect \
    forward stop delete policy policies offer sell price cost costs much free fee fees stock available availability \
    recommend discount coupon invoice receipt warranty lost place placing schedule scheduling booking upgrading updating \
    total amount paid payment address phone email";
const WISHES: &str = "want need like wish";
const POLITE_ASKS: &str = "can could would";
const LOOKS_UP: &str = "check confirm look arrived shipped delivered items contents";
const FINDS_OUT: &str = "know check track tracking see find hear ask status update updates look follow";

struct Sentence<'a> {
    words: Vec<String>,
    is_question: bool,
    subjects: Vec<Subject>,
    named: Vec<&'a Fact>,
    unknown: Vec<String>,
}

impl<'a> Sentence<'a> {
    fn of(sentence: &str, facts: &'a [Fact]) -> Self {
        let raw: Vec<&str> = sentence.split(is_gap).map(trim_word).filter(|word| !word.is_empty()).collect();
        let words: Vec<String> = raw.iter().map(|word| plain(word)).collect();
        let named: Vec<&Fact> = facts.iter().filter(|fact| names(fact, sentence, &words)).collect();
        let is_known = |word: &str| named.iter().any(|fact| is_id_of(word, fact));
        let unknown = (0..raw.len())
            .filter(|&at| looks_like_id(&words, at) && !is_known(&words[at]))
            .map(|at| text::head(raw[at], 40).to_owned())
            .collect();
        let is_question = sentence.trim_end().ends_with(['?', '？'])
            || words.first().is_some_and(|word| in_list(word, ASKS));
        let subjects = Subject::ALL.into_iter().filter(|subject| is_about(&words, *subject)).collect();
        Self { words, is_question, subjects, named, unknown }
    }

    fn has(&self, list: &str) -> bool {
        self.words.iter().any(|word| in_list(word, list))
    }

    fn has_id(&self) -> bool {
        !self.named.is_empty() || !self.unknown.is_empty()
    }

    fn speech(&self) -> Speech {
        if self.is_polite() {
            return Speech::Polite;
        }
        if self.asks_for_action() {
            return Speech::Other;
        }
        if self.asks_about_record() {
            return Speech::Question;
        }
        match (self.has_id(), self.is_question) {
            (true, _) => Speech::Named,
            (false, true) => Speech::Other,
            (false, false) => Speech::Statement,
        }
    }

    fn is_polite(&self) -> bool {
        let core = [GREETINGS, THANKS, AGREES];
        core.iter().any(|list| self.has(list))
            && self
                .words
                .iter()
                .all(|word| in_list(word, FILLERS) || core.iter().any(|list| in_list(word, list)))
    }

    fn asks_for_action(&self) -> bool {
        let wishes = self.has(WISHES) && !self.has(FINDS_OUT);
        let asks_how = self.words.windows(2).any(|pair| match pair {
            [how, next] => how == "how" && !in_list(next, "long soon is are about can do to"),
            _ => false,
        });
        let asks_how_to = self.has("how") && self.has("can do to") && !self.has(FINDS_OUT);
        let tells_to_update = self.words.windows(2).any(|pair| match pair {
            [update, next] => update == "update" && in_list(next, "my our all the it its this that"),
            _ => false,
        });
        self.has(ACTIONS) || wishes || asks_how || asks_how_to || tells_to_update
    }

    fn asks_about_record(&self) -> bool {
        let seeks = self.has(SEEKS) || self.not_arrived();
        let asks = if self.has(POLITE_ASKS) { self.has(LOOKS_UP) } else { self.is_question };
        let about = !self.subjects.is_empty() || self.has_id() || self.is_about_something_on_its_way();
        about && self.is_of_customer() && (seeks || asks)
    }

    /// "Do you offer appointments" is about somebody else's, "when are you coming for the visit" is not.
    fn is_of_customer(&self) -> bool {
        if self.has_id() || self.has("my our mine me i i've i'm") {
            return true;
        }
        let is_visit = self.subjects.contains(&Subject::Appointment) && self.has("the");
        let is_general = self.has("your you") && !is_visit;
        !is_general && (self.has(OWN) || self.words.len() <= 3)
    }

    /// "When will it arrive", without a word for what it is.
    fn is_about_something_on_its_way(&self) -> bool {
        self.words.len() <= 6
            && self.has("it they")
            && self.has(TRAVELS)
            && self.has("when has hasn't hasnt have haven't did didn't didnt will is still")
    }

    fn not_arrived(&self) -> bool {
        let missing = "not never hasn't haven't didn't isn't hasnt havent didnt nothing";
        self.has(missing) && self.has("arrived arrive come received receive got delivered here")
    }

    /// The words that tell one request from another.
    fn about(&self) -> Vec<String> {
        let from = self.words.iter().rposition(|word| in_list(word, "about regarding concerning for"));
        let after = from.and_then(|from| self.words.get(from + 1..)).unwrap_or_default();
        let tells = |word: &&String| {
            let is_subject = Subject::ALL.iter().any(|subject| in_list(word, subject.words()));
            word.chars().count() >= 3 && !is_subject && !in_list(word, OWN) && !in_list(word, FILLERS)
        };
        after.iter().filter(tells).cloned().collect()
    }
}

fn is_gap(mark: char) -> bool {
    mark.is_whitespace() || matches!(mark, ',' | ';' | '(' | ')' | '"' | '“' | '”' | '!' | '?' | '？' | '…')
}

fn trim_word(word: &str) -> &str {
    word.trim_matches(|mark: char| !mark.is_alphanumeric() && mark != '#').trim_end_matches('#')
}

fn in_list(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}

/// Whether a sentence is about a subject. `order` and the like count as nouns only: "can I order" is not about
/// an order.
fn is_about(words: &[String], subject: Subject) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
        let is_verb = matches!(word.as_str(), "order" | "request" | "visit" | "repair")
            && in_list(before, "i we you they to can could please and or cannot can't");
        let is_work_order = subject == Subject::Order && before == "work";
        in_list(word, subject.words()) && !is_verb && !is_work_order
    })
}

fn bare(id: &str) -> String {
    plain(id).trim_start_matches('#').to_owned()
}

fn is_id_of(word: &str, fact: &Fact) -> bool {
    word.trim_start_matches('#') == bare(&fact.id)
}

/// Whether a sentence names a fact: by an id that nothing else would be, or one that is introduced as an id.
fn names(fact: &Fact, sentence: &str, words: &[String]) -> bool {
    if Subject::of_kind(&fact.kind).is_none() {
        return false;
    }
    let id = bare(&fact.id);
    if id.contains(' ') {
        return contains(&plain(sentence), &id);
    }
    let telling = id.chars().count() >= 3 && id.chars().any(|mark| mark.is_ascii_digit());
    words
        .iter()
        .enumerate()
        .any(|(at, word)| word.trim_start_matches('#') == id && (telling || is_introduced(words, at)))
}

fn is_introduced(words: &[String], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
    let word = words.get(at).map_or("", String::as_str);
    word.starts_with('#')
        || in_list(before, "order request ticket appointment number no nr id package parcel")
}

/// Whether a word can only be meant as an id: `#W2611340`, `W2611340`, `order 12345`.
fn looks_like_id(words: &[String], at: usize) -> bool {
    let Some(word) = words.get(at) else { return false };
    let id = word.trim_start_matches('#');
    let digits = id.chars().filter(char::is_ascii_digit).count();
    let letters = id.chars().filter(|mark| mark.is_alphabetic()).count();
    let plain_mark = |mark: char| mark.is_alphanumeric() || matches!(mark, '-' | '_');
    if digits == 0 || !id.chars().all(plain_mark) || is_date(id) {
        return false;
    }
    let is_code = (1..=3).contains(&letters) && digits >= 4 && id.starts_with(char::is_alphabetic);
    word.starts_with('#') || is_code || is_introduced(words, at) && digits >= 3
}

fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    parts.len() == 3
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}
