//! Words that hold sentences together: they say little about what a question is about.

use whatlang::Lang;

/// Whether a word, in lower case, is one of them in this language. What follows an apostrophe does not matter.
pub(super) fn is_one(word: &str, language: Option<Lang>) -> bool {
    let word = word.split(['\'', '’']).next().unwrap_or(word);
    of(language).split_ascii_whitespace().any(|known| known == word)
}

fn of(language: Option<Lang>) -> &'static str {
    match language {
        Some(Lang::Eng) => ENGLISH,
        Some(Lang::Deu) => GERMAN,
        Some(Lang::Spa) => SPANISH,
        Some(Lang::Fra) => FRENCH,
        Some(Lang::Por) => PORTUGUESE,
        _ => "",
    }
}

const ENGLISH: &str = "
    a about again all also am an and any anybody anyone anything are as assist assistance at be been being but by
    can could d did didn do does doesn doing don done for from get gonna got gotta had has have haven having he hello
    help helping her here hey hi him his how i if im in into is isn it its just kindly know let like ll m may me
    might mine must my myself need needed needs no not now of on one or other our out over please really s she should
    so some somebody someone something such t than thank thanks that the their them then there these they this
    those to too trying try u up ur us ve very wanna want wanted wants was wasn way we were what when where which
    who why will with won would wouldn yes you your yours";

const GERMAN: &str = "
    aber alle als also am an auch auf aus bei bin bis bitte brauche da danke das dass dein deine dem den der des dich
    die dies diese diesen dieser dieses dir doch du ein eine einem einen einer eines er es etwas für gern gerne guten
    haben hab habe habt hallo hat hatte hätte helfen hier hilfe ich ihm ihn ihnen ihr ihre im in ist ja jetzt kann
    kein keine können könnte könnten man mein meine meinem meinen meiner mich mir mit möchte muss nach nein nicht noch
    nun nur ob oder schon sehr sein sich sie sind so soll tag um und uns unser unsere vom von vor war was weil welche
    welcher wenn wer werden wie will wir wird wo würde zu zum zur";

const SPANISH: &str = "
    a al algo alguien algún alguna ayuda ayudar buenas buenos como cómo con cual cuál cuando cuándo de del desde donde
    dónde el ella ellos en era eres es esa ese eso esta está están estas este esto estos estoy favor fue gracias ha
    han hasta hay he hola la las le les lo los me mi mis muy necesito ni no nos nuestra nuestro o os para pero por
    porque puede pueden puedo que qué quería querría quien quién quiere quiero sé se ser si sí sin sobre son soy su
    sus también te tener tengo tiene tu tus un una unas uno unos usted ustedes y ya yo";

const FRENCH: &str = "
    à ai aide aider alors as au aucun aucune aussi aux avec avez avoir avons besoin bonjour ça ce cela ces cet cette
    comment d dans de des dois du elle en es est et été être eu faut il ils j je l la le les leur lui m ma mais me
    merci mes moi mon n ne non nos notre nous on ont ou où oui par pas peut peux plaît pour pouvez pourquoi pourrais
    puis qu quand que quel quelle quelque quelqu qui quoi s sa sans savoir se ses si son sont suis sur svp ta te tes
    toi ton tu un une veux voudrais vos votre vous y";

const PORTUGUESE: &str = "
    a ajuda ajudar algo alguém algum alguma ao aos as até boa bom com como da das de dela dele do dos e é ela ele em
    era essa esse esta está estão estas este estou eu favor foi gostaria há isso isto já lhe mais mas me meu meus
    minha minhas muito na não nas nem no nos nós nossa nosso num numa o obrigada obrigado olá onde os ou para pela
    pelo pode podem por porque posso preciso qual quando que quem quero se sem ser seu seus sim são sobre sou sua suas
    também te tem tenho um uma você vocês";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_word_is_one_in_its_language_only() {
        assert!(
            is_one("the", Some(Lang::Eng))
                && is_one("don't", Some(Lang::Eng))
                && is_one("i’d", Some(Lang::Eng))
        );
        assert!(is_one("die", Some(Lang::Deu)) && !is_one("die", Some(Lang::Eng)));
        assert!(!is_one("order", Some(Lang::Eng)) && !is_one("the", None));
    }
}
