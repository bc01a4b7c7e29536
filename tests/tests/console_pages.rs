//! The pages of the console, as a browser without scripts gets them.

use axum::http::StatusCode;
use carryover_shared::admit::Answer as Admitted;
use carryover_shared::contact::ContactId;
use carryover_shared::facts::{AsOf, Fact};
use carryover_shared::feedback::Rating;
use carryover_shared::handoff;
use carryover_shared::memory::Origin;
use carryover_shared::portal;
use carryover_shared::routing::Routing;
use carryover_shared::thread::{Author, Mode, Seq};
use carryover_shared::traits::Question;
use carryover_shared::turn::End;
use carryover_tests::console::{Answer, Browser, Desk};
use carryover_tests::model::FakeModel;
use carryover_tests::provider::{ALEX, ROBIN};
use carryover_tests::world::{Thinking, World, operator};
use serde_json::json;
use std::time::Duration;

fn polite() -> FakeModel {
    FakeModel::new(|_: &Question| {
        Ok(json!({"action": "reply", "reply": "Gladly.", "category": "", "reason": ""}))
    })
}

async fn desk() -> Desk {
    Desk::over(World::new(polite()).await).await
}

async fn asks(desk: &Desk, who: &str, text: &str) -> End {
    let id = desk.world.ctx.clock.ulid().to_string();
    match desk.world.write(who, &id, text).await.expect("an answer") {
        Admitted::New { end, .. } => end,
        other => panic!("{other:?}"),
    }
}

/// Ana asked for her deposit, and a case waits for a person.
async fn with_a_case() -> Desk {
    let desk = desk().await;
    asks(&desk, "ana", "When do I get my deposit back?").await;
    desk
}

async fn page_of(desk: &Desk, browser: &mut Browser<'_>, who: &str) -> (String, Answer) {
    let path = format!("/console/threads/{}", desk.world.contact(who).await);
    let page = browser.get(&path).await;
    assert_eq!(page.status, StatusCode::OK, "{page:?}");
    (path, page)
}

/// What a hidden field of a page holds.
fn field<'a>(page: &'a Answer, name: &str) -> &'a str {
    let held = page.body.split(&format!("name=\"{name}\" value=\"")).nth(1);
    held.and_then(|rest| rest.split('"').next()).unwrap_or_else(|| panic!("no {name}: {page:?}"))
}

/// Hands the thread back as a page that was just opened does.
async fn hands_back(desk: &Desk, browser: &mut Browser<'_>, who: &str, resolve: &str) -> Answer {
    let (path, page) = page_of(desk, browser, who).await;
    let form = [("resolve", resolve), ("seen", field(&page, "seen")), ("epoch", field(&page, "epoch"))];
    browser.submit(&page, &format!("{path}/hand-back"), &form).await
}

fn leads_back(answer: &Answer, path: &str) {
    assert_eq!((answer.status, answer.location()), (StatusCode::SEE_OTHER, path), "{answer:?}");
}

fn rows(page: &Answer) -> usize {
    page.body.matches("class=\"row\"").count()
}

#[tokio::test]
async fn the_inbox_shows_who_waits_for_what_and_each_tab_its_own() {
    let desk = with_a_case().await;
    asks(&desk, "leo", "Is the pool open?").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let inbox = browser.get("/console").await;
    assert_eq!(rows(&inbox), 1);
    for shown in ["chat:ana", "web chat", "deposit", "When do I get my deposit back?", "Needs a person <span"]
    {
        assert!(inbox.body.contains(shown), "{shown}: {}", inbox.body);
    }
    let bot = browser.get("/console?tab=bot").await;
    assert!(rows(&bot) == 1 && bot.body.contains("chat:leo"), "{}", bot.body);
    assert!(browser.get("/console?tab=mine").await.body.contains("You have nothing open."));
    assert!(browser.get("/console?tab=resolved").await.body.contains("Nothing was resolved yet."));

    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    leads_back(&browser.submit(&page, &format!("{path}/take-over"), &[]).await, &path);
    assert_eq!(rows(&browser.get("/console?tab=mine").await), 1);
    assert_eq!(rows(&desk.browser_of(&ALEX).await.get("/console?tab=mine").await), 0);
}

#[tokio::test]
async fn the_inbox_is_searched_by_identity_name_and_brief() {
    let desk = with_a_case().await;
    let ana = desk.world.contact("ana").await;
    desk.world.set_snapshot(ana, "summary_text", "She moved out of Alba on Monday.").await;
    asks(&desk, "leo", "I want a refund!").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    for (search, found) in
        [("ALBA", "chat:ana"), ("chat%3Aleo", "chat:leo"), ("leo", "chat:leo"), ("refund", "chat:leo")]
    {
        let page = browser.get(&format!("/console?q={search}")).await;
        assert!(rows(&page) == 1 && page.body.contains(found), "{search}: {}", page.body);
    }
    let nothing = browser.get("/console?q=%3Cb%3Enobody").await;
    assert!(
        rows(&nothing) == 0 && nothing.body.contains("Nothing found") && !nothing.body.contains("<b>nobody")
    );
}

#[tokio::test]
async fn hundreds_of_cases_are_read_page_by_page() {
    let desk = desk().await;
    for n in 0..60 {
        asks(&desk, &format!("c{n}"), "When do I get my deposit back?").await;
    }
    let mut browser = desk.browser_of(&ROBIN).await;
    let (mut path, mut seen) = ("/console".to_owned(), vec![]);
    loop {
        let page = browser.get(&path).await;
        seen.extend(
            page.body
                .split("href=\"/console/threads/")
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
                .map(str::to_owned),
        );
        let next = page.body.split("class=\"button\" href=\"").nth(1).and_then(|rest| rest.split('"').next());
        match next {
            Some(next) => path = next.replace("&amp;", "&"),
            None => break,
        }
    }
    let all = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!((all, seen.len()), (60, 60));
}

#[tokio::test]
async fn an_open_inbox_is_told_nothing_until_something_changes() {
    let desk = with_a_case().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let again = |page: &Answer| {
        let address = page.body.split("hx-get=\"").nth(1).and_then(|rest| rest.split('"').next());
        address.expect("a part that is read again").replace("&amp;", "&")
    };
    let first = browser.get("/console").await;
    desk.world.table.take_calls();
    let nothing = browser.get(&again(&first)).await;
    assert_eq!((nothing.status, nothing.body.as_str()), (StatusCode::NO_CONTENT, ""));
    assert_eq!(desk.world.table.take_calls().len(), 1, "one read");
    asks(&desk, "leo", "I want a refund!").await;
    let changed = browser.get(&again(&first)).await;
    assert_eq!((changed.status, rows(&changed)), (StatusCode::OK, 2));
    desk.world.clock.advance(Duration::from_secs(60));
    assert_eq!(browser.get(&again(&changed)).await.status, StatusCode::OK, "times pass");
}

#[tokio::test]
async fn an_open_conversation_is_told_nothing_until_somebody_writes() {
    let desk = with_a_case().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    desk.world.table.take_calls();
    assert_eq!(browser.get(&live(&page)).await.status, StatusCode::NO_CONTENT);
    assert_eq!(desk.world.table.take_calls().len(), 1, "one read");
    asks(&desk, "ana", "Hello?").await;
    let changed = browser.get(&live(&page)).await;
    assert!(changed.status == StatusCode::OK && changed.body.contains("Hello?"), "{changed:?}");
}

/// The address of what an open page asks again.
fn live(page: &Answer) -> String {
    let live = page.body.split("hx-get=\"").nth(1).and_then(|rest| rest.split('"').next());
    live.expect("a live part").replace("&amp;", "&")
}

#[tokio::test]
async fn an_open_conversation_hears_of_brief_and_records_that_moved_and_keeps_its_forms() {
    let desk = with_a_case().await;
    let ana = desk.world.contact("ana").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    let is_there = |answer: &Answer, part: &str| answer.body.contains(&format!("id=\"{part}\" hx-swap-oob"));
    desk.world.clock.advance(Duration::from_secs(60));
    let same = browser.get(&live(&page)).await;
    assert!(
        same.status == StatusCode::OK && !is_there(&same, "brief") && !is_there(&same, "facts"),
        "{same:?}"
    );

    desk.world.set_snapshot(ana, "summary_text", "She moved out on Monday.").await;
    desk.world.clock.advance(Duration::from_secs(60));
    let moved = browser.get(&live(&same)).await;
    assert!(is_there(&moved, "brief") && moved.body.contains("She moved out on Monday."), "{moved:?}");
    assert!(
        !moved.body.contains("name=\"tags\"") && !moved.body.contains("There is another case."),
        "{moved:?}"
    );
    put_fact(&desk, ana, "O-1").await;
    desk.world.clock.advance(Duration::from_secs(60));
    let moved = browser.get(&live(&moved)).await;
    assert!(is_there(&moved, "facts") && moved.body.contains("O-1"), "{moved:?}");

    hands_back(&desk, &mut browser, "ana", "true").await;
    asks(&desk, "ana", "I want a refund!").await;
    let another = browser.get(&live(&moved)).await;
    assert!(is_there(&another, "brief") && another.body.contains("There is another case."), "{another:?}");
}

async fn put_fact(desk: &Desk, contact: ContactId, id: &str) {
    let (now, limits) = (desk.world.ctx.clock.now(), &desk.world.ctx.limits);
    let fact = Fact::checked("order", id, AsOf::from(now), "shop", json!({"status": "packed"}), limits);
    desk.world.ctx.store.put_fact(contact, &fact.expect("a fact"), limits).await.expect("a table");
}

#[tokio::test]
async fn where_an_operator_took_over_without_a_case_the_conversation_says_so() {
    let desk = desk().await;
    asks(&desk, "ana", "Is the pool open?").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(!page.body.contains("handed to a person"), "{}", page.body);
    browser.submit(&page, &format!("{path}/take-over"), &[]).await;
    let place = async |browser: &mut Browser<'_>| {
        let (_, page) = page_of(&desk, browser, "ana").await;
        let parts: Vec<&str> = page.body.split("handed to a person").collect();
        assert_eq!(parts.len(), 2, "once: {}", page.body);
        parts[0].matches("<li class=\"message").count()
    };
    assert_eq!(place(&mut browser).await, 2, "behind the reply");
    desk.world.write("ana", "m2", "Hello?").await.expect("an answer");
    assert_eq!(place(&mut browser).await, 2, "before what she wrote to a person");
    handoff::say(&desk.world.handoff(), desk.world.contact("ana").await, &operator("robin"), "Hi.", None)
        .await
        .expect("he may");
    assert_eq!(place(&mut browser).await, 2, "and so it stays");
}

#[tokio::test]
async fn the_team_of_a_case_is_shown_wherever_the_case_is() {
    let mut world = World::new(polite()).await;
    let slack = json!({"front": {"slack": "https://hooks.slack.example/T1"}});
    let routing = json!({"teams": slack, "routes": {"default": {"team": "front"}}}).to_string();
    world.ctx.routing = std::sync::Arc::new(Routing::parse(&routing).expect("a routing"));
    let desk = Desk::over(world).await;
    asks(&desk, "ana", "When do I get my deposit back?").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    assert!(browser.get("/console").await.body.contains("team <bdi>front</bdi>"));
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(page.body.contains("<strong>Team: </strong><bdi>front</bdi>"), "{}", page.body);
    assert!(page.body.contains("href=\"#brief\"") && page.body.contains("id=\"brief\""));
    assert_eq!(desk.api(&ROBIN).get("/v1/cases").await.json()["items"][0]["team"], "front");
}

#[tokio::test]
async fn a_conversation_says_why_the_bot_stopped_what_is_known_and_where_its_memory_ends() {
    let desk = with_a_case().await;
    let ana = desk.world.contact("ana").await;
    desk.world.set_snapshot(ana, "summary_text", "She moved out on Monday.").await;
    desk.world.set_snapshot(ana, "open_questions", ["When is the deposit back?"]).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    for shown in [
        "A rule of the agent says that people answer this: deposit.",
        "She moved out on Monday.",
        "When is the deposit back?",
        "word for word from here",
        "handed to a person",
        "What the bot was given (trace)",
        "The account has no records.",
        "Nothing is remembered yet.",
    ] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    let trace = page
        .body
        .split("href=\"")
        .find(|rest| rest.contains("/traces/"))
        .and_then(|rest| rest.split('"').next());
    let trace = browser.get(trace.expect("a link")).await;
    assert!(trace.status == StatusCode::OK && trace.body.contains("You are the support bot"), "{trace:?}");
}

#[tokio::test]
async fn what_the_summary_covers_is_told_from_what_the_bot_sees_word_for_word() {
    let desk = desk().await;
    asks(&desk, "ana", "Hello").await;
    let ana = desk.world.contact("ana").await;
    for n in 0..20 {
        asks(&desk, "ana", &format!("Question {n}")).await;
    }
    desk.world.set_snapshot(ana, "folded_through", 10).await;
    desk.world.set_history(ana, "Language: English\nThey said hello.").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    let at = |text: &str| page.body.find(text).unwrap_or_else(|| panic!("{text}: {}", page.body));
    assert!(at("covered by the summary (1–10)") < at("id=\"m10\""));
    assert!(page.body.contains("They said hello."));
    assert!(at("id=\"m10\"") < at("not summarised yet") && at("not summarised yet") < at("id=\"m11\""));
    assert!(at("id=\"m11\"") < at("word for word from here"));
}

#[tokio::test]
async fn an_operator_takes_over_answers_writes_a_note_and_hands_back() {
    let desk = with_a_case().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    leads_back(&browser.submit(&page, &format!("{path}/take-over"), &[]).await, &path);
    let key = field(&page, "key");
    let reply = [("key", key), ("text", "Within a week.\r\nPromised.")];
    leads_back(&browser.submit(&page, &format!("{path}/messages"), &reply).await, &path);
    leads_back(&browser.submit(&page, &format!("{path}/messages"), &reply).await, &path);
    let log = desk.world.log("ana").await;
    let said: Vec<&str> = log
        .iter()
        .filter(|message| message.author == Author::Operator)
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(said, ["Within a week.\nPromised."], "pressed twice, said once");

    leads_back(
        &browser.submit(&page, &format!("{path}/notes"), &[("text", "She is upset."), ("key", key)]).await,
        &path,
    );
    assert!(page_of(&desk, &mut browser, "ana").await.1.body.contains("She is upset."));
    leads_back(&hands_back(&desk, &mut browser, "ana", "true").await, &path);
    assert_eq!(desk.world.head("ana").await.mode, Mode::Bot);
    assert_eq!(rows(&browser.get("/console?tab=resolved").await), 1);
}

#[tokio::test]
async fn a_stale_click_is_told_who_has_it_and_what_came() {
    let desk = with_a_case().await;
    let (mut robin, mut alex) = (desk.browser_of(&ROBIN).await, desk.browser_of(&ALEX).await);
    let (path, robins) = page_of(&desk, &mut robin, "ana").await;
    let (_, alexs) = page_of(&desk, &mut alex, "ana").await;
    robin.submit(&robins, &format!("{path}/take-over"), &[]).await;
    let late = alex.submit(&alexs, &format!("{path}/take-over"), &[]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(late.body.contains("Already taken by robin."), "{}", late.body);
    assert_eq!(desk.world.head("ana").await.taken_by.expect("somebody").as_str(), "robin");

    let (_, robins) = page_of(&desk, &mut robin, "ana").await;
    asks(&desk, "ana", "And the key?").await;
    let form = [("resolve", "true"), ("seen", field(&robins, "seen")), ("epoch", field(&robins, "epoch"))];
    let stale = robin.submit(&robins, &format!("{path}/hand-back"), &form).await;
    assert!(
        stale.status == StatusCode::CONFLICT && stale.body.contains("A new message came"),
        "{}",
        stale.body
    );
    assert_eq!(desk.world.head("ana").await.mode, Mode::Human);
}

#[tokio::test]
async fn a_stale_hand_back_takes_the_thread_from_nobody() {
    let desk = with_a_case().await;
    let (mut robin, mut alex) = (desk.browser_of(&ROBIN).await, desk.browser_of(&ALEX).await);
    let (path, robins) = page_of(&desk, &mut robin, "ana").await;
    let (_, alexs) = page_of(&desk, &mut alex, "ana").await;
    leads_back(&alex.submit(&alexs, &format!("{path}/take-over"), &[]).await, &path);
    let form = [("resolve", "true"), ("seen", field(&robins, "seen")), ("epoch", field(&robins, "epoch"))];
    let stale = robin.submit(&robins, &format!("{path}/hand-back"), &form).await;
    assert!(
        stale.status == StatusCode::CONFLICT && stale.body.contains("Already taken by alex."),
        "{}",
        stale.body
    );
    assert_eq!(desk.world.head("ana").await.taken_by.expect("alex").as_str(), "alex");
}

#[tokio::test]
async fn whoever_writes_to_an_operator_without_a_case_is_seen_to_wait() {
    let desk = desk().await;
    asks(&desk, "ana", "Is the pool open?").await;
    desk.world.takes_over("ana").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    assert!(!browser.get("/console").await.body.contains("waits"));
    asks(&desk, "ana", "Hello?").await;
    desk.world.clock.advance(Duration::from_secs(desk.world.ctx.limits.case_minutes * 60 + 1));
    let inbox = browser.get("/console").await;
    assert!(inbox.body.contains("waits") && inbox.body.contains("overdue"), "{}", inbox.body);
    desk.world.says("ana", "From ten.").await;
    assert!(!browser.get("/console").await.body.contains("waits"));
}

#[tokio::test]
async fn one_unreadable_item_hides_no_other() {
    let desk = with_a_case().await;
    asks(&desk, "leo", "I want a refund!").await;
    let ana = desk.world.contact("ana").await;
    let case_id = desk.world.head("ana").await.open_case.expect("a case");
    desk.world.table.set(&format!("CONTACT#{ana}"), &format!("CASE#{case_id}"), "category", "new word").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    assert_eq!(rows(&browser.get("/console").await), 1);
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(page.body.contains("The brief cannot be read just now."), "{}", page.body);
    assert!(page.body.contains("Not readable just now: cases."), "{}", page.body);
}

#[tokio::test]
async fn a_reply_in_other_words_is_not_swallowed() {
    let desk = with_a_case().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    let key = field(&page, "key");
    let say = format!("{path}/messages");
    leads_back(&browser.submit(&page, &say, &[("key", key), ("text", "Within a week.")]).await, &path);
    let other = browser.submit(&page, &say, &[("key", key), ("text", "Within two weeks.")]).await;
    assert!(
        other.status == StatusCode::CONFLICT && other.body.contains("Within two weeks."),
        "{}",
        other.body
    );
    assert_ne!(field(&other, "key"), key, "sent again, it is another one");
}

#[tokio::test]
async fn what_is_hidden_by_the_thousand_leaves_a_page_small() {
    let desk = desk().await;
    for n in 0..20 {
        asks(&desk, "ana", &format!("{n}{}", "a\u{200b}".repeat(2_000))).await;
    }
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(page.body.len() < 1_000_000, "{} bytes", page.body.len());
    let whole = browser.get(&format!("{path}/messages/1")).await;
    assert!(whole.body.len() < 100_000, "{} bytes", whole.body.len());
}

#[tokio::test]
async fn a_page_is_reached_through_the_sign_in() {
    let desk = with_a_case().await;
    let path = format!("/console/threads/{}", desk.world.contact("ana").await);
    let entered = desk.browser().sign_in_from(&path, &ROBIN).await;
    assert_eq!(entered.location(), path);
}

#[tokio::test]
async fn what_was_written_is_kept_where_it_cannot_be_sent() {
    let desk = with_a_case().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    let long = "y".repeat(desk.world.ctx.limits.admit_chars + 1);
    let reply = [("key", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), ("text", long.as_str())];
    let refused = browser.submit(&page, &format!("{path}/messages"), &reply).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert!(refused.body.contains("Text must have 1 to 100000 characters") && refused.body.contains(&long));
}

#[tokio::test]
async fn silent_means_silent_whoever_takes_over_while_the_bot_thinks_wins() {
    let model = Thinking::before(polite());
    let desk = Desk::over(World::new(model.clone()).await).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let turn = asks(&desk, "ana", "Is the pool open?");
    let operator = async {
        model.asked().await;
        let (path, page) = page_of(&desk, &mut browser, "ana").await;
        assert!(page.body.contains("The bot is answering here."));
        browser.submit(&page, &format!("{path}/take-over"), &[]).await;
        let reply = [("key", "01ARZ3NDEKTSV4RRFFQ69G5FAV"), ("text", "From ten.")];
        browser.submit(&page, &format!("{path}/messages"), &reply).await;
        leads_back(&hands_back(&desk, &mut browser, "ana", "false").await, &path);
        model.go_on();
    };
    let (end, ()) = futures::join!(turn, operator);
    assert_eq!(end, End::Silent, "its draft dies");
    let authors: Vec<Author> = desk.world.log("ana").await.iter().map(|message| message.author).collect();
    assert_eq!(authors, [Author::Customer, Author::Operator]);
}

#[tokio::test]
async fn a_reply_is_flagged_with_one_click_by_several_and_each_takes_their_own_back() {
    let desk = desk().await;
    asks(&desk, "ana", "Is the pool open?").await;
    let (mut robin, mut alex) = (desk.browser_of(&ROBIN).await, desk.browser_of(&ALEX).await);
    let (path, page) = page_of(&desk, &mut robin, "ana").await;
    let flag = format!("{path}/messages/2/flag");
    leads_back(&robin.submit(&page, &flag, &[]).await, &format!("{path}#m2"));
    let why = [("reason", "incorrect_information"), ("note", "wrong wifi")];
    robin.submit(&page, &flag, &why).await;
    let (_, page) = page_of(&desk, &mut alex, "ana").await;
    alex.submit(&page, &flag, &[("note", "that's 4B's")]).await;
    let (_, page) = page_of(&desk, &mut robin, "ana").await;
    for shown in ["⚑ robin: incorrect information", "wrong wifi", "that's 4B's"] {
        assert!(page.body.contains(shown), "{shown}: {}", page.body);
    }
    robin.submit(&page, &format!("{flag}/withdraw"), &[]).await;
    let (_, page) = page_of(&desk, &mut robin, "ana").await;
    assert!(!page.body.contains("wrong wifi") && page.body.contains("that's 4B's"), "{}", page.body);
}

#[tokio::test]
async fn what_a_customer_writes_is_shown_as_text_and_hides_nothing() {
    let desk = desk().await;
    let text = "<script>alert(1)</script><img src=x onerror=alert(1)> \u{202e}gnp.exe\u{200b} \"'>";
    asks(&desk, "ana", text).await;
    asks(&desk, "leo", &format!("{} deposit", "<b>x".repeat(12_500))).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(page.body.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{}", page.body);
    assert!(
        page.body.contains("hidden characters")
            && page.body.contains("U+202E")
            && page.body.contains("U+200B")
    );
    let whole = browser.get(&format!("{path}/messages/1")).await;
    let (long_path, long) = page_of(&desk, &mut browser, "leo").await;
    let all = browser.get(&format!("{long_path}/messages/1")).await;
    assert_eq!(all.body.matches("&lt;b&gt;x").count(), 12_500, "nothing is left out");
    let inbox = browser.get("/console").await;
    for page in [&page, &whole, &long, &all, &inbox] {
        for harm in ["<script>alert", "<img", "<b>x", "\u{202e}"] {
            assert!(!page.body.contains(harm), "{harm}");
        }
    }
    assert!(long.body.len() < 60_000, "{} bytes of a page", long.body.len());
}

#[tokio::test]
async fn a_thread_of_ten_thousand_messages_opens_and_pages_backwards() {
    let desk = desk().await;
    asks(&desk, "ana", "Hello").await;
    let log: Vec<String> = (0..10_000).map(|n| format!("line {n}")).collect();
    let log: Vec<(Author, &str)> = log.iter().map(|text| (Author::Customer, text.as_str())).collect();
    desk.world.create("long").await;
    desk.world.import("long", &log).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    desk.world.table.take_calls();
    let (path, page) = page_of(&desk, &mut browser, "long").await;
    let reads = desk.world.table.take_calls().len();
    assert!(reads <= 20, "{reads} reads");
    assert_eq!(page.body.matches("<li class=\"message customer\"").count(), 50);
    assert!(page.body.contains("line 9999") && page.body.contains(&format!("{path}?before=9951")));
    let before = browser.get(&format!("{path}?before=9951")).await;
    assert!(before.body.contains("line 9949") && !before.body.contains("line 9950<"), "{}", before.body);
    let first = browser.get(&format!("{path}?before=30")).await;
    assert_eq!(first.body.matches("<li class=\"message customer\"").count(), 29);
    assert!(!first.body.contains("Older messages"));
}

#[tokio::test]
async fn what_cannot_be_read_is_shown_as_failed_and_never_as_empty() {
    let desk = with_a_case().await;
    let ana = desk.world.contact("ana").await;
    desk.world.table.set(&format!("FACTS#{ana}"), "FACT#order#O-1", "data", 7).await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(page.body.contains("The records cannot be read just now."), "{}", page.body);
    assert!(!page.body.contains("The account has no records."));
}

#[tokio::test]
async fn replies_that_were_not_sent_are_shown_as_such() {
    let desk = desk().await;
    asks(&desk, "ana", "Is the pool open?").await;
    let ana = desk.world.contact("ana").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    for (state, shown) in
        [("withheld", "withheld"), ("failed", "failed"), ("unknown", "unknown whether sent")]
    {
        desk.world.table.set(&format!("CONTACT#{ana}"), "MSG#0000000002", "delivery", state).await;
        let (_, page) = page_of(&desk, &mut browser, "ana").await;
        assert!(page.body.contains(&format!("\">{shown}</span>")), "{shown}: {}", page.body);
    }
}

#[tokio::test]
async fn a_case_is_labelled_assigned_and_reopened_on_its_page() {
    let desk = with_a_case().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    let case_id = desk.world.head("ana").await.open_case.expect("a case");
    let case = format!("{path}/cases/{case_id}");
    browser
        .submit(
            &page,
            &format!("{case}/label"),
            &[("priority", "urgent"), ("tags", "vip, wifi"), ("labelled", "0")],
        )
        .await;
    let stale = [("priority", "low"), ("tags", ""), ("labelled", "0")];
    let mut alex = desk.browser_of(&ALEX).await;
    let (_, his) = page_of(&desk, &mut alex, "ana").await;
    let stale = alex.submit(&his, &format!("{case}/label"), &stale).await;
    let said = "Priority and tags were changed meanwhile by robin: look again.";
    assert!(stale.status == StatusCode::CONFLICT && stale.body.contains(said), "{}", stale.body);
    browser.submit(&page, &format!("{case}/assign"), &[("to", "alex")]).await;
    let inbox = browser.get("/console").await;
    for badge in ["urgent", "vip", "wifi", "taken: alex"] {
        assert!(inbox.body.contains(badge), "{badge}: {}", inbox.body);
    }
    browser.submit(&page, &format!("{case}/assign"), &[("to", "")]).await;
    let epoch = desk.world.head("ana").await.epoch.to_string();
    let form = [("seen", "1"), ("epoch", epoch.as_str())];
    leads_back(&browser.submit(&page, &format!("{case}/resolve"), &form).await, &path);
    let again = browser.submit(&page, &format!("{case}/resolve"), &form).await;
    assert!(again.status == StatusCode::CONFLICT && again.body.contains("This case is resolved already."));
    leads_back(&browser.submit(&page, &format!("{case}/reopen"), &[]).await, &path);
    assert_eq!(desk.world.head("ana").await.open_case, Some(case_id));
}

#[tokio::test]
async fn isolation_a_page_that_names_no_contact_shows_nothing() {
    let desk = with_a_case().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    for name in ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "chat:nobody", "x", "01ARZ3NDEKTSV4RRFFQ69G5FAV/live"] {
        let page = browser.get(&format!("/console/threads/{name}")).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{name}");
    }
    assert_eq!(browser.get("/console/threads/chat:ana").await.status, StatusCode::OK);
    assert_eq!(desk.world.head("ana").await.last_seq, Seq(2));
}

#[tokio::test]
async fn an_address_that_forms_are_sent_to_leads_to_its_page_when_it_is_loaded() {
    let desk = with_a_case().await;
    let case_id = desk.world.head("ana").await.open_case.expect("a case");
    let ana = desk.world.contact("ana").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let case = |what: &str| format!("threads/{ana}/cases/{case_id}/{what}");
    let of_case = ["resolve", "reopen", "assign", "label", "release"].map(case);
    let thread = [
        "take-over",
        "hand-back",
        "messages",
        "notes",
        "messages/2/flag",
        "messages/2/flag/withdraw",
        "memories/forget",
    ];
    let of_thread = thread.map(|what| format!("threads/{ana}/{what}"));
    let of_customer = ["records", "records/edit", "identities", "unlink", "join", "erase"]
        .map(|what| format!("customers/{ana}/{what}"));
    for path in of_case.into_iter().chain(of_thread).chain(of_customer) {
        let page = path.split('/').take(2).collect::<Vec<_>>().join("/");
        leads_back(&browser.get(&format!("/console/{path}")).await, &format!("/console/{page}"));
        let outside = desk.browser().get(&format!("/console/{path}")).await;
        assert!(outside.location().contains("/authorize?"), "{outside:?}");
    }
    assert_eq!(browser.get("/console/threads/chat:ana/notes").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_page_with_many_notes_shows_the_newest_and_leads_to_the_earlier_ones() {
    let desk = with_a_case().await;
    let ana = desk.world.contact("ana").await;
    for n in 0..=500 {
        desk.world.clock.advance(Duration::from_millis(5));
        let note =
            handoff::note(&desk.world.handoff(), ana, &operator("leo"), &format!("note-{n}."), None).await;
        note.expect("he may");
    }
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(
        page.body.contains("note-500.") && page.body.contains("note-1.") && !page.body.contains("note-0.")
    );
    let earlier = page.body.split("href=\"").find(|link| link.contains("earlier-notes")).expect("a link");
    let earlier = browser.get(earlier.split('"').next().expect("an address")).await;
    assert!(earlier.body.contains("note-0.") && !earlier.body.contains("note-1."), "{}", earlier.body);
    let newest = browser.get(&format!("{path}/earlier-notes?before=x")).await;
    assert!(newest.body.contains("note-451.") && newest.body.contains("Earlier notes"), "{}", newest.body);
}

#[tokio::test]
async fn a_memory_is_forgotten_for_good() {
    let desk = desk().await;
    asks(&desk, "ana", "Is the pool open?").await;
    desk.world.retain().await;
    asks(&desk, "ana", "And the sauna?").await;
    let again = desk.world.sent.take_retentions();
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(page.body.contains("Forget this") && page.body.contains("message 2"), "{}", page.body);
    let origin = [("origin", "reply-2")];
    leads_back(&browser.submit(&page, &format!("{path}/memories/forget"), &origin).await, &path);
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(page.body.contains("Nothing is remembered yet."), "{}", page.body);

    let ana = desk.world.contact("ana").await;
    let job = carryover_shared::job::Retained::Reply { seq: Seq(2) };
    let repeated = carryover_shared::job::RetentionJob { contact_id: ana, what: job };
    for job in again.into_iter().chain([repeated]) {
        carryover_shared::traits::Queue::send_retention(&*desk.world.sent, &job).await.expect("a queue");
    }
    desk.world.retain().await;
    let (_, page) = page_of(&desk, &mut browser, "ana").await;
    assert!(page.body.contains("message 4") && !page.body.contains("message 2 ·"), "{}", page.body);
}

#[tokio::test]
async fn a_reply_that_was_forgotten_does_not_come_back_with_what_was_thought_of_it() {
    let desk = desk().await;
    asks(&desk, "ana", "Is the pool open?").await;
    desk.world.retain().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    let origin = [("origin", "reply-2")];
    leads_back(&browser.submit(&page, &format!("{path}/memories/forget"), &origin).await, &path);

    let (ana, seq) = (desk.world.contact("ana").await, Seq(2));
    portal::rate(&desk.world.ctx, ana, seq, (Rating::Down, "That is wrong.")).await.expect("a table");
    desk.world.retain().await;

    let kept = desk.world.ctx.store.memory(ana, Origin::Feedback(seq)).await.expect("a table");
    let kept = kept.expect("what she thought").exchange;
    assert_eq!((kept.said.as_str(), kept.replied.as_str()), ("customer: thumbs down; That is wrong.", ""));
}

#[tokio::test]
async fn where_hindsight_keeps_memories_the_page_says_that_it_lists_the_tables_alone() {
    let mut desk = desk().await;
    asks(&desk, "ana", "Is the pool open?").await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let without = page_of(&desk, &mut browser, "ana").await.1;
    assert!(!without.body.contains("Hindsight") && without.body.contains("Nothing is remembered yet."));
    desk.has_hindsight();
    let mut browser = desk.browser_of(&ROBIN).await;
    let with = page_of(&desk, &mut browser, "ana").await.1;
    let said =
        with.body.contains("other memories are in Hindsight") && !with.body.contains("Nothing is remembered");
    assert!(said, "{}", with.body);
    let memories = desk.api(&ROBIN).get("/v1/threads/chat:ana/memories").await.json();
    assert_eq!(memories["others_in_hindsight"], true);
}

#[tokio::test]
async fn a_resolved_case_is_released_in_words_without_anybody() {
    let desk = with_a_case().await;
    let mut browser = desk.browser_of(&ROBIN).await;
    let (path, page) = page_of(&desk, &mut browser, "ana").await;
    let case_id = desk.world.head("ana").await.open_case.expect("a case");
    let release = format!("{path}/cases/{case_id}/release");
    let words =
        [("problem", "A guest asks for the deposit."), ("solution", "It is paid back within 7 days.")];
    let early = browser.submit(&page, &release, &words).await;
    assert!(
        early.status == StatusCode::BAD_REQUEST && early.body.contains("Only a resolved case"),
        "{early:?}"
    );
    hands_back(&desk, &mut browser, "ana", "true").await;
    let theirs = [("problem", "When do I get my deposit back?"), ("solution", "Soon.")];
    assert_eq!(browser.submit(&page, &release, &theirs).await.status, StatusCode::BAD_REQUEST, "their words");
    let released = browser.submit(&page, &release, &words).await;
    assert!(
        released.status == StatusCode::OK && released.body.contains("It joins the past cases"),
        "{released:?}"
    );
    assert_eq!(desk.world.ctx.store.released_cases(10).await.expect("a table").len(), 1);
}
