//! What profile and facts say about a contact, so that nobody asks for it again.

use super::asking;
use crate::facts::Fact;
use crate::facts::inline::say_value;
use crate::facts::read::{field, is_closed, phrase, status};
use crate::text;
use serde_json::{Map, Value};
use std::fmt;

/// Something that a business asks its customers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// What they are called.
    Name,
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// Where they live, or where parcels go.
    Address,
    /// The number of the one order that is open.
    OrderNumber,
}

impl Field {
    /// Every one.
    pub const ALL: [Self; 5] = [Self::Name, Self::Email, Self::Phone, Self::Address, Self::OrderNumber];

    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Name => &["name", "fullname", "displayname", "firstname", "givenname"],
            Self::Email => &["email", "emailaddress", "mail"],
            Self::Phone => {
                &["phone", "phonenumber", "mobile", "mobilephone", "telephone", "tel", "cell", "cellphone"]
            }
            Self::Address => {
                &["address", "postaladdress", "homeaddress", "shippingaddress", "deliveryaddress", "street"]
            }
            Self::OrderNumber => &[],
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Name => "name",
            Self::Email => "e-mail",
            Self::Phone => "phone number",
            Self::Address => "address",
            Self::OrderNumber => "order number",
        })
    }
}

/// What the facts of a contact say, in one order.
pub fn known_fields(facts: &[Fact]) -> Vec<Field> {
    Field::ALL.into_iter().filter(|field| !values_of(*field, facts).is_empty()).collect()
}

/// What a reply asks the customer for although profile or facts say it.
///
/// Whoever names the value itself, or wants a new one, does not ask again.
pub fn asks_for_known(reply: &str, facts: &[Fact]) -> Option<Field> {
    Field::ALL.into_iter().find(|field| {
        let values = values_of(*field, facts);
        !values.is_empty() && asking::asks_for(reply, *field, &values)
    })
}

/// What the facts say of a field.
fn values_of(field: Field, facts: &[Fact]) -> Vec<String> {
    if field == Field::OrderNumber {
        return open_order(facts).into_iter().collect();
    }
    let people = facts.iter().filter(|fact| is_of_person(fact));
    people.filter_map(|fact| value_of(field, fact.data.as_object()?)).collect()
}

fn is_of_person(fact: &Fact) -> bool {
    matches!(fact.kind.as_str(), "profile" | "contact")
}

/// The field by any usual name, or `{"type": "email", "value": …}`.
fn value_of(of: Field, fields: &Map<String, Value>) -> Option<String> {
    let (_, value) = field(fields, of.names()).or_else(|| {
        let (_, kind) = field(fields, &["type", "kind", "channel"])?;
        let kind = kind.as_str()?.to_lowercase();
        of.names().contains(&kind.as_str()).then(|| field(fields, &["value"])).flatten()
    })?;
    Some(say_value(value, 200)).filter(|said| !said.is_empty())
}

/// The number of the one order that is neither closed nor delivered.
fn open_order(facts: &[Fact]) -> Option<String> {
    let is_delivered = |fact: &Fact| status(fact).is_some_and(|status| super::answer::is_delivered(&status));
    let mut open =
        facts.iter().filter(|fact| fact.kind == "order" && !is_closed(fact) && !is_delivered(fact));
    let only = open.next().filter(|_| open.next().is_none())?;
    Some(only.id.clone())
}

/// The longest name that anybody is greeted by.
const NAME_CHARS: usize = 60;
/// What account systems write where they know no name.
const NO_NAMES: [&str; 6] = ["unknown", "guest", "customer", "anonymous", "none", "null"];

/// What to call a contact by: the given name if the profile has one apart, or the `whole` name.
pub(super) fn name(facts: &[Fact], whole: bool) -> Option<String> {
    let people = ["profile", "contact"].into_iter();
    let mut people = people.flat_map(|kind| facts.iter().filter(move |fact| fact.kind == kind));
    people.find_map(|fact| name_in(fact, whole)).filter(|name| is_name(name))
}

fn name_in(fact: &Fact, whole: bool) -> Option<String> {
    let fields = fact.data.as_object()?;
    let parts = field(fields, &["name"]).and_then(|(_, name)| name.as_object()).unwrap_or(fields);
    let said = |names: &[&str]| field(parts, names).and_then(|(_, name)| phrase(name, NAME_CHARS));
    match (said(&["firstname", "givenname"]), said(&["lastname", "familyname", "surname"])) {
        (Some(given), Some(family)) if whole => Some(format!("{given} {family}")),
        (Some(given), _) => Some(given),
        (None, _) => said(&["name", "fullname", "displayname"]),
    }
}

pub(super) fn is_name(name: &str) -> bool {
    let is_of_name = |mark: char| mark.is_alphabetic() || matches!(mark, ' ' | '-' | '\'' | '’' | '.');
    name.chars().any(char::is_alphabetic)
        && name.chars().all(is_of_name)
        && text::chars(name) <= NAME_CHARS
        && !NO_NAMES.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::AsOf;
    use crate::rules::table::Table;
    use crate::time::Timestamp;
    use serde_json::json;

    fn fact(kind: &str, id: &str, data: Value) -> Fact {
        let as_of = AsOf::from(Timestamp::from_millis(1_796_032_800_000));
        Fact { kind: kind.into(), id: id.into(), as_of, source: "shop".into(), data }
    }

    fn account() -> Vec<Fact> {
        let name = json!({ "first_name": "Mia", "last_name": "Li" });
        vec![
            fact(
                "profile",
                "p",
                json!({ "name": name, "address": { "address1": "12 River Road", "city": "Porto" } }),
            ),
            fact("contact", "c", json!({ "email": "mia@example.com", "phone": "+351 555 010 42" })),
            fact("order", "#W1", json!({ "status": "delivered" })),
            fact("order", "#W2", json!({ "status": "processing" })),
        ]
    }

    #[test]
    fn profile_and_facts_say_what_is_known() {
        use Field::{Address, Email, Name, OrderNumber, Phone};
        assert_eq!(known_fields(&account()), [Name, Email, Phone, Address, OrderNumber]);
        assert_eq!(known_fields(&[]), []);
        for (data, known) in [
            (json!({ "full_name": "Ana" }), &[Name][..]),
            (json!({ "type": "email", "value": "ana@example.com" }), &[Email]),
            (json!({ "type": "fax", "value": "1" }), &[]),
            (json!({ "email": "", "phone": null }), &[]),
        ] {
            assert_eq!(known_fields(&[fact("contact", "c", data.clone())]), known, "{data}");
        }
        let two = [fact("order", "1", json!({})), fact("order", "2", json!({ "status": "shipped" }))];
        assert_eq!(known_fields(&two), [], "nobody knows which of two is meant");
        assert_eq!(known_fields(&[fact("order", "1", json!({ "status": "cancelled" }))]), []);
    }

    #[test]
    fn a_contact_is_called_by_the_name_that_the_profile_says() {
        for (data, given, whole) in [
            (json!({ "name": { "first_name": "Mia", "last_name": "Li" } }), Some("Mia"), Some("Mia Li")),
            (json!({ "firstName": "Mia", "lastName": "Li" }), Some("Mia"), Some("Mia Li")),
            (json!({ "name": "Ana Souza" }), Some("Ana Souza"), Some("Ana Souza")),
            (
                json!({ "name": "Conceição O’Neill-Díaz" }),
                Some("Conceição O’Neill-Díaz"),
                Some("Conceição O’Neill-Díaz"),
            ),
            (json!({ "name": "王伟" }), Some("王伟"), Some("王伟")),
            (json!({ "name": "https://example.com" }), None, None),
            (json!({ "name": "Guest" }), None, None),
            (json!({ "name": "N/A" }), None, None),
            (json!({ "name": "A".repeat(61) }), None, None),
            (json!({ "name": [1] }), None, None),
            (json!({}), None, None),
        ] {
            let facts = [fact("profile", "p", data.clone())];
            assert_eq!(name(&facts, false).as_deref(), given, "{data}");
            assert_eq!(name(&facts, true).as_deref(), whole, "{data}");
        }
    }

    #[test]
    fn who_asks_for_what_is_known_is_found_out() {
        let mut table = Table::default();
        use Field::{Address, Email, Name, OrderNumber, Phone};
        for (field, replies) in [
            (
                Email,
                &[
                    "Could you share your e-mail?",
                    "Sure, I can look that up. Please provide your email address.",
                    "What's your e-mail address?",
                    "May I have your email, please?",
                    "I just need your e-mail address to go on.",
                    "Would you mind telling me your e-mail address?",
                    "¿Podría facilitarme su correo electrónico?",
                    "¿Cuál es su dirección de correo electrónico?",
                    "Könnten Sie mir bitte Ihre E-Mail-Adresse nennen?",
                    "Wie lautet Ihre E-Mail-Adresse?",
                    "Pourriez-vous me communiquer votre adresse e-mail ?",
                    "Quelle est votre adresse mail ?",
                ][..],
            ),
            (
                Name,
                &[
                    "Can I have your full name?",
                    "What is your name?",
                    "Please tell me your name and e-mail address.",
                    "¿Me dice su nombre completo?",
                    "¿Cómo se llama usted?",
                    "Darf ich Ihren Namen erfahren?",
                    "Wie heißen Sie?",
                    "Comment vous appelez-vous ?",
                    "Merci de m'indiquer votre nom.",
                ],
            ),
            (
                Phone,
                &[
                    "Could you give us your phone number?",
                    "Necesitamos su número de teléfono.",
                    "Bitte teilen Sie uns Ihre Telefonnummer mit.",
                    "J'aurais besoin de votre numéro de téléphone.",
                ],
            ),
            (
                Address,
                &[
                    "Please confirm your delivery address.",
                    "Indíqueme su dirección de entrega, por favor.",
                    "Nennen Sie mir bitte Ihre Lieferadresse.",
                    "Veuillez préciser votre adresse de livraison.",
                ],
            ),
            (
                OrderNumber,
                &[
                    "Could you send me the order number?",
                    "What is your order number?",
                    "Let me know your order number and I will check.",
                    "¿Puede indicarme el número de pedido?",
                    "Ich benötige noch Ihre Bestellnummer.",
                    "Pouvez-vous me donner votre numéro de commande ?",
                ],
            ),
        ] {
            for reply in replies {
                table.row(reply, asks_for_known(reply, &account()), Some(field));
                assert_eq!(asks_for_known(reply, &[]), None, "nothing is known: {reply}");
            }
        }
        table.end();
    }

    #[test]
    fn who_only_speaks_of_it_does_not_ask() {
        let mut table = Table::default();
        for reply in [
            "I will send it to your e-mail.",
            "Please check your e-mail for the label.",
            "Please send us an email with a photo.",
            "We have your e-mail address and your phone number on file.",
            "Is mia@example.com still your e-mail address?",
            "Could you confirm your e-mail address, mia@example.com?",
            "Could you share your new address?",
            "Which other phone number should we use?",
            "Could you confirm whether the parcel is at your address?",
            "What is the name of the product?",
            "I do not need your order number, I have it.",
            "Your order number is #W2.",
            "The technician will call your phone number before he comes.",
            "Could you tell me which of the two lamps you mean?",
            "Could you describe the damage?",
            "Le enviamos un correo electrónico con los detalles.",
            "Su número de pedido es #W2.",
            "No necesito su número de pedido.",
            "¿Podría indicarme su nueva dirección?",
            "Wir haben Ihnen eine E-Mail geschickt.",
            "Könnten Sie in Ihrer E-Mail nachsehen?",
            "Ihre Bestellnummer brauche ich nicht.",
            "Sie brauchen Ihre Bestellnummer nicht.",
            "Nennen Sie mir bitte Ihre neue Adresse.",
            "Nous avons envoyé un e-mail à votre adresse.",
            "Je n'ai pas besoin de votre numéro de commande.",
            "Pourriez-vous indiquer votre nouvelle adresse ?",
            "",
        ] {
            table.row(reply, asks_for_known(reply, &account()), None);
        }
        table.end();
    }
}
