//! A bucket in process: what S3 does with the requests that an index needs, on a free port.

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, Uri};
use axum::routing::get;
use carryover_shared::aws;
use carryover_shared::tickets::Bucket;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

const OBJECT_BYTES: usize = 256 * 1024 * 1024;

/// The objects of a bucket, by bucket and key.
type Objects = Arc<Mutex<BTreeMap<String, Bytes>>>;

/// A bucket that ends with the test.
#[derive(Debug)]
pub struct FakeBucket {
    endpoint: String,
    objects: Objects,
    serving: JoinHandle<()>,
}

impl FakeBucket {
    /// An empty one.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn start() -> Self {
        let objects = Objects::default();
        let routes = Router::new()
            .route("/{*key}", get(read).put(write).delete(remove))
            .layer(DefaultBodyLimit::max(OBJECT_BYTES))
            .with_state(objects.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, routes).await;
        });
        Self { endpoint, objects, serving }
    }

    /// A client of the bucket `index` in it.
    ///
    /// # Panics
    /// If it cannot be built.
    pub async fn bucket(&self) -> Bucket {
        let sdk = aws::config_of(&self.endpoint).await;
        Bucket::new("index", Some(&self.endpoint), &sdk).expect("a bucket")
    }

    /// What is in it.
    pub fn keys(&self) -> Vec<String> {
        lock(&self.objects).keys().cloned().collect()
    }

    /// Every object loses its last byte.
    pub fn damage(&self) {
        for object in lock(&self.objects).values_mut() {
            object.truncate(object.len().saturating_sub(1));
        }
    }
}

impl Drop for FakeBucket {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// As S3 does, it wants each request signed, and not for long.
fn is_signed(uri: &Uri) -> bool {
    let Ok(url) = reqwest::Url::parse(&format!("http://s3{uri}")) else { return false };
    let query: HashMap<_, _> = url.query_pairs().collect();
    let expires = query.get("X-Amz-Expires").and_then(|seconds| seconds.parse().ok()).unwrap_or(u32::MAX);
    let for_s3 =
        query.get("X-Amz-Credential").is_some_and(|credential| credential.contains("/s3/aws4_request"));
    query.contains_key("X-Amz-Signature") && for_s3 && expires <= 3_600
}

async fn read(
    State(objects): State<Objects>,
    Path(key): Path<String>,
    uri: Uri,
) -> Result<Bytes, StatusCode> {
    if !is_signed(&uri) {
        return Err(StatusCode::FORBIDDEN);
    }
    lock(&objects).get(&key).cloned().ok_or(StatusCode::NOT_FOUND)
}

async fn write(State(objects): State<Objects>, Path(key): Path<String>, uri: Uri, body: Bytes) -> StatusCode {
    if !is_signed(&uri) {
        return StatusCode::FORBIDDEN;
    }
    lock(&objects).insert(key, body);
    StatusCode::OK
}

async fn remove(State(objects): State<Objects>, Path(key): Path<String>, uri: Uri) -> StatusCode {
    if !is_signed(&uri) {
        return StatusCode::FORBIDDEN;
    }
    lock(&objects).remove(&key);
    StatusCode::NO_CONTENT
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
