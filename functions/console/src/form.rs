//! Forms of pages: only those that a page of the same session wrote are taken.

use crate::Console;
use crate::pages::message;
use crate::sign_in::Session;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A form of the session, with what it carries besides the token that proves it.
#[derive(Debug)]
pub struct Form<T> {
    /// Who sends it.
    pub session: Session,
    /// What it says.
    pub fields: T,
}

/// A form that says nothing but who sends it.
#[derive(Debug, Deserialize)]
pub struct Nothing {}

#[derive(Deserialize)]
struct Token {
    csrf: String,
}

impl<T: DeserializeOwned> FromRequest<Console> for Form<T> {
    type Rejection = Response;

    async fn from_request(request: Request, console: &Console) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let session = Session::from_request_parts(&mut parts, console).await?;
        let is_from_here = match parts.headers.get(header::ORIGIN) {
            Some(origin) => origin.as_bytes() == console.public_url.as_bytes(),
            None => true,
        };
        let body = Bytes::from_request(Request::from_parts(parts, body), console)
            .await
            .map_err(IntoResponse::into_response)?;
        let token: Option<Token> = read(&body);
        if !is_from_here || token.is_none_or(|token| token.csrf != session.csrf) {
            return Err(message::refused(
                StatusCode::FORBIDDEN,
                "This form is not one of your session. Load the page again; what you wrote is still in your browser.",
            ));
        }
        let fields = read(&body)
            .ok_or_else(|| message::refused(StatusCode::BAD_REQUEST, "The form is not complete."))?;
        Ok(Self { session, fields })
    }
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Option<T> {
    serde_urlencoded::from_bytes(body).ok()
}
