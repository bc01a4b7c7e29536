//! The words by which customers are understood: one table for each language, read by one logic.
//!
//! A list is words between white space, in the form of [`plain`](super::words::plain). `cancel*` stands for every
//! word that begins so; `por_favor` for the words "por favor" in a row, which then count as one.

mod de;
mod en;
mod es;
mod fr;

pub(super) use de::GERMAN;
pub(super) use en::ENGLISH;
pub(super) use es::SPANISH;
pub(super) use fr::FRENCH;

/// A list of words.
pub(super) type List = &'static str;

/// What one language has for the things that customers say.
pub(super) struct Lexicon {
    /// Frequent words, by which the language is told besides those of its subjects. Apostrophes and hyphens separate words here.
    pub(super) marks: List,
    /// Words in a row that count as one.
    pub(super) phrases: List,
    /// What stands before an apostrophe in two words written as one: `l` of "l'état". Hyphens separate them too.
    pub(super) elided: List,

    /// Orders, requests, appointments.
    pub(super) subjects: [List; 3],
    /// Words of subjects that may be verbs, and the words after which they are.
    pub(super) verbs: List,
    pub(super) before_verbs: List,
    /// Words after which an order is another kind of order.
    pub(super) before_others: List,
    /// Words that introduce an id.
    pub(super) introduces: List,

    pub(super) greetings: List,
    pub(super) thanks: List,
    pub(super) agrees: List,
    /// What else may stand in a polite sentence.
    pub(super) fillers: List,

    /// First words of a question.
    pub(super) asks: List,
    /// What is only asked about something that is followed.
    pub(super) seeks: List,
    /// Words of the customer's own.
    pub(super) mine: List,
    /// Words that make a question one about the business.
    pub(super) yours: List,
    pub(super) articles: List,
    /// Short words that do not tell one record from another.
    pub(super) own: List,
    /// "When will it arrive": what arrives, its verbs, and the words that ask. Where `it` is empty nothing but these
    /// and short words may stand in the sentence.
    pub(super) it: List,
    pub(super) travels: List,
    pub(super) on_its_way: List,
    pub(super) missing: List,
    pub(super) arrived: List,
    pub(super) when: List,
    pub(super) what: List,
    pub(super) contents: List,
    /// Words before what a request is about.
    pub(super) about: List,

    /// Words of what only people can do, or of what no record says.
    pub(super) actions: List,
    pub(super) wishes: List,
    pub(super) finds_out: List,
    pub(super) polite_asks: List,
    pub(super) looks_up: List,
    pub(super) how: List,
    /// Words after "how" that ask for no action, and those that do.
    pub(super) how_goes: List,
    pub(super) how_to: List,
    /// "Update my": a word that is an action before another.
    pub(super) updates: List,
    pub(super) updates_what: List,

    pub(super) hours: Hours,
}

/// The words for opening hours.
pub(super) struct Hours {
    pub(super) names: List,
    pub(super) open: List,
    /// What else may stand in such a question.
    pub(super) fillers: List,
    /// Today, tomorrow, the day after.
    pub(super) days_ahead: [List; 3],
    /// From Monday.
    pub(super) weekdays: [List; 7],
    /// The same in records, where a short word can be nothing else.
    pub(super) short_weekdays: [List; 7],
    pub(super) weekend: List,
    /// Monday to Friday; every day.
    pub(super) working_days: List,
    pub(super) every_day: List,
    /// "Monday to Friday": the word between.
    pub(super) to: List,
    /// What a record says of a day on which nobody is there.
    pub(super) closed: List,
}

/// Whether a word is in a list.
pub(super) fn is_in(word: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| match listed.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => listed == word,
    })
}

impl Lexicon {
    /// The lists by which the language is told.
    pub(super) const fn telling(&self) -> [List; 8] {
        let [order, request, appointment] = self.subjects;
        let Hours { names, open, .. } = &self.hours;
        [self.marks, order, request, appointment, self.greetings, self.thanks, names, open]
    }

    /// The words of a piece of text without white space, itself in most languages: `l'état` is `l` and `état`.
    pub(super) fn parts<'w>(&self, word: &'w str) -> Vec<&'w str> {
        if self.elided.is_empty() || word.chars().any(|mark| mark.is_ascii_digit()) {
            return vec![word];
        }
        let mut parts = vec![];
        for mut part in word.split('-').filter(|part| !part.is_empty()) {
            while let Some((before, after)) = part.split_once('\'')
                && is_in(before, self.elided)
            {
                parts.push(before);
                part = after;
            }
            parts.push(part);
        }
        parts
    }

    /// The phrase that begins with the first of these words, and how many of them it takes.
    pub(super) fn phrase(&self, words: &[&str]) -> Option<(&'static str, usize)> {
        let begins = |phrase: &&str| {
            let mut rest = words.iter();
            phrase.split('_').all(|part| rest.next() == Some(&part))
        };
        let phrase =
            self.phrases.split_ascii_whitespace().filter(begins).max_by_key(|phrase| phrase.len())?;
        Some((phrase, phrase.split('_').count()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::language::Language;
    use crate::rules::words::plain;

    impl Lexicon {
        /// Every list, so that a test can look at all of them.
        fn lists(&self) -> Vec<List> {
            let Self { marks, phrases: _, elided, subjects, verbs, before_verbs, before_others, .. } = self;
            let Self { introduces, greetings, thanks, agrees, fillers, asks, seeks, mine, yours, .. } = self;
            let Self { articles, own, it, travels, on_its_way, missing, arrived, when, what, .. } = self;
            let Self { contents, about, actions, wishes, finds_out, polite_asks, looks_up, how, .. } = self;
            let Self { how_goes, how_to, updates, updates_what, hours, .. } = self;
            let Hours { names, open, days_ahead, weekdays, short_weekdays, weekend, .. } = hours;
            let Hours { working_days, every_day, to, closed, fillers: of_hours, .. } = hours;
            let one = [
                marks,
                elided,
                verbs,
                before_verbs,
                before_others,
                introduces,
                greetings,
                thanks,
                agrees,
                fillers,
                asks,
                seeks,
                mine,
                yours,
                articles,
                own,
                it,
                travels,
                on_its_way,
                missing,
                arrived,
                when,
                what,
                contents,
                about,
                actions,
                wishes,
                finds_out,
                polite_asks,
                looks_up,
                how,
                how_goes,
                how_to,
                updates,
                updates_what,
                names,
                open,
                of_hours,
                weekend,
                working_days,
                every_day,
                to,
                closed,
            ];
            one.into_iter()
                .chain(subjects)
                .chain(days_ahead)
                .chain(weekdays)
                .chain(short_weekdays)
                .copied()
                .collect()
        }
    }

    #[test]
    fn every_listed_word_can_be_heard() {
        for language in Language::ALL {
            let lexicon = language.lexicon();
            for word in lexicon.lists().into_iter().flat_map(str::split_whitespace) {
                let bare = word.strip_suffix('*').unwrap_or(word);
                assert_eq!(plain(bare), bare, "{language:?}: not in plain form");
                let is_phrase = !bare.contains('_') || is_in(bare, lexicon.phrases);
                assert!(is_phrase, "{language:?}: {bare} is not among the phrases");
            }
        }
    }

    #[test]
    fn a_star_stands_for_the_rest_of_a_word() {
        assert!(is_in("cancelar", "x cancel*") && is_in("cancel", "cancel*") && !is_in("cancelar", "cancel"));
    }

    #[test]
    fn words_written_as_one_are_taken_apart_where_the_language_does_so() {
        assert_eq!(FRENCH.parts("n'est-il"), ["n", "est", "il"]);
        assert_eq!(FRENCH.parts("jusqu'a"), ["jusqu", "a"]);
        assert_eq!(FRENCH.parts("aujourd'hui"), ["aujourd'hui"]);
        assert_eq!(FRENCH.parts("hm-209"), ["hm-209"]);
        assert_eq!(ENGLISH.parts("check-in"), ["check-in"]);
        assert_eq!(FRENCH.phrase(&["rendez", "vous", "demain"]), Some(("rendez_vous", 2)));
    }
}
