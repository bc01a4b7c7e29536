//! The way in: front proxy, HTTP API, function.

use carryover_tests::stack;
use reqwest::Method;

#[tokio::test]
async fn hello_comes_through_the_front() {
    let response = stack::shared().request(Method::GET, "/hello").send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.text().await.unwrap(), "hello");
}

#[tokio::test]
async fn the_scripted_model_stands_beside_the_stack() {
    stack::shared_model().requests(&[]).await.unwrap();
}
