//! A conversation: what happened, and what may I promise?

use super::parts::{ago, channel, has_hidden, plain, who, written};
use super::{layout, message, side};
use crate::Console;
use crate::sign_in::Session;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use carryover_shared::case::CaseState;
use carryover_shared::contact::ContactId;
use carryover_shared::desk::{self, Conversation};
use carryover_shared::flag::{Flag, FlagReason};
use carryover_shared::store::StoreError;
use carryover_shared::thread::{Author, BotKind, DeliveryState, Head, Message, Mode, Note, Seq};
use carryover_shared::time::Timestamp;
use maud::{Markup, html};
use serde::Deserialize;
use std::str::FromStr;

/// Messages of a page.
const MESSAGES: usize = 50;
/// Characters that are shown of a message at once.
const SHOWN: usize = 4_000;

/// What a page is asked for.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    before: Option<u64>,
    /// What an open page has seen.
    seen: Option<String>,
    /// What stands beside its conversation.
    beside: Option<String>,
}

/// What the page says besides: why a move was not made, and what was written.
#[derive(Debug, Default)]
pub(crate) struct Said<'a> {
    pub(crate) refused: Option<(StatusCode, String)>,
    pub(crate) draft: &'a str,
}

/// `GET /console/threads/{contact}`, by the contact's id or an identity.
pub async fn show(
    State(console): State<Console>,
    session: Session,
    Path(name): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let contact = match named(&console, &name).await {
        Ok(Some(contact)) => contact,
        Ok(None) => return message::not_found().await,
        Err(error) => return failed(&error),
    };
    page(&console, &session, contact, wanted.before.map(Seq), &Said::default()).await
}

async fn named(console: &Console, name: &str) -> Result<Option<ContactId>, StoreError> {
    if let Ok(contact) = ContactId::from_str(name) {
        return Ok(Some(contact));
    }
    match name.parse() {
        Ok(identity) => console.desk.store.resolve(&identity).await,
        Err(_) => Ok(None),
    }
}

/// The whole page.
pub(crate) async fn page(
    console: &Console,
    session: &Session,
    contact: ContactId,
    before: Option<Seq>,
    said: &Said<'_>,
) -> Response {
    let conversation = match desk::conversation(&console.desk, contact, before, MESSAGES).await {
        Ok(Some(conversation)) => conversation,
        Ok(None) => return message::not_found().await,
        Err(error) => return failed(&error),
    };
    let side = side::read(console, &conversation).await;
    let status = said.refused.as_ref().map_or(StatusCode::OK, |(status, _)| *status);
    let now = console.now();
    let body = html! {
        main #main.conversation {
            @if let Some((_, refused)) = &said.refused { p.refused role="alert" { (refused) } }
            @if !conversation.failed.is_empty() { p.refused { "Not readable just now: " (conversation.failed.join(", ")) "." } }
            (top(&conversation, session, false))
            section.thread aria-label="Conversation" {
                (timeline(&conversation, session, before, &side.known.mark(&conversation), now))
                @if before.is_none() { (answer(&conversation, session, said.draft, console.desk.clock.ulid())) }
            }
            (side::show(&conversation, &side, session, now))
        }
    };
    (status, layout::page(&plain(conversation.who.title()), session, &body)).into_response()
}

/// `GET /console/threads/{contact}/live`: the timeline for a page that is open, with brief and records where they moved;
/// nothing where nothing changed.
pub async fn live(
    State(console): State<Console>,
    session: Session,
    Path(contact): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Response {
    let Ok(contact) = ContactId::from_str(&contact) else { return message::not_found().await };
    match console.desk.store.head(contact).await {
        Ok(Some(head)) if wanted.seen.as_deref() == Some(&*seen(&head, console.now())) => {
            StatusCode::NO_CONTENT.into_response()
        }
        Ok(Some(_)) => match desk::conversation(&console.desk, contact, None, MESSAGES).await {
            Ok(Some(conversation)) => {
                let shown = wanted.beside.as_deref().unwrap_or_default();
                changed(&console, &session, &conversation, shown).await.into_response()
            }
            Ok(None) => message::not_found().await,
            Err(error) => failed(&error),
        },
        Ok(None) => message::not_found().await,
        Err(error) => failed(&error),
    }
}

/// Whoever acts on what they see acts on the whole of it.
async fn changed(console: &Console, session: &Session, conversation: &Conversation, shown: &str) -> Markup {
    let known = side::Known::read(console, conversation).await;
    let (mark, now) = (known.mark(conversation), console.now());
    html! {
        (timeline(conversation, session, None, &mark, now))
        (top(conversation, session, true))
        (banner(&conversation.head, true))
        @if mark != shown { (side::moved(conversation, &known, shown, now)) }
    }
}

/// What an open page has seen; another one each minute, for notes, flags and times.
fn seen(head: &Head, now: Timestamp) -> String {
    let case = head.open_case.map(|case| case.to_string()).unwrap_or_default();
    format!("{}-{}-{case}-{}", head.epoch, head.last_seq, now.seconds() / 60)
}

pub(crate) fn failed(error: &StoreError) -> Response {
    tracing::error!(%error, "a conversation could not be read or written");
    message::failed("This conversation cannot be read just now.")
}

/// `GET /console/threads/{contact}/messages/{seq}`: a long message, whole.
pub async fn whole(
    State(console): State<Console>,
    session: Session,
    Path((contact, seq)): Path<(String, u64)>,
) -> Response {
    let Ok(contact) = ContactId::from_str(&contact) else { return message::not_found().await };
    let store = &console.desk.store;
    let read = async {
        let Some(message) = store.message(contact, Seq(seq)).await? else { return Ok(None) };
        store.whole_text(contact, &message).await.map(Some)
    };
    match read.await {
        Ok(Some(text)) => {
            let body = html! {
                main #main.whole {
                    h1 { "Message " (seq) }
                    p { a href=(format!("/console/threads/{contact}#m{seq}")) { "Back to the conversation" } }
                    div.text { (written(&text)) }
                }
            };
            layout::page("A long message", &session, &body).into_response()
        }
        Ok(None) => message::not_found().await,
        Err(error) => failed(&error),
    }
}

/// Who it is and what can be done; in an answer to an open page it takes the place of what stands there.
fn top(conversation: &Conversation, session: &Session, in_place: bool) -> Markup {
    let head = &conversation.head;
    let channels: Vec<&str> = {
        let mut names: Vec<&str> =
            conversation.messages.iter().map(|message| channel(message.channel)).collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let case = conversation.cases.iter().find(|case| Some(case.case_id) == head.open_case);
    html! {
        header.top #top hx-swap-oob=[in_place.then_some("true")] {
            a.back href="/console" aria-label="Back to the inbox" { "←" }
            h1 { a href=(format!("/console/customers/{}", head.contact_id)) { (who(&conversation.who)) } }
            span.meta { (channels.join(", ")) }
            @if let Some(case) = case {
                span.badge.amber { @match case.state_of_case {
                    CaseState::Open => "needs a person",
                    CaseState::Taken => "taken",
                    CaseState::Reopened => "reopened",
                    CaseState::Resolved => "resolved",
                } }
            }
            @for account in &head.opted_out { span.badge.amber { "opted out of " (account) } }
            a.button.to-brief href="#brief" { "Brief ↓" }
            div.moves { (moves(head, session)) }
        }
    }
}

fn moves(head: &Head, session: &Session) -> Markup {
    let base = format!("/console/threads/{}", head.contact_id);
    let is_mine = head.taken_by.as_ref() == Some(&session.caller.operator);
    if let Some(into) = head.joined_into {
        return html! { a.button href=(format!("/console/threads/{into}")) { "To the conversation that goes on" } };
    }
    html! {
        @match (&head.taken_by, head.mode) {
            (Some(by), _) if !is_mine => { span.meta { "with " (by) } }
            (None, _) => {
                form method="post" action=(format!("{base}/take-over")) {
                    (layout::csrf(session))
                    button.primary type="submit" data-key="t" { "Take over" }
                }
            }
            _ => {}
        }
        @if head.mode == Mode::Human {
            form method="post" action=(format!("{base}/hand-back")) {
                (layout::csrf(session))
                input type="hidden" name="seen" value=(head.last_customer_seq);
                input type="hidden" name="epoch" value=(head.epoch);
                @if head.open_case.is_some() {
                    button type="submit" name="resolve" value="true" { "Hand back and resolve" }
                    button type="submit" name="resolve" value="false" { "Hand back, case stays open" }
                } @else {
                    button type="submit" name="resolve" value="false" { "Hand back" }
                }
            }
        } @else if let Some(case_id) = head.open_case {
            form method="post" action=(format!("{base}/cases/{case_id}/resolve")) {
                (layout::csrf(session))
                input type="hidden" name="seen" value=(head.last_customer_seq);
                input type="hidden" name="epoch" value=(head.epoch);
                button type="submit" { "Resolve the case" }
            }
        }
    }
}

/// Where a message is for the bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Region {
    Covered,
    Pending,
    Verbatim,
}

fn region(conversation: &Conversation, seq: Seq) -> Region {
    match seq {
        seq if seq <= conversation.split.covered_to => Region::Covered,
        seq if seq < conversation.split.window_from => Region::Pending,
        _ => Region::Verbatim,
    }
}

fn timeline(
    conversation: &Conversation,
    session: &Session,
    before: Option<Seq>,
    beside: &str,
    now: Timestamp,
) -> Markup {
    let contact = conversation.head.contact_id;
    let again =
        format!("/console/threads/{contact}/live?seen={}&beside={beside}", seen(&conversation.head, now));
    let taken = taken_by_hand(conversation, before.is_none());
    let mut last = None;
    html! {
        div #timeline tabindex="0" role="log" aria-label="Messages" hx-get=[before.is_none().then_some(again)] hx-trigger=[before.is_none().then_some("every 3s")]
            hx-swap="outerHTML" {
            @if let Some(older) = conversation.older {
                p.more { a.button href=(format!("/console/threads/{contact}?before={older}")) { "Older messages" } }
            }
            @if let Some(earlier) = conversation.earlier_notes {
                p.more { a href=(format!("/console/threads/{contact}/earlier-notes?before={earlier}")) { "Earlier notes" } }
            }
            @if before.is_some() {
                p.more { a href=(format!("/console/threads/{contact}")) { "Newest messages" } }
            }
            @if conversation.messages.is_empty() { p.empty { "Nothing was said yet." } }
            ol.messages {
                @for note in notes_at(conversation, None) { (note_line(note, now)) }
                @for entry in &conversation.messages {
                    @let here = region(conversation, entry.seq);
                    @if last != Some(here) { (boundary(conversation, here)) }
                    @let _ = last.insert(here);
                    @if taken.contains(&entry.seq) { (handed_over()) }
                    (message_line(conversation, entry, session, now))
                    @for note in notes_at(conversation, Some(entry.seq)) { (note_line(note, now)) }
                }
                @if taken.contains(&conversation.head.last_seq.next()) { (handed_over()) }
            }
        }
    }
}

/// Where an operator got the thread without a notice that says so: before which messages, the next one included.
fn taken_by_hand(conversation: &Conversation, is_newest: bool) -> Vec<Seq> {
    let (head, messages) = (&conversation.head, &conversation.messages);
    let mut taken = vec![];
    // Who had the thread before this page is not known: nothing is claimed of it.
    let mut has_person = conversation.older.is_some();
    for (n, message) in messages.iter().enumerate() {
        match message.author {
            Author::Bot => has_person = message.kind == Some(BotKind::Notice),
            Author::Operator if !has_person => {
                taken.push(
                    first_after_move(messages, n, message.epoch.saturating_sub(1)).unwrap_or(message.seq),
                );
                has_person = true;
            }
            Author::Operator | Author::Customer => {}
        }
    }
    if is_newest && head.mode == Mode::Human && head.joined_into.is_none() && !has_person {
        taken.push(first_after_move(messages, messages.len(), head.epoch).unwrap_or(head.last_seq.next()));
    }
    taken
}

/// The first of the customer's messages right before number `n` that came after the move which began this epoch.
fn first_after_move(messages: &[Message], n: usize, epoch: u64) -> Option<Seq> {
    let before = messages.get(..n)?;
    let is_after = |message: &&Message| message.author == Author::Customer && message.epoch == epoch;
    let after = before.iter().rev().take_while(is_after).count();
    let earlier = before.get(..n - after)?.last()?;
    let first = before.get(n - after)?;
    (earlier.epoch < epoch).then_some(first.seq)
}

fn handed_over() -> Markup {
    html! { li.boundary { span { "handed to a person" } } }
}

/// The notes that stand by a message; those before the first message of the page with none.
fn notes_at(conversation: &Conversation, seq: Option<Seq>) -> impl Iterator<Item = &Note> {
    let first = conversation.messages.first().map_or(Seq::LAST, |first| first.seq);
    conversation.notes.iter().filter(move |note| match seq {
        Some(seq) => note.seq == seq,
        None => note.seq < first,
    })
}

fn boundary(conversation: &Conversation, region: Region) -> Markup {
    let (first, covered) = (conversation.head.first_seq, conversation.split.covered_to);
    let history = conversation.snapshot.as_ref().map_or("", |snapshot| &snapshot.history);
    html! {
        li.boundary {
            @match region {
                Region::Covered => {
                    details {
                        summary { "covered by the summary (" (first) "–" (covered) ")" }
                        p.text { (written(history)) }
                    }
                }
                Region::Pending => span { "not summarised yet" },
                Region::Verbatim => span { "word for word from here" },
            }
        }
    }
}

fn message_line(conversation: &Conversation, entry: &Message, session: &Session, now: Timestamp) -> Markup {
    let (author, class) = match entry.author {
        Author::Customer => (conversation.who.title().to_owned(), "customer"),
        Author::Bot => ("bot".to_owned(), "bot"),
        Author::Operator => (
            entry.operator.as_ref().map_or("operator".into(), |operator| operator.as_str().to_owned()),
            "operator",
        ),
    };
    let is_long = entry.omitted_chars > 0 || carryover_shared::text::chars(&entry.text) > SHOWN;
    let shown = if is_long { carryover_shared::text::head(&entry.text, SHOWN) } else { &entry.text };
    html! {
        li.message.(class) id=(format!("m{}", entry.seq)) {
            div.said-by {
                strong { (written(&author)) }
                @if let Some(version) = entry.version { span.meta title="version of the instructions" { "v" (version) } }
                @if entry.kind == Some(BotKind::Notice) { span.badge { "notice" } }
                @if entry.kind == Some(BotKind::Confirmation) { span.badge { "confirmation" } }
                span.meta { (channel(entry.channel)) }
                (delivery(entry.delivery))
                @if has_hidden(&entry.text) || has_hidden(&entry.tail) { span.badge.amber { "hidden characters" } }
                span.meta { (ago(entry.at, now)) }
            }
            div.text { (written(shown)) }
            @if is_long {
                p { a href=(format!("/console/threads/{}/messages/{}", conversation.head.contact_id, entry.seq)) { "Show all of it" } }
            }
            @if !entry.attachments.is_empty() {
                ul.attachments { @for attachment in &entry.attachments { li { (written(&attachment.to_string())) } } }
            }
            @if entry.kind == Some(BotKind::Reply) { (flagging(conversation, entry, session, now)) }
        }
        @if entry.kind == Some(BotKind::Notice) { (handed_over()) }
    }
}

fn delivery(state: Option<DeliveryState>) -> Markup {
    html! {
        @match state {
            None => {}
            Some(DeliveryState::Queued | DeliveryState::Sending) => { span.meta { "on its way" } }
            Some(DeliveryState::Sent) => { span.meta { "✓" span.visually-hidden { "sent" } } }
            Some(DeliveryState::Delivered) => { span.meta { "✓✓" span.visually-hidden { "delivered" } } }
            Some(DeliveryState::Failed) => { span.badge.red { "failed" } }
            Some(DeliveryState::Withheld) => { span.badge.amber { "withheld" } }
            Some(DeliveryState::Unknown) => { span.badge.amber { "unknown whether sent" } }
        }
    }
}

const WRONG: &str = "Marked wrong: the bot no longer repeats it or builds on it.";

fn flagging(conversation: &Conversation, entry: &Message, session: &Session, now: Timestamp) -> Markup {
    let flags: Vec<&Flag> = conversation.flags.iter().filter(|flag| flag.seq == entry.seq).collect();
    let own = flags.iter().find(|flag| flag.operator == session.caller.operator);
    let action = format!("/console/threads/{}/messages/{}/flag", conversation.head.contact_id, entry.seq);
    html! {
        @for flag in &flags {
            p.flag {
                "⚑ " (flag.operator)
                @if let Some(reason) = flag.reason { ": " (reason.words()) }
                @if !flag.note.is_empty() { " “" (written(&flag.note)) "”" }
                " · " (ago(flag.at, now))
            }
        }
        div.flagging {
            @if own.is_none() {
                form method="post" action=(action) {
                    (layout::csrf(session))
                    button.quiet type="submit" aria-label=(format!("Flag message {}", entry.seq)) title=(WRONG) { "⚑ flag" }
                }
            } @else {
                form method="post" action=(format!("{action}/withdraw")) {
                    (layout::csrf(session))
                    button.quiet type="submit" aria-label=(format!("un-flag message {}", entry.seq)) { "un-flag" }
                }
                p.meta { (WRONG) }
                details {
                    summary { "why" }
                    form.stacked method="post" action=(action) {
                        (layout::csrf(session))
                        label { "What was wrong"
                            select name="reason" {
                                option value="" { "–" }
                                @for reason in FlagReason::ALL {
                                    option value=(reason.code()) selected[own.is_some_and(|own| own.reason == Some(reason))] { (reason.words()) }
                                }
                            }
                        }
                        label { "Note" textarea name="note" rows="2" maxlength="4000" { (own.map_or("", |own| &own.note)) } }
                        button type="submit" { "Save" }
                    }
                }
            }
        }
    }
}

pub(super) fn note_line(note: &Note, now: Timestamp) -> Markup {
    html! {
        li.message.note {
            div.said-by { strong { (note.operator) } span.badge { "note" } span.meta { (ago(note.at, now)) } }
            div.text { (written(&note.text)) }
        }
    }
}

/// Answers that are written often.
const CANNED: [(&str, &str); 4] = [
    ("Greeting", "Hello, this is {me}. I have read the conversation and take over from here."),
    (
        "Looking into it",
        "Thank you for your patience. I am looking into this now and write to you again today.",
    ),
    ("Need more", "Could you tell me a little more, so that I can help you quickly?"),
    ("Closing", "Is there anything else that I can do for you? If not, I wish you a good day."),
];

fn banner(head: &Head, in_place: bool) -> Markup {
    html! {
        div #banner hx-swap-oob=[in_place.then_some("true")] {
            @if head.joined_into.is_some() {
                p.banner { "This customer was joined with another. What was said here stays to be read, and the bot remembers it there." }
            } @else if head.mode == Mode::Bot {
                p.banner { "The bot is answering here. Writing silences it." }
            }
        }
    }
}

fn answer(conversation: &Conversation, session: &Session, draft: &str, key: ulid::Ulid) -> Markup {
    let head = &conversation.head;
    let base = format!("/console/threads/{}", head.contact_id);
    let name = &session.caller.operator;
    if head.joined_into.is_some() {
        return html! { div.answer { (banner(head, false)) } };
    }
    html! {
        div.answer {
            (banner(head, false))
            form.stacked method="post" action=(format!("{base}/messages")) {
                (layout::csrf(session))
                input type="hidden" name="key" value=(key);
                label.visually-hidden for="reply" { "Reply as " (name) }
                textarea #reply name="text" rows="3" required placeholder=(format!("reply as {name} …")) { (draft) }
                div.buttons {
                    label.canned { span.visually-hidden { "Canned replies" }
                        select data-canned="reply" {
                            option value="" { "Canned replies" }
                            @for (title, text) in CANNED { option value=(text.replace("{me}", name.as_str())) { (title) } }
                        }
                    }
                    button.primary type="submit" { "Send" }
                }
            }
            details.note-form {
                summary { "Write a note" }
                form.stacked method="post" action=(format!("{base}/notes")) {
                    (layout::csrf(session))
                    input type="hidden" name="key" value=(key);
                    label { "Only operators see it"
                        textarea name="text" rows="2" required maxlength="4000" {}
                    }
                    button type="submit" { "Keep the note" }
                }
            }
        }
    }
}
