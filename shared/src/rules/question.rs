//! What customers ask for, as far as a few lists of words can tell. Where they cannot, it is not understood: a
//! question left to somebody else is better than an answer to another one.

use super::hours::{self, Asked, Week};
use super::language::{Language, Told};
use super::lexicon::{Lexicon, List, is_in};
use super::words::{contains, plain};
use crate::facts::Fact;
use crate::text;
use crate::values::{self, Kind};

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

    /// Its own among three of something.
    pub(super) const fn of<T>(self, three: &[T; 3]) -> &T {
        let [order, request, appointment] = three;
        match self {
            Self::Order => order,
            Self::Request => request,
            Self::Appointment => appointment,
        }
    }

    pub(super) fn of_kind(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|subject| subject.kind() == kind)
    }
}

/// Characters that are listened to of one message. Who writes more says more than a few words can tell.
const CHARS: usize = 4_000;
/// Ids, and words after "about", that are kept of what was heard.
const WORDS_KEPT: usize = 12;
/// Days of which the opening hours are said.
const DAYS_KEPT: usize = 3;

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
    /// Opening hours were asked for.
    pub(super) hours: Option<HoursHeard>,
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

/// A question about opening hours.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HoursHeard {
    /// For these days; for none in particular where it is empty.
    pub(super) days: Vec<Asked>,
    /// Its words.
    pub(super) words: Vec<String>,
}

/// Listens to all messages that wait, oldest first, each in its own language and where it tells none in that of the
/// conversation.
pub(super) fn listen<'a>(
    messages: &[&str],
    language: Language,
    facts: &'a [Fact],
    business: &[Fact],
) -> Heard<'a> {
    let places = places(business);
    let mut heard = Heard { only_polite: !messages.is_empty(), ..Heard::default() };
    for message in messages {
        let lexicon = match Told::of(message) {
            Some(Told::In(language)) => language.lexicon(),
            None => language.lexicon(),
            Some(Told::Elsewhere) => {
                heard.only_polite = false;
                heard.unheard = true;
                continue;
            }
        };
        let listener = Listener { lexicon, facts, places: places.as_deref() };
        heard.listen_to(message, &listener);
    }
    if heard.asked && heard.subjects.is_empty() && heard.hours.is_none() {
        heard.subjects.push(Subject::Order);
    }
    heard
}

/// Words by which the places that have opening hours are named; `None` where there are no hours.
fn places(business: &[Fact]) -> Option<Vec<String>> {
    let records: Vec<&Fact> =
        business.iter().filter(|fact| fact.kind == hours::KIND && Week::read(fact).is_some()).collect();
    (!records.is_empty()).then(|| records.into_iter().flat_map(hours::names_of).collect())
}

/// What a sentence is listened to with.
struct Listener<'l, 'a> {
    lexicon: &'static Lexicon,
    facts: &'a [Fact],
    places: Option<&'l [String]>,
}

impl<'a> Heard<'a> {
    fn listen_to(&mut self, message: &str, listener: &Listener<'_, 'a>) {
        let heard = text::head(message, CHARS);
        self.unheard |= heard.len() < message.len();
        let sentences: Vec<Sentence<'a>> =
            text::sentences(heard).into_iter().map(|sentence| Sentence::of(sentence, listener)).collect();
        let kinds: Vec<Speech> = sentences.iter().map(Sentence::speech).collect();
        self.only_polite &= !kinds.is_empty() && kinds.iter().all(|kind| *kind == Speech::Polite);
        let is_heard = |kind: &Speech| !matches!(kind, Speech::Other | Speech::Statement);
        self.unheard |= kinds.contains(&Speech::Other) || !kinds.iter().any(is_heard);
        for (sentence, kind) in sentences.into_iter().zip(kinds) {
            self.add(sentence, kind);
        }
    }

    fn add(&mut self, sentence: Sentence<'a>, kind: Speech) {
        let lexicon = sentence.lexicon;
        match kind {
            Speech::Polite => {
                self.is_thanks |= sentence.has(lexicon.thanks);
                self.greets |= sentence.has(lexicon.greetings);
            }
            Speech::Hours => self.add_hours(sentence),
            Speech::Question | Speech::Named => self.add_question(sentence, kind),
            Speech::Other | Speech::Statement => {}
        }
    }

    fn add_hours(&mut self, sentence: Sentence<'a>) {
        self.asked = true;
        let heard = self.hours.get_or_insert_default();
        for day in sentence.days {
            if heard.days.len() < DAYS_KEPT && !heard.days.contains(&day) {
                heard.days.push(day);
            }
        }
        heard.words.extend(sentence.words);
    }

    fn add_question(&mut self, sentence: Sentence<'a>, kind: Speech) {
        let lexicon = sentence.lexicon;
        self.asked |= kind == Speech::Question || sentence.words.len() <= 6;
        self.asks_when |= sentence.has(lexicon.when);
        self.asks_what |= sentence.has(lexicon.what) && sentence.has(lexicon.contents);
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
    /// Asks for opening hours.
    Hours,
    /// Names a record.
    Named,
    /// Greets, thanks, agrees.
    Polite,
    /// Asks for something else.
    Other,
    /// Tells something.
    Statement,
}

struct Sentence<'a> {
    lexicon: &'static Lexicon,
    words: Vec<String>,
    is_question: bool,
    subjects: Vec<Subject>,
    named: Vec<&'a Fact>,
    unknown: Vec<String>,
    /// Whether it asks for opening hours, and of which days.
    is_about_hours: bool,
    days: Vec<Asked>,
}

impl<'a> Sentence<'a> {
    fn of(sentence: &str, listener: &Listener<'_, 'a>) -> Self {
        let Listener { lexicon, facts, places } = *listener;
        let (raw, words) = words_of(sentence, lexicon);
        let named: Vec<&Fact> = facts.iter().filter(|fact| names(fact, sentence, &words, lexicon)).collect();
        let is_known = |word: &str| named.iter().any(|fact| is_id_of(word, fact));
        let unknown = (0..raw.len())
            .filter(|&at| looks_like_id(&words, at, lexicon) && !is_known(&words[at]))
            .map(|at| text::head(raw[at], 40).to_owned())
            .collect();
        let is_question = sentence.trim_end().ends_with(['?', '？'])
            || words.first().is_some_and(|word| is_in(word, lexicon.asks));
        let subjects =
            Subject::ALL.into_iter().filter(|subject| is_about(&words, *subject, lexicon)).collect();
        let days = places.and_then(|places| days_of_hours(sentence, lexicon, places));
        Self {
            is_about_hours: days.is_some(),
            days: days.unwrap_or_default(),
            lexicon,
            words,
            is_question,
            subjects,
            named,
            unknown,
        }
    }

    fn has(&self, list: List) -> bool {
        self.words.iter().any(|word| is_in(word, list))
    }

    fn has_id(&self) -> bool {
        !self.named.is_empty() || !self.unknown.is_empty()
    }

    fn speech(&self) -> Speech {
        if self.is_polite() {
            return Speech::Polite;
        }
        if self.asks_for_hours() {
            return Speech::Hours;
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
        let Lexicon { greetings, thanks, agrees, fillers, .. } = self.lexicon;
        let core = [*greetings, thanks, agrees];
        let is_core = |word: &String| core.iter().any(|list| is_in(word, list));
        self.words.iter().any(is_core) && self.words.iter().all(|word| is_in(word, fillers) || is_core(word))
    }

    fn asks_for_hours(&self) -> bool {
        let Lexicon { asks, polite_asks, wishes, greetings, .. } = self.lexicon;
        let first = self.words.iter().find(|word| !is_in(word, greetings));
        let asks = first.is_some_and(|word| is_in(word, asks)) || self.has(polite_asks) || self.has(wishes);
        self.is_about_hours && (self.is_question || asks || self.has(self.lexicon.hours.names))
    }

    fn asks_for_action(&self) -> bool {
        let Lexicon { actions, wishes, finds_out, how, how_goes, how_to, updates, updates_what, .. } =
            self.lexicon;
        let is_pair = |first: List, second: &dyn Fn(&str) -> bool| {
            self.words.windows(2).any(|pair| matches!(pair, [a, b] if is_in(a, first) && second(b)))
        };
        let stood_up = self.not_arrived() && self.subjects.contains(&Subject::Appointment);
        self.has(actions)
            || stood_up
            || self.has(wishes) && !self.has(finds_out)
            || is_pair(how, &|next| !is_in(next, how_goes))
            || self.has(how) && self.has(how_to) && !self.has(finds_out)
            || is_pair(updates, &|next| is_in(next, updates_what))
    }

    fn asks_about_record(&self) -> bool {
        let Lexicon { seeks, polite_asks, looks_up, .. } = self.lexicon;
        let seeks = self.has(seeks) || self.not_arrived();
        let asks = if self.has(polite_asks) { self.has(looks_up) } else { self.is_question };
        let about = !self.subjects.is_empty() || self.has_id() || self.is_about_something_on_its_way();
        about && self.is_of_customer() && (seeks || asks)
    }

    /// "Do you offer appointments" is about somebody else's, "when are you coming for the visit" is not.
    fn is_of_customer(&self) -> bool {
        let Lexicon { mine, yours, articles, own, subjects, .. } = self.lexicon;
        if self.has_id() || self.has(mine) {
            return true;
        }
        let [.., visits] = subjects;
        let the_visit =
            |pair: &[String]| matches!(pair, [the, visit] if is_in(the, articles) && is_in(visit, visits));
        let is_visit = self.words.windows(2).any(the_visit);
        let is_general = self.has(yours) && !is_visit;
        !is_general && (self.has(own) || self.words.len() <= 3 || self.is_about_something_on_its_way())
    }

    /// "When will it arrive", without a word for what it is.
    fn is_about_something_on_its_way(&self) -> bool {
        let Lexicon { it, travels, on_its_way, asks, own, .. } = self.lexicon;
        let is_told = |word: &String| [*travels, on_its_way, asks, own].iter().any(|list| is_in(word, list));
        let is_it = if it.is_empty() { self.words.iter().all(is_told) } else { self.has(it) };
        self.words.len() <= 6 && is_it && self.has(travels) && self.has(on_its_way)
    }

    fn not_arrived(&self) -> bool {
        self.has(self.lexicon.missing) && self.has(self.lexicon.arrived)
    }

    /// The words that tell one request from another.
    fn about(&self) -> Vec<String> {
        let Lexicon { about, subjects, own, fillers, arrived, looks_up, .. } = self.lexicon;
        let from = self.words.iter().rposition(|word| is_in(word, about));
        let after = from.and_then(|from| self.words.get(from + 1..)).unwrap_or_default();
        let tells = |word: &&String| {
            let lists = subjects.iter().chain([own, fillers, arrived, looks_up]);
            word.chars().count() >= 3 && !lists.into_iter().any(|list| is_in(word, list))
        };
        after.iter().filter(tells).cloned().collect()
    }
}

/// The words of a sentence as they were written, and as they are compared; words that count as one are one.
fn words_of<'s>(sentence: &'s str, lexicon: &Lexicon) -> (Vec<&'s str>, Vec<String>) {
    let written = sentence.split(is_gap).map(trim_word).filter(|word| !word.is_empty());
    let words: Vec<(&str, String)> = written.map(|word| (word, plain(word))).collect();
    let parts: Vec<(&str, &str)> = words
        .iter()
        .flat_map(|(raw, plain)| lexicon.parts(plain).into_iter().map(move |part| (*raw, part)))
        .collect();
    let mut joined: (Vec<&str>, Vec<String>) = (vec![], vec![]);
    let plain: Vec<&str> = parts.iter().map(|(_, part)| *part).collect();
    let mut at = 0;
    while let (Some((raw, part)), Some(rest)) = (parts.get(at), plain.get(at..)) {
        let (word, count) = lexicon.phrase(rest).unwrap_or((part, 1));
        joined.0.push(raw);
        joined.1.push(word.to_owned());
        at += count;
    }
    joined
}

/// The days of which a sentence asks for opening hours; `None` where a word in it may make it another question.
fn days_of_hours(sentence: &str, lexicon: &Lexicon, places: &[String]) -> Option<Vec<Asked>> {
    let words = &lexicon.hours;
    let asks = |word: &String| is_in(word, words.names) || is_in(word, words.open);
    if !words_of(sentence, lexicon).1.iter().any(asks) {
        return None;
    }
    let (rest, mut days) = dates_of(sentence);
    let known = [
        words.names,
        words.open,
        words.fillers,
        lexicon.greetings,
        lexicon.thanks,
        words.weekend,
        words.working_days,
        words.every_day,
    ];
    for word in &words_of(&rest, lexicon).1 {
        let of_day = day_of(word, words);
        let is_known = known.iter().any(|list| is_in(word, list)) || places.contains(word);
        if of_day.is_none() && !is_known {
            return None;
        }
        days.extend(of_day);
        if is_in(word, words.weekend) {
            days.extend([Asked::Weekday(5), Asked::Weekday(6)]);
        }
    }
    Some(days)
}

/// The dates in a sentence, and the sentence without them.
fn dates_of(sentence: &str) -> (String, Vec<Asked>) {
    let (mut rest, mut days, mut from) = (String::new(), vec![], 0);
    for value in values::values(sentence).iter().filter(|value| value.kind == Kind::Date) {
        let Some(date) = hours::asked_date(&value.normal) else { continue };
        days.push(date);
        rest.push_str(sentence.get(from..value.start).unwrap_or_default());
        from = value.span().end;
    }
    rest.push_str(sentence.get(from..).unwrap_or_default());
    (rest, days)
}

fn day_of(word: &str, words: &super::lexicon::Hours) -> Option<Asked> {
    let ahead = words.days_ahead.iter().position(|list| is_in(word, list)).map(Asked::Ahead);
    ahead.or_else(|| words.weekdays.iter().position(|list| is_in(word, list)).map(Asked::Weekday))
}

fn is_gap(mark: char) -> bool {
    mark.is_whitespace() || matches!(mark, ',' | ';' | '(' | ')' | '"' | '“' | '”' | '!' | '?' | '？' | '…')
}

fn trim_word(word: &str) -> &str {
    word.trim_matches(|mark: char| !mark.is_alphanumeric() && mark != '#').trim_end_matches('#')
}

/// Whether a sentence is about a subject. `order` and the like count as nouns only: "can I order" is not about
/// an order.
fn is_about(words: &[String], subject: Subject, lexicon: &Lexicon) -> bool {
    let subjects = subject.of(&lexicon.subjects);
    words.iter().enumerate().any(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
        let is_verb = is_in(word, lexicon.verbs) && is_in(before, lexicon.before_verbs);
        let is_other = subject == Subject::Order && is_in(before, lexicon.before_others);
        is_in(word, subjects) && !is_verb && !is_other
    })
}

fn bare(id: &str) -> String {
    plain(id).trim_start_matches('#').to_owned()
}

fn is_id_of(word: &str, fact: &Fact) -> bool {
    word.trim_start_matches('#') == bare(&fact.id)
}

/// Whether a sentence names a fact: by an id that nothing else would be, or one that is introduced as an id.
fn names(fact: &Fact, sentence: &str, words: &[String], lexicon: &Lexicon) -> bool {
    if Subject::of_kind(&fact.kind).is_none() {
        return false;
    }
    let id = bare(&fact.id);
    if id.contains(' ') {
        return contains(&plain(sentence), &id);
    }
    let telling = id.chars().count() >= 3 && id.chars().any(|mark| mark.is_ascii_digit());
    words.iter().enumerate().any(|(at, word)| {
        word.trim_start_matches('#') == id && (telling || is_introduced(words, at, lexicon))
    })
}

fn is_introduced(words: &[String], at: usize, lexicon: &Lexicon) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
    let word = words.get(at).map_or("", String::as_str);
    word.starts_with('#') || is_in(before, lexicon.introduces)
}

/// Whether a word can only be meant as an id: `#W2611340`, `W2611340`, `order 12345`.
fn looks_like_id(words: &[String], at: usize, lexicon: &Lexicon) -> bool {
    let Some(word) = words.get(at) else { return false };
    let id = word.trim_start_matches('#');
    let digits = id.chars().filter(char::is_ascii_digit).count();
    let letters = id.chars().filter(|mark| mark.is_alphabetic()).count();
    let plain_mark = |mark: char| mark.is_alphanumeric() || matches!(mark, '-' | '_');
    if digits == 0 || !id.chars().all(plain_mark) || is_date(id) {
        return false;
    }
    let is_code = (1..=3).contains(&letters) && digits >= 4 && id.starts_with(char::is_alphabetic);
    word.starts_with('#') || is_code || is_introduced(words, at, lexicon) && digits >= 3
}

fn is_date(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    parts.len() == 3
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}
