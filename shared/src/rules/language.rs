//! The languages that the rules answer in, and how they tell which one somebody writes.

use super::lexicon::{ENGLISH, FRENCH, GERMAN, Lexicon, List, SPANISH, is_in};
use super::templates::{self, Templates};
use super::words::plain;
use crate::summary;
use crate::text;
use whatlang::{Lang, Script};

/// A language with a lexicon and templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// English, which also stands in where nothing tells a language.
    #[default]
    English,
    /// Spanish.
    Spanish,
    /// German.
    German,
    /// French.
    French,
}

/// What a text is written in, where it can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// A language of ours.
    In(Language),
    /// Another one.
    Elsewhere,
}

/// Of a text so much is looked at.
const CHARS: usize = 1_000;
/// Words of a short text say more than its letters; from this many letters on, letters are worth asking.
const LETTERS: usize = 24;
/// One known word in so many is no accident.
const ONE_IN: usize = 5;

/// Frequent words of languages that are easily taken for one of ours.
const NEIGHBOURS: [&str; 7] = [
    // Portuguese
    "o os a as um uma e de do da dos das em no na nos nas que meu minha meus minhas seu sua esta onde quando como qual \
     quanto por para nao ja foi tem tenho posso pode quero gostaria ola oi obrigado obrigada bom boa dia tarde noite \
     pedido pedidos encomenda pacote entrega chega chegou voce voces aberto aberta abertos hoje amanha segunda terca \
     quarta quinta sexta sabado domingo horario horarios funcionamento preciso",
    // Italian
    "il lo la i gli le un una e di del della in che mio mia miei mie suo sua sono dov dove quando come quale quanto per \
     con non gia ha ho hai hanno posso puo vorrei ciao buongiorno buonasera grazie ordine ordini pacco spedizione \
     consegna appuntamento richiesta arriva arrivato aperto aperti aperta oggi domani orari apertura lunedi martedi \
     mercoledi giovedi venerdi sabato domenica siete qual quali",
    // Dutch
    "de het een en van ik je jij u uw mijn is zijn was waar wanneer hoe wat wie waarom welke kan kunt heb heeft hebben \
     wordt niet geen nog al te met voor op in aan bij alstublieft dank bedankt goedemorgen goedendag bestelling \
     pakket levering afspraak verzoek open geopend openingstijden vandaag morgen maandag dinsdag woensdag donderdag \
     vrijdag zaterdag zondag wij we jullie komt",
    // Danish, Norwegian, Swedish
    "hvor hvornar er min mit mine har jeg vi det den en et og ikke til med i pa var nar ar jag inte hej tak tack kan du \
     bestilling bestallning pakke paket ordre order idag imorgen aben oppet hvad vad",
    // Polish
    "gdzie jest moje moj moja zamowienie kiedy czy nie w na do to i z sie prosze dzien dobry dziekuje paczka paczki \
     przesylka jak co otwarte otwarci jutro dzis dzisiaj",
    // Romanian
    "unde este comanda mea cand ajunge buna ziua multumesc sunt si va rog pachetul nu la o un in pe de ce deschis",
    // Catalan
    "on es la el meva meu comanda quan arriba bon dia gracies si us plau paquet obert oberts que no a de amb",
];

impl Language {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::English, Self::Spanish, Self::German, Self::French];

    /// The language that a conversation is held in: that of the newest text which tells one, else the one that the
    /// first line of the history names, else English. `None`: one without templates.
    pub fn spoken<'t>(newest_first: impl IntoIterator<Item = &'t str>, history: &str) -> Option<Self> {
        let told = newest_first.into_iter().find_map(Told::of);
        match told.or_else(|| summary::language(history).map(Told::named)) {
            Some(Told::In(language)) => Some(language),
            Some(Told::Elsewhere) => None,
            None => Some(Self::English),
        }
    }

    pub(super) const fn lexicon(self) -> &'static Lexicon {
        match self {
            Self::English => &ENGLISH,
            Self::Spanish => &SPANISH,
            Self::German => &GERMAN,
            Self::French => &FRENCH,
        }
    }

    pub(super) const fn templates(self) -> &'static Templates {
        match self {
            Self::English => &templates::ENGLISH,
            Self::Spanish => &templates::SPANISH,
            Self::German => &templates::GERMAN,
            Self::French => &templates::FRENCH,
        }
    }

    const fn lang(self) -> Lang {
        match self {
            Self::English => Lang::Eng,
            Self::Spanish => Lang::Spa,
            Self::German => Lang::Deu,
            Self::French => Lang::Fra,
        }
    }
}

impl Told {
    /// What a text is written in: by its words, and by its letters where those say too little.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text::head(text, CHARS);
        by_words(text).or_else(|| by_letters(text))
    }

    fn named(name: &str) -> Self {
        let named = Language::ALL.into_iter().find(|language| language.lang().eng_name() == name);
        named.map_or(Self::Elsewhere, Self::In)
    }
}

/// The language that knows more of the words than any other.
fn by_words(text: &str) -> Option<Told> {
    let plain = plain(text);
    let is_word = |word: &&str| !word.is_empty() && word.chars().all(char::is_alphabetic);
    let words: Vec<&str> = plain.split(|mark: char| !mark.is_alphanumeric()).filter(is_word).collect();
    let known =
        |lists: &[List]| words.iter().filter(|word| lists.iter().any(|list| is_in(word, list))).count();
    let ours = Language::ALL.map(|language| (known(&language.lexicon().telling()), Told::In(language)));
    let neighbours = NEIGHBOURS.map(|list| (known(&[list]), Told::Elsewhere));
    let mut all: Vec<(usize, Told)> = ours.into_iter().chain(neighbours).collect();
    all.sort_by_key(|(known, _)| std::cmp::Reverse(*known));
    let [(most, told), (next, _), ..] = all.as_slice() else { return None };
    (most > next && most * ONE_IN >= words.len()).then_some(*told)
}

fn by_letters(text: &str) -> Option<Told> {
    if whatlang::detect_script(text).is_some_and(|script| script != Script::Latin) {
        return Some(Told::Elsewhere);
    }
    if text.chars().filter(|mark| mark.is_alphabetic()).count() < LETTERS {
        return None;
    }
    let info = whatlang::detect(text).filter(whatlang::Info::is_reliable)?;
    Some(Told::named(info.lang().eng_name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::table::Table;

    #[test]
    fn a_short_question_tells_its_language_by_its_words() {
        let mut table = Table::default();
        for (language, texts) in [
            (
                Language::English,
                &[
                    "Where is my order #W2611340?",
                    "order status",
                    "Thanks!",
                    "Are you open tomorrow?",
                    "has it shipped",
                    "want help leaving a comment",
                    "I am at Rua da Alegria 12, Porto. When does the technician arrive?",
                ][..],
            ),
            (
                Language::Spanish,
                &[
                    "¿Dónde está mi pedido?",
                    "donde esta mi pedido",
                    "Hola",
                    "gracias",
                    "¿Abren mañana?",
                    "estado del pedido W2611340",
                    "necesito saber cuando llega",
                    "Buenos días, ¿a qué hora es mi cita?",
                    "Hello, hablan español?",
                ],
            ),
            (
                Language::German,
                &[
                    "wo ist meine Bestellung",
                    "Bestellstatus?",
                    "Hallo",
                    "Vielen Dank",
                    "Haben Sie morgen geöffnet?",
                    "Wann kommt der Techniker?",
                    "was ist mit meinem Paket los",
                ],
            ),
            (
                Language::French,
                &[
                    "où est ma commande ?",
                    "ou est ma commande",
                    "Bonjour",
                    "Merci !",
                    "Êtes-vous ouverts demain ?",
                    "Mon colis n'est pas arrivé",
                    "merci bcp",
                    "C'est quand, mon rendez-vous ?",
                ],
            ),
        ] {
            for text in texts {
                table.row(text, Told::of(text), Some(Told::In(language)));
            }
        }
        table.end();
    }

    #[test]
    fn a_language_that_is_none_of_ours_is_not_taken_for_one() {
        let mut table = Table::default();
        for text in [
            "Onde está o meu pedido?",
            "onde esta meu pedido",
            "Quando chega a minha encomenda?",
            "Vocês estão abertos amanhã?",
            "Dov'è il mio ordine?",
            "Waar is mijn bestelling?",
            "Hvor er min pakke?",
            "Gdzie jest moje zamówienie?",
            "Unde este comanda mea?",
            "On és la meva comanda?",
            "Где мой заказ?",
            "注文はどこ",
            "Szeretném megtudni, hogy hol van most a rendelésem, mert már két hete várok rá, és senki sem válaszol nekem.",
        ] {
            table.row(text, Told::of(text), Some(Told::Elsewhere));
        }
        table.end();
    }

    #[test]
    fn what_tells_no_language_tells_none() {
        let mut table = Table::default();
        for text in ["", "?", "ok", "hi", "#W2611340", "status", "pedido", "asdf", "👍", "Ana Souza"] {
            table.row(text, Told::of(text), None);
        }
        table.end();
    }

    #[test]
    fn the_newest_text_that_tells_counts_then_the_history_then_english() {
        let german = "Language: German\nSie kam.";
        for (texts, history, spoken) in [
            (&["Wo ist mein Paket?", "Where is my parcel?"][..], "", Some(Language::German)),
            (&["#W1", "ok", "¿Dónde está mi paquete?"], german, Some(Language::Spanish)),
            (&["#W1", "Onde está o meu pedido?", "where is it"], german, None),
            (&["#W1"], german, Some(Language::German)),
            (&["#W1"], "Language: Portuguese\nEla chega.", None),
            (&["#W1"], "Language: unknown\nShe comes.", Some(Language::English)),
            (&["#W1"], "", Some(Language::English)),
            (&[], "", Some(Language::English)),
        ] {
            assert_eq!(Language::spoken(texts.iter().copied(), history), spoken, "{texts:?} {history}");
        }
    }
}
