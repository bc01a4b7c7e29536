//! An OpenID Connect provider that does as it is told: it lets in whom a test names, with whatever token a test makes.

use axum::extract::{Form, Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use carryover_console::config;
use jsonwebtoken::crypto::sign;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, EncodingKey};
use reqwest::Url;
use rsa::PrivateKey;
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::pkcs8::EncodePublicKey;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The name of the console at the provider.
pub const CLIENT: &str = "desk";

/// Somebody whom the provider knows.
#[derive(Debug, Clone, Copy)]
pub struct Person {
    /// Their name.
    pub name: &'static str,
    /// The groups that they are in.
    pub groups: &'static [&'static str],
}

/// An operator.
pub const ROBIN: Person = Person { name: "robin", groups: &["operator"] };
/// An admin.
pub const ALEX: Person = Person { name: "alex", groups: &["admin"] };

/// A pair of keys for RS256.
pub struct KeyPair {
    private: EncodingKey,
    public: Vec<u8>,
}

impl KeyPair {
    fn generate() -> Self {
        let key = PrivateKey::new(&mut getrandom::SysRng, 2048).expect("a key");
        let private = key.to_pkcs1_der().expect("a key in DER");
        let public = key.to_public_key().to_public_key_der().expect("a key in DER");
        Self { private: EncodingKey::from_rsa_der(private.as_bytes()), public: public.into_vec() }
    }

    /// What everybody may know of it, in DER.
    pub fn public(&self) -> &[u8] {
        &self.public
    }
}

/// The provider signs with this one, as key `1`. Generating takes long, so that a process has one.
pub static FIRST: LazyLock<KeyPair> = LazyLock::new(KeyPair::generate);
/// Another one, with which it signs once it was told to rotate, as key `2`.
pub static SECOND: LazyLock<KeyPair> = LazyLock::new(KeyPair::generate);

/// What stands behind the second dot of a token.
pub enum Signature<'a> {
    /// Nothing.
    Nothing,
    /// RS256 with this key.
    Rsa(&'a KeyPair),
    /// HS256 with this secret.
    Hmac(&'a [u8]),
}

/// A token of these parts, whether they go together or not.
///
/// # Panics
/// If it cannot be signed.
pub fn token(header: &Value, claims: &Value, signature: Signature<'_>) -> String {
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(header), part(claims));
    let by = |key: &EncodingKey, algorithm| sign(signed.as_bytes(), key, algorithm).expect("a signature");
    let signature = match signature {
        Signature::Nothing => String::new(),
        Signature::Rsa(pair) => by(&pair.private, Algorithm::RS256),
        Signature::Hmac(secret) => by(&EncodingKey::from_secret(secret).expect("a secret"), Algorithm::HS256),
    };
    format!("{signed}.{signature}")
}

/// What is wrong with the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It answers with 500.
    Down,
    /// It never answers.
    Hangs,
    /// It answers with 500 where its keys should be; all else works.
    KeysDown,
}

/// A sign-in that the console asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// What goes back with the code.
    pub state: String,
    /// What the ID token must carry.
    pub nonce: String,
    /// What the code's verifier is held against.
    pub challenge: String,
}

struct Stage {
    url: String,
    callback: String,
    trouble: Mutex<Option<Trouble>>,
    rotated: AtomicBool,
    key_reads: AtomicUsize,
    /// Challenge and ID token of each code that was not traded yet.
    codes: Mutex<BTreeMap<String, (String, String)>>,
    codes_given: AtomicUsize,
}

/// A provider on a free port, until it is dropped.
pub struct Provider {
    stage: Arc<Stage>,
    server: JoinHandle<()>,
}

impl Provider {
    /// One for the console at `public_url`.
    ///
    /// # Panics
    /// There is no free port.
    pub async fn start(public_url: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let stage = Arc::new(Stage {
            url: format!("http://{}", listener.local_addr().expect("an address")),
            callback: format!("{public_url}/console/sign-in/callback"),
            trouble: Mutex::default(),
            rotated: AtomicBool::default(),
            key_reads: AtomicUsize::default(),
            codes: Mutex::default(),
            codes_given: AtomicUsize::default(),
        });
        let router = Router::new()
            .route("/keys", get(keys))
            .route("/token", post(trade))
            .layer(from_fn_with_state(stage.clone(), perhaps))
            .with_state(stage.clone());
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { stage, server }
    }

    /// Where the console finds it. Its issuer is none of its addresses.
    pub fn settings(&self) -> config::Provider {
        let Stage { url, .. } = &*self.stage;
        config::Provider {
            issuer: "https://issuer.example/pool".into(),
            client_id: CLIENT.into(),
            authorize_url: format!("{url}/authorize"),
            token_url: format!("{url}/token"),
            jwks_url: format!("{url}/keys"),
            logout_url: format!("{url}/logout"),
        }
    }

    /// From now on this is wrong with it, or nothing is.
    pub fn set_trouble(&self, trouble: Option<Trouble>) {
        *lock(&self.stage.trouble) = trouble;
    }

    /// From now on it has another key, and no longer the first one.
    pub fn rotate(&self) {
        self.stage.rotated.store(true, Ordering::SeqCst);
    }

    /// How often its keys were asked for.
    pub fn key_reads(&self) -> usize {
        self.stage.key_reads.load(Ordering::SeqCst)
    }

    /// What its sign-in page is asked for at this address.
    ///
    /// # Panics
    /// It would show an error there.
    pub fn asked(&self, address: &str) -> Asked {
        let page = self.settings().authorize_url;
        assert!(address.starts_with(&format!("{page}?")), "{address} is not {page}");
        let address = Url::parse(address).expect("an address");
        let all: Vec<(String, String)> = address.query_pairs().into_owned().collect();
        let parameters: BTreeMap<_, _> = all.iter().cloned().collect();
        assert_eq!(parameters.len(), all.len(), "each stands there once: {all:?}");
        let parameter = |name: &str| parameters.get(name).unwrap_or_else(|| panic!("no {name}")).clone();
        assert_eq!(parameter("response_type"), "code");
        assert_eq!(parameter("client_id"), CLIENT);
        assert_eq!(parameter("redirect_uri"), self.stage.callback);
        assert!(parameter("scope").split(' ').any(|scope| scope == "openid"));
        assert_eq!(parameter("code_challenge_method"), "S256");
        Asked { state: parameter("state"), nonce: parameter("nonce"), challenge: parameter("code_challenge") }
    }

    /// Lets somebody in; where the page leads then.
    pub fn lets_in(&self, asked: &Asked, who: &Person) -> String {
        self.answers(asked, self.id_token(&self.claims(who, &asked.nonce)))
    }

    /// Gives a code for this ID token; where the page leads then.
    pub fn answers(&self, asked: &Asked, id_token: String) -> String {
        let code = format!("code-{}", self.stage.codes_given.fetch_add(1, Ordering::SeqCst));
        lock(&self.stage.codes).insert(code.clone(), (asked.challenge.clone(), id_token));
        self.leads_back(&[("code", &code), ("state", &asked.state)])
    }

    /// The console's callback with these parameters.
    ///
    /// # Panics
    /// It is no address.
    pub fn leads_back(&self, parameters: &[(&str, &str)]) -> String {
        Url::parse_with_params(&self.stage.callback, parameters).expect("an address").into()
    }

    /// What an ID token says of somebody: it is for the console, and an hour old at most when it ends.
    pub fn claims(&self, who: &Person, nonce: &str) -> Value {
        json!({
            "iss": self.settings().issuer,
            "aud": CLIENT,
            "sub": format!("sub-of-{}", who.name),
            "token_use": "id",
            "cognito:username": who.name,
            "cognito:groups": who.groups,
            "nonce": nonce,
            "iat": seconds_from_now(0),
            "exp": seconds_from_now(3600),
        })
    }

    /// These claims, signed as it signs now.
    pub fn id_token(&self, claims: &Value) -> String {
        let (kid, pair) = self.stage.key();
        token(&json!({"alg": "RS256", "typ": "JWT", "kid": kid}), claims, Signature::Rsa(pair))
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A time by the clock on the wall, which is the one that tokens are held against, in seconds since the Unix epoch.
pub fn seconds_from_now(seconds: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).as_ref().map_or(0, Duration::as_secs);
    i64::try_from(now).unwrap_or(0) + seconds
}

impl Stage {
    fn key(&self) -> (&'static str, &'static KeyPair) {
        if self.rotated.load(Ordering::SeqCst) { ("2", &SECOND) } else { ("1", &FIRST) }
    }
}

/// Answers, if nothing is wrong.
async fn perhaps(State(stage): State<Arc<Stage>>, request: Request, next: Next) -> Response {
    let is_for_keys = request.uri().path() == "/keys";
    if is_for_keys {
        stage.key_reads.fetch_add(1, Ordering::SeqCst);
    }
    let trouble = *lock(&stage.trouble);
    match trouble {
        Some(Trouble::Hangs) => std::future::pending().await,
        Some(Trouble::KeysDown) if !is_for_keys => next.run(request).await,
        Some(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        None => next.run(request).await,
    }
}

async fn keys(State(stage): State<Arc<Stage>>) -> Json<JwkSet> {
    let (kid, pair) = stage.key();
    let mut key = Jwk::from_encoding_key(&pair.private, Algorithm::RS256).expect("a key");
    key.common.key_id = Some(kid.into());
    Json(JwkSet { keys: vec![key] })
}

#[derive(Deserialize)]
struct Grant {
    grant_type: String,
    client_id: String,
    redirect_uri: String,
    code: String,
    code_verifier: String,
}

/// Trades a code, once, whatever comes of it.
async fn trade(State(stage): State<Arc<Stage>>, Form(grant): Form<Grant>) -> Response {
    let given = lock(&stage.codes).remove(&grant.code);
    let is_ours = grant.grant_type == "authorization_code"
        && grant.client_id == CLIENT
        && grant.redirect_uri == stage.callback;
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(grant.code_verifier));
    match given {
        Some((expected, id_token)) if is_ours && expected == challenge => {
            Json(json!({"id_token": id_token, "access_token": "access", "token_type": "Bearer"}))
                .into_response()
        }
        _ => (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
