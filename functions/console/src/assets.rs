//! Style sheet and scripts, each under a name that changes with what it says, so that browsers keep them for good.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use carryover_shared::hash;
use std::sync::LazyLock;

/// A file that pages ask for.
#[derive(Debug)]
pub struct Asset {
    content: &'static str,
    media_type: &'static str,
    name: String,
}

/// The style sheet.
pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| asset("console", "css", "text/css", include_str!("../assets/console.css")));
/// The console's own script: keys, the theme and the times.
pub static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset("console", "js", "text/javascript", include_str!("../assets/console.js")));
/// The sign in the browser's tab.
pub static ICON: LazyLock<Asset> =
    LazyLock::new(|| asset("icon", "svg", "image/svg+xml", include_str!("../assets/icon.svg")));
/// htmx 2.0.11, as the npm registry has it.
pub static HTMX: LazyLock<Asset> =
    LazyLock::new(|| asset("htmx", "js", "text/javascript", include_str!("../assets/htmx.min.js")));

fn asset(stem: &str, extension: &str, media_type: &'static str, content: &'static str) -> Asset {
    let hash = hash::hex(content);
    Asset { content, media_type, name: format!("{stem}.{}.{extension}", hash.get(..16).unwrap_or(&hash)) }
}

impl Asset {
    /// Where a page finds it.
    pub fn path(&self) -> String {
        format!("/console/assets/{}", self.name)
    }
}

/// `GET /console/assets/{name}`.
pub async fn get(Path(name): Path<String>) -> Response {
    let assets = [&*STYLE, &*SCRIPT, &*HTMX, &*ICON];
    let Some(asset) = assets.into_iter().find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, format!("{}; charset=utf-8", asset.media_type)),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable".to_owned()),
    ];
    (headers, asset.content).into_response()
}
