//! Clients of AWS: one HTTP stack and one TLS stack for all of them, built during start.
//!
//! They honour the standard `AWS_ENDPOINT_URL*` variables, so nothing in a function knows where it runs.

use aws_config::{BehaviorVersion, ConfigLoader, Region, SdkConfig};
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_types::timeout::TimeoutConfig;
use std::time::Duration;

/// Configuration that all clients share.
pub async fn config() -> SdkConfig {
    loader().load().await
}

/// Configuration for the emulator of a local stack, whatever the environment says.
pub async fn config_of(endpoint: &str) -> SdkConfig {
    loader().endpoint_url(endpoint).region(Region::from_static("us-east-1")).test_credentials().load().await
}

fn loader() -> ConfigLoader {
    let http =
        aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(2))
        .operation_attempt_timeout(Duration::from_secs(5))
        .build();
    aws_config::defaults(BehaviorVersion::v2026_01_12()).http_client(http).timeout_config(timeouts)
}
