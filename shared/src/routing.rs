//! Routing: which team is told of which cases, how, and who is next where nobody takes one in time.
//!
//! It is configuration of the deployment, the environment variable `ROUTING`:
//!
//! ```json
//! {"teams": {"billing": {"webhook": "https://example.com/hook", "secret": "whsec_…"},
//!            "front": {"slack": "https://hooks.slack.com/services/…"},
//!            "lead": {"email": "lead@example.com"}},
//!  "routes": {"policy_restriction": {"team": "billing", "priority": "high", "take_minutes": 15, "then": ["lead"]},
//!             "default": {"team": "front"}}}
//! ```

#[cfg(test)]
mod tests;

use crate::case::{Category, Priority};
use crate::text;
use crate::time::Timestamp;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::SecretSlice;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use url::Url;

/// Bytes of the whole: a function's environment has 4 KB, and other variables stand in it.
pub const ROUTING_BYTES: usize = 2_500;
/// Teams.
pub const TEAMS: usize = 20;
/// Characters of a team's name.
pub const TEAM_CHARS: usize = 40;
/// Teams that a case is passed on to, one after the other.
pub const THEN: usize = 5;
/// Minutes that a team may have to take a case: a day.
pub const TAKE_MINUTES: u64 = 1_440;
/// Characters of a URL.
pub const URL_CHARS: usize = 1_000;
/// Characters of an e-mail address.
pub const EMAIL_CHARS: usize = 254;
/// Bytes of a webhook's secret, as the Standard Webhooks want it.
pub const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// The route of every category that has none of its own.
const DEFAULT: &str = "default";
const SECRET_PREFIX: &str = "whsec_";

/// Who is told of which cases; nobody of none, by default.
#[derive(Debug, Default)]
pub struct Routing {
    teams: BTreeMap<String, Target>,
    routes: BTreeMap<&'static str, Route>,
}

/// What happens to a new case of one category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The team that it is for.
    pub team: String,
    /// How soon it wants a person.
    pub priority: Priority,
    /// What each team has to take it, counted from its opening, one after the other; without it nobody watches.
    pub take: Option<Duration>,
    /// The teams that it is passed on to.
    pub then: Vec<String>,
}

/// How a team is told. `Debug` shows no address and no secret: whoever knows one can write there.
pub enum Target {
    /// Signed JSON, as the Standard Webhooks have it.
    Webhook {
        /// Where it goes.
        url: Url,
        /// What it is signed with.
        secret: SecretSlice<u8>,
    },
    /// An incoming webhook of Slack.
    Slack {
        /// Where it goes.
        url: Url,
    },
    /// A mail.
    Email {
        /// To whom.
        to: String,
    },
}

/// What is wrong with a routing. It names the place, and never shows a value of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} {problem}")]
pub struct RoutingError {
    /// Where, such as `teams.billing.webhook`.
    pub place: String,
    /// What.
    pub problem: String,
}

impl Routing {
    /// Reads a routing.
    ///
    /// # Errors
    /// It is no JSON object, or something in it is unknown, missing, out of bounds, or names a team that is not there.
    pub fn parse(given: &str) -> Result<Self, RoutingError> {
        if given.len() > ROUTING_BYTES {
            return Err(wrong(
                "it",
                format!("must have at most {ROUTING_BYTES} bytes; it has {}", given.len()),
            ));
        }
        let json: Value = serde_json::from_str(given).map_err(|error| {
            wrong("it", format!("must be JSON (line {}, column {})", error.line(), error.column()))
        })?;
        let mut fields = Fields::of("", json)?;
        let teams = teams(fields.take("teams"))?;
        let routes = routes(fields.take("routes"), &teams)?;
        fields.end()?;
        Ok(Self { teams, routes })
    }

    /// What happens to a new case of this category; `None` where nobody is told.
    pub fn route(&self, category: Category) -> Option<&Route> {
        self.routes.get(category.code()).or_else(|| self.routes.get(DEFAULT))
    }

    /// How a team is told.
    pub fn target(&self, team: &str) -> Option<&Target> {
        self.teams.get(team)
    }

    /// Whether some team is told by e-mail.
    pub fn sends_email(&self) -> bool {
        self.teams.values().any(|target| matches!(target, Target::Email { .. }))
    }
}

impl Route {
    /// The team at a step: 0 is the first; `None` behind the last.
    pub fn team_at(&self, step: u32) -> Option<&str> {
        let teams = std::iter::once(&self.team).chain(&self.then);
        teams.map(String::as_str).nth(usize::try_from(step).ok()?)
    }

    /// When a step's time is over.
    pub fn due(&self, opened_at: Timestamp, step: u32) -> Option<Timestamp> {
        Some(opened_at + self.take?.saturating_mul(step.saturating_add(1)))
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Webhook { .. } => "webhook",
            Self::Slack { .. } => "slack",
            Self::Email { .. } => "email",
        })
    }
}

/// An e-mail address as it can be written to: ASCII, without a name beside it.
pub fn is_email(address: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>()[],;:\"\\".contains(c);
    let Some((local, domain)) = address.split_once('@') else { return false };
    address.len() <= EMAIL_CHARS
        && address.chars().all(is_plain)
        && !local.is_empty()
        && domain.contains('.')
        && !domain.contains('@')
        && domain.split('.').all(|part| !part.is_empty())
}

fn teams(given: Option<Value>) -> Result<BTreeMap<String, Target>, RoutingError> {
    let Some(given) = given else { return Ok(BTreeMap::new()) };
    let given = Fields::of("teams", given)?.rest();
    if given.len() > TEAMS {
        return Err(wrong("teams", format!("must have at most {TEAMS}; it has {}", given.len())));
    }
    given.into_iter().map(|(name, target)| Ok((name.clone(), self::target(&name, target)?))).collect()
}

fn target(name: &str, given: Value) -> Result<Target, RoutingError> {
    let is_name = (1..=TEAM_CHARS).contains(&text::chars(name)) && !name.contains(char::is_control);
    if !is_name || name.trim() != name {
        return Err(wrong("teams", format!("must have names of 1 to {TEAM_CHARS} characters in one line")));
    }
    let mut fields = Fields::of(&format!("teams.{name}"), given)?;
    let (webhook, secret) = (fields.text("webhook")?, fields.text("secret")?);
    let (slack, email) = (fields.text("slack")?, fields.text("email")?);
    let place = |field: &str| format!("teams.{name}.{field}");
    let target = match (webhook, secret, slack, email) {
        (Some(url), Some(secret), None, None) => Target::Webhook {
            url: self::url(&place("webhook"), &url)?,
            secret: self::secret(&place("secret"), &secret)?,
        },
        (None, None, Some(url), None) => Target::Slack { url: self::url(&place("slack"), &url)? },
        (None, None, None, Some(to)) if is_email(&to) => Target::Email { to },
        (None, None, None, Some(_)) => {
            let problem = format!("must be an e-mail address of at most {EMAIL_CHARS} characters");
            return Err(wrong(&place("email"), problem));
        }
        _ => {
            let problem =
                "must have `webhook` with its `secret`, or `slack`, or `email`, and one of them only";
            return Err(wrong(&format!("teams.{name}"), problem));
        }
    };
    fields.end()?;
    Ok(target)
}

fn url(place: &str, given: &str) -> Result<Url, RoutingError> {
    let is = text::chars(given);
    if is > URL_CHARS {
        return Err(wrong(place, format!("must have at most {URL_CHARS} characters; it has {is}")));
    }
    let url = Url::parse(given).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| wrong(place, "must be an http or https URL"))
}

fn secret(place: &str, given: &str) -> Result<SecretSlice<u8>, RoutingError> {
    let key = given.strip_prefix(SECRET_PREFIX).and_then(|key| STANDARD.decode(key).ok());
    let key = key.filter(|key| SECRET_BYTES.contains(&key.len())).ok_or_else(|| {
        let (least, most) = (SECRET_BYTES.start(), SECRET_BYTES.end());
        wrong(place, format!("must be `{SECRET_PREFIX}` and {least} to {most} bytes in base64"))
    })?;
    Ok(key.into())
}

fn routes(
    given: Option<Value>,
    teams: &BTreeMap<String, Target>,
) -> Result<BTreeMap<&'static str, Route>, RoutingError> {
    let Some(given) = given else { return Ok(BTreeMap::new()) };
    let of = |(code, given): (String, Value)| {
        let place = format!("routes.{code}");
        let known =
            if code == DEFAULT { Some(DEFAULT) } else { Category::from_code(&code).map(Category::code) };
        let code = known.ok_or_else(|| wrong(&place, "is no category, nor `default`"))?;
        Ok((code, route(&place, given, teams)?))
    };
    Fields::of("routes", given)?.rest().into_iter().map(of).collect()
}

fn route(place: &str, given: Value, teams: &BTreeMap<String, Target>) -> Result<Route, RoutingError> {
    let mut fields = Fields::of(place, given)?;
    let team = fields.text("team")?;
    let team = team.ok_or_else(|| wrong(&format!("{place}.team"), "is missing"))?;
    let priority = priority(&format!("{place}.priority"), fields.take("priority"))?;
    let take = take(&format!("{place}.take_minutes"), fields.take("take_minutes"))?;
    let then = then(&format!("{place}.then"), fields.take("then"))?;
    fields.end()?;
    if !then.is_empty() && take.is_none() {
        return Err(wrong(&format!("{place}.take_minutes"), "is missing: `then` needs it"));
    }
    let unknown = |team: &&String| !teams.contains_key(*team);
    if unknown(&&team) {
        return Err(wrong(&format!("{place}.team"), "names a team that is not among `teams`"));
    }
    if then.iter().any(|team| unknown(&team)) {
        return Err(wrong(&format!("{place}.then"), "names a team that is not among `teams`"));
    }
    Ok(Route { team, priority, take, then })
}

fn priority(place: &str, given: Option<Value>) -> Result<Priority, RoutingError> {
    let Some(given) = given else { return Ok(Priority::default()) };
    serde_json::from_value(given).map_err(|_| wrong(place, "must be `low`, `normal`, `high` or `urgent`"))
}

fn take(place: &str, given: Option<Value>) -> Result<Option<Duration>, RoutingError> {
    let Some(given) = given else { return Ok(None) };
    let minutes = given.as_u64().filter(|minutes| (1..=TAKE_MINUTES).contains(minutes));
    let minutes =
        minutes.ok_or_else(|| wrong(place, format!("must be a number from 1 to {TAKE_MINUTES}")))?;
    Ok(Some(Duration::from_secs(minutes * 60)))
}

fn then(place: &str, given: Option<Value>) -> Result<Vec<String>, RoutingError> {
    let Some(given) = given else { return Ok(vec![]) };
    let teams: Result<Vec<String>, _> = serde_json::from_value(given);
    let teams = teams.ok().filter(|teams| teams.len() <= THEN);
    teams.ok_or_else(|| wrong(place, format!("must be a list of at most {THEN} teams")))
}

fn wrong(place: &str, problem: impl Into<String>) -> RoutingError {
    RoutingError { place: place.into(), problem: problem.into() }
}

/// The fields of an object, of which none may be left over.
struct Fields {
    place: String,
    fields: Map<String, Value>,
}

impl Fields {
    fn of(place: &str, given: Value) -> Result<Self, RoutingError> {
        match given {
            Value::Object(fields) => Ok(Self { place: place.into(), fields }),
            _ => Err(wrong(if place.is_empty() { "it" } else { place }, "must be an object")),
        }
    }

    fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.remove(field)
    }

    fn text(&mut self, field: &str) -> Result<Option<String>, RoutingError> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(wrong(&self.at(field), "must be a text")),
        }
    }

    fn rest(self) -> Map<String, Value> {
        self.fields
    }

    fn end(self) -> Result<(), RoutingError> {
        match self.fields.keys().next() {
            Some(unknown) => Err(wrong(&self.at(unknown), "is unknown")),
            None => Ok(()),
        }
    }

    fn at(&self, field: &str) -> String {
        if self.place.is_empty() { field.into() } else { format!("{}.{field}", self.place) }
    }
}
