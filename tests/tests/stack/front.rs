//! The way in: front proxy, HTTP API, function.

use carryover_tests::stack;
use reqwest::Method;

#[tokio::test]
async fn the_chat_page_comes_through_the_front() {
    let response = stack::shared().request(Method::GET, "/chat").send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.text().await.unwrap().contains("<html"));
}

#[tokio::test]
async fn the_scripted_model_stands_beside_the_stack() {
    stack::shared_model().requests(&[]).await.unwrap();
}
