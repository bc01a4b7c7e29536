//! A resolved case joins the past cases when an operator released it, without anything of its contact (*isolation*),
//! and leaves them with its contact (*erasable*).

use carryover_shared::feedback::Rating;
use carryover_shared::portal::{self, NewRequest};
use carryover_shared::release::{Released, release};
use carryover_shared::similar::{Similar, Wording, WordingFault};
use carryover_shared::thread::Seq;
use carryover_shared::tickets::{self, PastTickets, Shelf};
use carryover_shared::traits::SimilarCases;
use carryover_tests::table::Fault;
use carryover_tests::world::{NoModel, World};
use ulid::Ulid;

const ASKED: &str = "I want to talk to a human: the heating in flat 4A of Casa Pino makes a noise at night";

/// A world in which `chat:oskar` has a case, and the past cases of it.
struct Desk {
    world: World,
    shelf: Shelf,
    case_id: Ulid,
}

impl Desk {
    async fn with_a_case() -> Self {
        let world = World::new(NoModel).await;
        world.write("oskar", "m1", ASKED).await.expect("an answer");
        let cases = world.ctx.store.cases(world.contact("oskar").await).await.expect("cases");
        let shelf = Shelf::new(world.ctx.store.clone(), None, world.ctx.limits.index_bytes);
        Self { case_id: cases[0].case_id, world, shelf }
    }

    async fn with_a_resolved_case() -> Self {
        let desk = Self::with_a_case().await;
        desk.world.hands_back("oskar").await;
        desk
    }

    async fn release(&self, problem: &str, solution: &str) -> Released {
        let wording = Wording { problem: problem.into(), solution: solution.into() };
        let contact = self.world.contact("oskar").await;
        let released =
            release(&self.world.ctx.store, &self.world.ctx.limits, contact, self.case_id, &wording);
        released.await.expect("a table")
    }

    /// What a fresh function shows for a question about heatings.
    async fn shown(&self) -> Similar {
        let tickets = PastTickets::new(self.shelf.clone(), self.world.clock.clone(), &self.world.ctx.limits);
        tickets.find("My heating rattles, what can I do?").await
    }

    async fn build(&self) -> tickets::Built {
        tickets::build(&self.shelf, &self.world.ctx.limits).await.expect("a build")
    }
}

#[tokio::test]
async fn isolation_a_released_case_joins_the_next_build_without_anything_of_its_contact() {
    let desk = Desk::with_a_resolved_case().await;
    let released =
        desk.release("Heating of oskar rattles (case R-88)", "Oskar bled the radiator on 3 May.").await;
    let left = Wording {
        problem: "Heating of {{Name}} rattles (case {{Reference Number}})".into(),
        solution: "{{Name}} bled the radiator on {{Date}}.".into(),
    };
    assert_eq!(released, Released::Done(left.clone()));
    assert_eq!(desk.shown().await, Similar::Nothing, "not before the next build");
    assert_eq!(desk.build().await.released, 1);
    let Similar::Found(cases) = desk.shown().await else { panic!("nothing") };
    assert_eq!((&cases[0].problem, &cases[0].solution), (&left.problem, &left.solution));

    let contact = desk.world.contact("oskar").await.to_string();
    let items = desk.world.table.items();
    let released = items.iter().find(|item| item["pk"]["S"] == "RELEASED").expect("an item");
    assert_eq!(released["contact_id"]["S"], contact.as_str(), "whose it was stands beside the text");
}

#[tokio::test]
async fn words_of_a_release_are_replaced_by_those_of_the_next() {
    let desk = Desk::with_a_resolved_case().await;
    desk.release("The heating rattles", "Bleed the radiator").await;
    desk.release("A heating rattles loudly", "Bleed it, then fill up").await;
    assert_eq!(desk.build().await.index.cases, 1);
    assert_eq!(desk.shown().await.cases()[0].solution, "Bleed it, then fill up");
}

#[tokio::test]
async fn what_is_not_resolved_not_there_or_the_customers_own_is_not_released() {
    let desk = Desk::with_a_case().await;
    assert_eq!(desk.release("The heating rattles", "Bleed it").await, Released::NotResolved);
    let desk = Desk::with_a_resolved_case().await;
    let copied = "the heating in flat 4A of Casa Pino makes a noise";
    assert_eq!(desk.release(copied, "Bleed it").await, Released::Refused(WordingFault::Copied("problem")));
    let desk = Desk { case_id: Ulid::nil(), ..desk };
    assert_eq!(desk.release("The heating rattles", "Bleed it").await, Released::NoSuchCase);
    assert_eq!(desk.build().await.index.cases, 0);
}

#[tokio::test]
async fn isolation_what_a_customer_wrote_in_the_portal_is_not_released() {
    let desk = Desk::with_a_resolved_case().await;
    let contact = desk.world.contact("oskar").await;
    let request = NewRequest {
        id: "r1".into(),
        subject: "The boiler".into(),
        text: "It leaks onto the blue carpet under my bed".into(),
    };
    portal::open_request(&desk.world.ctx, contact, &request).await.expect("a table");
    let thought = "My sister in Porto fixed the valve herself";
    portal::rate(&desk.world.ctx, contact, Seq(2), (Rating::Up, thought)).await.expect("a table");
    for copied in [request.text.as_str(), thought] {
        let refused = desk.release(copied, "Bleed it").await;
        assert_eq!(refused, Released::Refused(WordingFault::Copied("problem")), "{copied}");
    }
}

#[tokio::test]
async fn erasable_what_was_released_leaves_the_index_with_its_contact() {
    let desk = Desk::with_a_resolved_case().await;
    let (contact, limits) = (desk.world.contact("oskar").await, &desk.world.ctx.limits);
    assert_eq!(tickets::forget(&desk.shelf, contact, limits).await.expect("a table"), None);
    desk.release("The heating rattles", "Bleed the radiator").await;
    desk.build().await;
    assert_eq!(desk.shown().await.cases().len(), 1);

    // The table is lost before the index is built without the case: the next run knows.
    desk.world.table.inject(|operation, _| (operation == "Query").then_some(Fault::Unsent));
    tickets::forget(&desk.shelf, contact, limits).await.expect_err("the table is down");
    desk.world.table.inject(|_, request| request.to_string().contains("\"INDEX\"").then_some(Fault::Unsent));
    tickets::forget(&desk.shelf, contact, limits).await.expect_err("the pointer is out of reach");
    desk.world.table.heal();
    assert_eq!(desk.build().await.released, 0, "a build in between leaves it out already");
    tickets::forget(&desk.shelf, contact, limits).await.expect("a table").expect("a build");
    assert_eq!(desk.shown().await, Similar::Nothing);
    assert!(desk.world.table.items().iter().all(|item| item["pk"]["S"] != "RELEASED"));
}

#[tokio::test]
async fn erasable_nothing_is_released_of_a_contact_that_is_being_erased() {
    let desk = Desk::with_a_resolved_case().await;
    let contact = desk.world.contact("oskar").await;
    let update = desk.world.table.client().update_item().table_name(carryover_tests::table::TABLE);
    let key = |text: String| aws_sdk_dynamodb::types::AttributeValue::S(text);
    let erasing = aws_sdk_dynamodb::types::AttributeValue::Bool(true);
    let update = update.key("pk", key(format!("CONTACT#{contact}"))).key("sk", key("HEAD".into()));
    update
        .update_expression("SET erasing = :t")
        .expression_attribute_values(":t", erasing)
        .send()
        .await
        .expect("an update");
    assert_eq!(desk.release("The heating rattles", "Bleed the radiator").await, Released::Gone);
}
