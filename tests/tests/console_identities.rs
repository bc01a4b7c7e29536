//! Who is who, in the console and its API: identities, two customers that are one, a customer who is to go.

use axum::http::StatusCode;
use carryover_shared::contact::ContactId;
use carryover_shared::traits::Clock;
use carryover_tests::console::{Answer, Browser, Desk};
use carryover_tests::provider::{ALEX, ROBIN};
use carryover_tests::world::{NoModel, World, identity};
use serde_json::json;

/// Ana and Ben have written.
async fn two() -> (Desk, ContactId, ContactId) {
    let desk = Desk::over(World::new(NoModel).await).await;
    for who in ["ana", "ben"] {
        desk.world.write(who, "m1", "Hello").await.expect("an answer");
    }
    let (ana, ben) = (desk.world.contact("ana").await, desk.world.contact("ben").await);
    (desk, ana, ben)
}

async fn page_of(browser: &mut Browser<'_>, contact: ContactId) -> (String, Answer) {
    let path = format!("/console/customers/{contact}");
    let page = browser.get(&path).await;
    (path, page)
}

#[tokio::test]
async fn erasable_an_admin_erases_a_customer_and_an_operator_does_not() {
    let (desk, ana, _) = two().await;
    let mut robin = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&mut robin, ana).await;
    assert!(!page.body.contains("Erase this customer") && !page.body.contains("Join with another"));
    let refused = robin.submit(&page, &format!("{path}/erase"), &[("sure", "yes")]).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let refused = robin.submit(&page, &format!("{path}/join"), &[("identity", "chat:ben")]).await;
    assert!(refused.body.contains("Only an admin"), "{}", refused.body);
    assert_eq!(desk.world.contact("ana").await, ana);

    let mut alex = desk.browser_of(&ALEX).await;
    let (path, page) = page_of(&mut alex, ana).await;
    assert!(
        page.body.contains("2 messages, 0 records, 1 identity"),
        "it names what will be gone: {}",
        page.body
    );
    let erased = alex.submit(&page, &format!("{path}/erase"), &[("sure", "yes")]).await;
    assert_eq!((erased.status, erased.location()), (StatusCode::SEE_OTHER, path.as_str()));
    assert_eq!(desk.world.ctx.store.resolve(&identity("ana")).await.expect("a table"), None);
    let (_, after) = page_of(&mut alex, ana).await;
    assert!(after.status == StatusCode::GONE && after.body.contains("Being erased"), "{after:?}");
    let deadline = desk.world.clock.now() + std::time::Duration::from_secs(240);
    carryover_shared::erase::run(&desk.world.eraser(), deadline).await.expect("a table");
    assert!(page_of(&mut alex, ana).await.1.body.contains("is deleted"));
    assert_eq!(alex.get(&format!("/console/threads/{ana}")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_admin_joins_two_customers_and_the_closed_conversation_leads_to_the_other() {
    let (desk, ana, ben) = two().await;
    let mut alex = desk.browser_of(&ALEX).await;
    let (path, page) = page_of(&mut alex, ana).await;
    let joined = alex.submit(&page, &format!("{path}/join"), &[("identity", "chat:ben")]).await;
    assert_eq!(joined.status, StatusCode::SEE_OTHER, "{joined:?}");
    assert_eq!(desk.world.contact("ben").await, ana);
    let (_, page) = page_of(&mut alex, ana).await;
    for shown in ["chat:ana", "chat:ben", &format!("/console/threads/{ben}"), "Unlink chat:ben"] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    let closed = alex.get(&format!("/console/threads/{ben}")).await;
    assert!(closed.body.contains(&format!("/console/threads/{ana}")) && !closed.body.contains("take-over"));
    assert!(!closed.body.contains("handed to a person") && !closed.body.contains("the bot answers"));
    assert!(!closed.body.contains("name=\"text\""), "there is nothing to write: {}", closed.body);
    let unlinked = alex.submit(&page, &format!("{path}/unlink"), &[("identity", "chat:ben")]).await;
    assert_eq!(unlinked.status, StatusCode::SEE_OTHER);
    assert_eq!(desk.world.ctx.store.resolve(&identity("ben")).await.expect("a table"), None);
}

#[tokio::test]
async fn the_api_joins_unlinks_and_erases_for_admins_only() {
    let (desk, ana, _) = two().await;
    let (robin, alex) = (desk.api(&ROBIN), desk.api(&ALEX));
    let ben = json!({"identity": "chat:ben"});
    assert_eq!(robin.post("/v1/customers/chat:ana/join", &ben).await.status, StatusCode::FORBIDDEN);
    let erased = robin.delete("/v1/customers/chat:ana").await;
    assert_eq!(erased.status, StatusCode::FORBIDDEN);
    assert_eq!(erased.json()["detail"], "Only an admin can erase a customer.");
    let login = robin.post("/v1/customers/chat:ana/identities", &json!({"identity": "chat:new"})).await;
    assert_eq!(login.status, StatusCode::FORBIDDEN);
    let nobody = alex.post("/v1/customers/chat:ana/join", &json!({"identity": "chat:nobody"})).await;
    assert_eq!((nobody.status, &nobody.json()["field"]), (StatusCode::CONFLICT, &json!("identity")));
    assert_eq!(alex.post("/v1/customers/chat:ana/join", &ben).await.status, StatusCode::NO_CONTENT);
    assert_eq!(desk.world.contact("ben").await, ana);
    assert_eq!(robin.post("/v1/customers/chat:ana/unlink", &ben).await.status, StatusCode::NO_CONTENT);
    let last = robin.post("/v1/customers/chat:ana/unlink", &json!({"identity": "chat:ana"})).await;
    assert_eq!(last.status, StatusCode::CONFLICT);
    assert_eq!(alex.delete("/v1/customers/chat:ana").await.status, StatusCode::ACCEPTED);
    assert_eq!(alex.get("/v1/customers/chat:ana").await.status, StatusCode::NOT_FOUND);
    assert_eq!(alex.delete("/v1/customers/chat:ana").await.status, StatusCode::NOT_FOUND);
}
