//! A bucket of S3 for an index that is too large for the table: requests are signed here and sent by the HTTP client
//! that the model is asked with.

use crate::config::ConfigError;
use crate::model::install_crypto_provider;
use aws_config::SdkConfig;
use aws_sdk_dynamodb::config::{ProvideCredentials, SharedCredentialsProvider};
use reqwest::{Body, Method, StatusCode};
use rusty_s3::{Credentials, S3Action, UrlStyle};
use std::time::Duration;

/// The variable that names the bucket.
const NAME: &str = "INDEX_BUCKET";
const CONNECT: Duration = Duration::from_secs(2);
/// An index of a hundred megabytes takes a while.
const REQUEST: Duration = Duration::from_secs(120);
/// How long a signed request can be sent.
const SIGNED_FOR: Duration = Duration::from_secs(300);

/// Why a bucket did not do what it was asked. Never carries an address or a signature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BucketError {
    /// There are no credentials.
    #[error("there are no credentials for the bucket")]
    NoCredentials,
    /// It cannot be reached.
    #[error("the bucket cannot be reached")]
    Unreachable,
    /// It refused.
    #[error("the bucket refused (status {0})")]
    Refused(u16),
}

/// A bucket.
#[derive(Clone)]
pub struct Bucket {
    bucket: rusty_s3::Bucket,
    credentials: SharedCredentialsProvider,
    http: reqwest::Client,
}

impl std::fmt::Debug for Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bucket").field("name", &self.bucket.name()).finish_non_exhaustive()
    }
}

impl Bucket {
    /// The bucket of this name, at an endpoint or on AWS. It connects with the first request.
    ///
    /// # Errors
    /// Region or credentials are missing, or the endpoint is no URL.
    pub fn new(name: &str, endpoint: Option<&str>, sdk: &SdkConfig) -> Result<Self, ConfigError> {
        let invalid = |problem: &str| ConfigError::Invalid { name: NAME, problem: problem.into() };
        let region = sdk.region().ok_or_else(|| invalid("needs a region"))?.to_string();
        let credentials = sdk.credentials_provider().ok_or_else(|| invalid("needs credentials"))?;
        // A name with a dot would break the certificate of a host that begins with it.
        let style = match endpoint {
            None if !name.contains('.') => UrlStyle::VirtualHost,
            _ => UrlStyle::Path,
        };
        let endpoint = endpoint.map_or_else(|| on_aws(&region), str::to_owned);
        let endpoint = endpoint.parse().map_err(|_| invalid("needs an endpoint that is a URL"))?;
        let bucket = rusty_s3::Bucket::new(endpoint, style, name.to_owned(), region)
            .map_err(|_| invalid("cannot be the name of a bucket"))?;
        install_crypto_provider();
        let http = reqwest::Client::builder().connect_timeout(CONNECT).timeout(REQUEST).build();
        Ok(Self { bucket, credentials, http: http.map_err(|_| invalid("needs an HTTP client"))? })
    }

    /// An object; `None` where there is none.
    ///
    /// # Errors
    /// The bucket cannot be read.
    pub async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, BucketError> {
        let credentials = self.credentials().await?;
        let url = self.bucket.get_object(Some(&credentials), key).sign(SIGNED_FOR);
        let answer = self.http.get(url).send().await.map_err(|_| BucketError::Unreachable)?;
        match answer.status() {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => {
                let bytes = answer.bytes().await.map_err(|_| BucketError::Unreachable)?;
                Ok(Some(bytes.into()))
            }
            status => Err(BucketError::Refused(status.as_u16())),
        }
    }

    /// Puts an object.
    ///
    /// # Errors
    /// The bucket refused.
    pub async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), BucketError> {
        let credentials = self.credentials().await?;
        let url = self.bucket.put_object(Some(&credentials), key).sign(SIGNED_FOR);
        self.send(Method::PUT, url, bytes.into()).await
    }

    /// Deletes an object, if it is there.
    ///
    /// # Errors
    /// The bucket refused.
    pub async fn delete(&self, key: &str) -> Result<(), BucketError> {
        let credentials = self.credentials().await?;
        let url = self.bucket.delete_object(Some(&credentials), key).sign(SIGNED_FOR);
        self.send(Method::DELETE, url, Body::default()).await
    }

    async fn send(&self, method: Method, url: reqwest::Url, body: Body) -> Result<(), BucketError> {
        let sent = self.http.request(method, url).body(body).send().await;
        match sent.map_err(|_| BucketError::Unreachable)?.status() {
            status if status.is_success() => Ok(()),
            status => Err(BucketError::Refused(status.as_u16())),
        }
    }

    async fn credentials(&self) -> Result<Credentials, BucketError> {
        let found = self.credentials.provide_credentials().await.map_err(|_| BucketError::NoCredentials)?;
        let (key, secret) = (found.access_key_id(), found.secret_access_key());
        Ok(match found.session_token() {
            Some(token) => Credentials::new_with_token(key, secret, token),
            None => Credentials::new(key, secret),
        })
    }
}

fn on_aws(region: &str) -> String {
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("https://s3.{region}.{domain}")
}
