//! `carryover token`: an operator's ID token for the API, from the sign-in page as their browser goes through it.

use crate::connection::Target;
use crate::outputs::Outputs;
use crate::terminal;
use anyhow::{Context, Result, ensure};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use secrecy::ExposeSecret;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The verifier and its challenge in appendix B of RFC 7636.
const PKCE: (&str, &str) =
    ("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");

/// The fields of a form, by their names.
type Fields = BTreeMap<String, String>;

/// Options of `carryover token`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Who signs in, such as robin
    operator: String,
    #[command(flatten)]
    target: Target,
}

/// Prints the operator's ID token; it is good for an hour.
///
/// # Errors
/// No stack runs, it has no such operator, or the user pool refuses a step.
pub async fn run(options: Options) -> Result<()> {
    let outputs = options.target.connect().await?.outputs;
    terminal::say(&id_token(&outputs, &options.operator).await?);
    Ok(())
}

/// The operator's ID token, by the authorization code flow with PKCE.
///
/// # Errors
/// The stack has no such operator, or the user pool refuses a step.
pub async fn id_token(outputs: &Outputs, username: &str) -> Result<String> {
    let client = browser()?;
    let callback = signed_in(&client, outputs, username, authorize_url(outputs)?).await?;
    let answer = client.post(format!("{}/oauth2/token", outputs.endpoint));
    let answer = send_form(answer, &grant(outputs, &code_of(&callback)?)).await?;
    Ok(answer.error_for_status()?.json::<Tokens>().await?.id_token)
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

/// A client that follows no redirect by itself.
///
/// # Errors
/// None could be built.
pub fn browser() -> Result<Client> {
    carryover_shared::model::install_crypto_provider();
    Ok(Client::builder().no_proxy().redirect(Policy::none()).build()?)
}

/// Opens the sign-in page at `authorize`, fills in name and password, and says where the page then leads: the console's
/// callback, with the code.
///
/// # Errors
/// The stack has no such operator, or the page did not lead anywhere.
pub async fn signed_in(client: &Client, outputs: &Outputs, username: &str, authorize: Url) -> Result<Url> {
    let operator = outputs.operator(username)?;
    let page = client.get(authorize.clone()).send().await?.error_for_status()?.text().await?;
    let (action, mut fields) = form(&page)?;
    fields.insert("username".into(), operator.username.clone());
    fields.insert("password".into(), operator.password.expose_secret().to_owned());
    let answer = send_form(client.post(authorize.join(&action)?), &fields).await?;
    ensure!(answer.status() == StatusCode::FOUND, "{username} was not let in: {}", answer.text().await?);
    leads_to(&answer)
}

fn authorize_url(outputs: &Outputs) -> Result<Url> {
    let callback = callback(outputs);
    let parameters = [
        ("response_type", "code"),
        ("client_id", &outputs.user_pool_client_id),
        ("redirect_uri", &callback),
        ("scope", "openid email profile"),
        ("state", "s"),
        ("code_challenge_method", "S256"),
        ("code_challenge", PKCE.1),
    ];
    Ok(Url::parse_with_params(&format!("{}/oauth2/authorize", outputs.endpoint), parameters)?)
}

fn grant(outputs: &Outputs, code: &str) -> Fields {
    let callback = callback(outputs);
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", &outputs.user_pool_client_id),
        ("redirect_uri", &callback),
        ("code", code),
        ("code_verifier", PKCE.0),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn callback(outputs: &Outputs) -> String {
    format!("{}/console/sign-in/callback", outputs.api_url)
}

fn code_of(callback: &Url) -> Result<String> {
    let found = callback.query_pairs().find(|(name, _)| name == "code");
    found.map(|(_, code)| code.into_owned()).with_context(|| format!("no code came back: {callback}"))
}

/// Where a redirect leads.
///
/// # Errors
/// It is none.
pub fn leads_to(answer: &Response) -> Result<Url> {
    let location = answer.headers().get(LOCATION).context("the page leads nowhere")?;
    Ok(answer.url().join(location.to_str()?)?)
}

async fn send_form(request: reqwest::RequestBuilder, fields: &Fields) -> Result<Response> {
    let encoded = Url::parse_with_params("form:", fields)?;
    let body = encoded.query().unwrap_or_default().to_owned();
    Ok(request.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body).send().await?)
}

/// Where the only form of a page goes, and what its fields hold.
fn form(page: &str) -> Result<(String, Fields)> {
    let tags = || page.split('<').skip(1).filter_map(|rest| rest.split('>').next());
    let form = tags().find(|tag| tag.starts_with("form ")).context("the page has no form")?;
    let inputs = tags().filter(|tag| tag.starts_with("input "));
    let field = |tag| Some((attribute(tag, "name")?, attribute(tag, "value").unwrap_or_default()));
    Ok((attribute(form, "action").context("the form goes nowhere")?, inputs.filter_map(field).collect()))
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let value = tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?;
    Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_as_a_browser_reads_it() {
        let page = r#"<p>Sign in</p><form method="POST" action="/login">
            <input type="hidden" name="to" value="http://a/?b=1&amp;c=2"><input type="text" name="username"></form>"#;
        let (action, fields) = form(page).unwrap();
        assert_eq!(action, "/login");
        let expected = [("to", "http://a/?b=1&c=2"), ("username", "")];
        assert!(fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).eq(expected));
    }
}
