//! The inbox: what needs a person, page by page.

use super::{Who, who};
use crate::case::{Case, CaseState};
use crate::contact::{ContactId, Identity};
use crate::handoff::Context;
use crate::operator::Operator;
use crate::store::{Cursor, Entry, List, ListPart, Order, Stated, StoreError};
use crate::thread::{Head, Message, Mode};
use crate::time::Timestamp;
use futures::stream::{StreamExt, TryStreamExt};
use std::time::Duration;

/// A tab of the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tab {
    /// Cases that are not resolved and threads that a person has, the oldest first.
    NeedsAPerson,
    /// Those of one operator.
    Mine,
    /// Threads of the bot, the newest first.
    Bot,
    /// Resolved cases, the newest first.
    Resolved,
}

impl Tab {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 4] = [Self::NeedsAPerson, Self::Mine, Self::Bot, Self::Resolved];

    const fn lists(self) -> &'static [List] {
        match self {
            Self::NeedsAPerson | Self::Mine => &[List::Unresolved, List::Person],
            Self::Bot => &[List::Waiting, List::Bot],
            Self::Resolved => &[List::Resolved],
        }
    }

    const fn order(self) -> Order {
        match self {
            Self::NeedsAPerson | Self::Mine => Order::OldestFirst,
            Self::Bot | Self::Resolved => Order::NewestFirst,
        }
    }

    /// Whether an entry belongs here as it is now; the index may be a moment behind.
    fn has(self, stated: &Stated, operator: &Operator) -> bool {
        let Stated { head, case, .. } = stated;
        let is_unresolved = case.as_ref().map_or(head.mode == Mode::Human, Case::is_unresolved);
        match self {
            Self::NeedsAPerson => is_unresolved,
            Self::Mine => {
                let assignee = case.as_ref().and_then(|case| case.assignee.as_ref());
                is_unresolved && [assignee, head.taken_by.as_ref()].contains(&Some(operator))
            }
            Self::Bot => head.mode == Mode::Bot,
            Self::Resolved => case.as_ref().is_some_and(|case| case.state_of_case == CaseState::Resolved),
        }
    }
}

/// A line of the inbox.
#[derive(Debug, Clone)]
pub struct Row {
    /// Where it stands.
    pub entry: Entry,
    /// The thread.
    pub head: Head,
    /// The case, if there is one.
    pub case: Option<Case>,
    /// Whose.
    pub who: Who,
    /// The newest message that asked for something.
    pub newest: Option<Message>,
    /// Since when the customer waits, for the bot or for a person.
    pub waiting_since: Option<Timestamp>,
    /// Whether that is longer than it may be.
    pub overdue: bool,
}

/// A page of the inbox.
#[derive(Debug, Clone)]
pub struct Inbox {
    /// Its lines.
    pub rows: Vec<Row>,
    /// Where the next page starts, if there is more. A search may find nothing on a page and something on the next.
    pub next: Option<Cursor>,
}

/// How many each tab has; those past the limit are not counted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Of [`Tab::NeedsAPerson`].
    pub needs_a_person: usize,
    /// Of [`Tab::Mine`], among the oldest `inbox_step` entries.
    pub mine: usize,
    /// Of [`Tab::Bot`].
    pub bot: usize,
}

/// What is asked of the inbox.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The tab.
    pub tab: Tab,
    /// Who asks.
    pub operator: &'a Operator,
    /// Only cases: those of this state, or of any.
    pub cases: Option<Option<CaseState>>,
    /// Words that identity, name, case or brief must contain, all of them; in any case.
    pub search: Option<&'a str>,
    /// Where an earlier page ended.
    pub after: Option<Cursor>,
    /// Lines, at most.
    pub limit: usize,
}

impl<'a> Asked<'a> {
    /// A first page of a tab.
    pub fn of(tab: Tab, operator: &'a Operator) -> Self {
        Self { tab, operator, cases: None, search: None, after: None, limit: 25 }
    }

    fn wants(&self, stated: &Stated) -> bool {
        let is_case = match (self.cases, &stated.case) {
            (None, _) => true,
            (Some(state), Some(case)) => state.is_none_or(|state| case.state_of_case == state),
            (Some(_), None) => false,
        };
        is_case && self.tab.has(stated, self.operator)
    }
}

/// How many rows are completed at once.
const AT_ONCE: usize = 16;

/// A page of the inbox. A search that is an identity, with or without its kind, finds what is wanted of its thread on
/// whatever tab: those rows come first, beside the page's own.
///
/// # Errors
/// The table cannot be read.
pub async fn inbox(ctx: &Context, asked: Asked<'_>) -> Result<Inbox, StoreError> {
    let named = match asked.search {
        Some(search) => contacts_named(ctx, search).await?,
        None => vec![],
    };
    let first = match asked.after {
        None => rows_of(ctx, &asked, &named).await?,
        Some(_) => vec![],
    };
    if !named.is_empty() && asked.search.is_some_and(|search| search.contains(':')) {
        // It is an identity and nothing else.
        return Ok(Inbox { rows: first, next: None });
    }
    let mut page = listed(ctx, &asked, &named).await?;
    page.rows.splice(0..0, first);
    Ok(page)
}

async fn listed(ctx: &Context, asked: &Asked<'_>, named: &[ContactId]) -> Result<Inbox, StoreError> {
    let words = asked.search.map(words).unwrap_or_default();
    let is_filtered = asked.tab == Tab::Mine || asked.cases.is_some() || !words.is_empty();
    let step = if is_filtered { ctx.limits.inbox_step.max(asked.limit) } else { asked.limit };
    let (mut rows, mut after, mut scanned) = (vec![], asked.after, 0);
    loop {
        let part = ListPart { lists: asked.tab.lists(), order: asked.tab.order(), after, limit: step };
        let entries = ctx.store.listed(part).await?;
        let ended = entries.len() < step;
        scanned += entries.len();
        after = entries.last().map(|last| Cursor(*last)).or(after);
        let mut stated = ctx.store.stated(&entries, !words.is_empty()).await?;
        stated.retain(|stated| asked.wants(stated) && !named.contains(&stated.entry.contact_id));
        if words.is_empty() {
            // One more says that there is more.
            stated.truncate(asked.limit + 1 - rows.len());
        }
        for row in complete(ctx, stated, &words).await? {
            if rows.len() == asked.limit {
                let next = rows.last().map(|last: &Row| Cursor(last.entry));
                return Ok(Inbox { rows, next });
            }
            rows.push(row);
        }
        if ended || rows.len() >= asked.limit || scanned >= ctx.limits.inbox_scan {
            return Ok(Inbox { rows, next: after.filter(|_| !ended) });
        }
    }
}

/// How many entries the tabs have.
///
/// # Errors
/// The table cannot be read.
pub async fn counts(ctx: &Context, operator: &Operator) -> Result<Counts, StoreError> {
    let most = ctx.limits.inbox_scan;
    let count = async |tab: Tab| {
        let lists = tab.lists().iter().map(|list| ctx.store.count_listed(*list, most));
        Ok::<usize, StoreError>(futures::future::try_join_all(lists).await?.into_iter().sum())
    };
    let (needs_a_person, bot, mine) =
        futures::try_join!(count(Tab::NeedsAPerson), count(Tab::Bot), count_mine(ctx, operator))?;
    Ok(Counts { needs_a_person, mine, bot })
}

async fn count_mine(ctx: &Context, operator: &Operator) -> Result<usize, StoreError> {
    let (lists, order) = (Tab::Mine.lists(), Tab::Mine.order());
    let part = ListPart { lists, order, after: None, limit: ctx.limits.inbox_step };
    let stated = ctx.store.stated(&ctx.store.listed(part).await?, false).await?;
    Ok(stated.iter().filter(|stated| Tab::Mine.has(stated, operator)).count())
}

/// The contacts that a search names, by identity written out or without its kind.
async fn contacts_named(ctx: &Context, search: &str) -> Result<Vec<ContactId>, StoreError> {
    let search = search.trim();
    let kinds = ["", "chat:", "tel:", "email:"];
    let identities = kinds.iter().filter_map(|kind| format!("{kind}{search}").parse::<Identity>().ok());
    let identities: Vec<Identity> = identities.collect();
    let found = identities.iter().map(|identity| ctx.store.resolve(identity));
    let mut contacts: Vec<ContactId> =
        futures::future::try_join_all(found).await?.into_iter().flatten().collect();
    contacts.sort_unstable();
    contacts.dedup();
    Ok(contacts)
}

/// What is wanted of these contacts: their cases, where cases are asked for, else their threads.
async fn rows_of(ctx: &Context, asked: &Asked<'_>, contacts: &[ContactId]) -> Result<Vec<Row>, StoreError> {
    let mut entries = vec![];
    for contact_id in contacts.iter().copied() {
        let Some(head) = ctx.store.head(contact_id).await? else { continue };
        let entry = |at, case_id| Entry { at, contact_id, case_id, flag: None };
        match asked.cases {
            Some(_) => {
                let cases = ctx.store.cases(contact_id).await?;
                entries.extend(cases.iter().map(|case| entry(case.opened_at, Some(case.case_id))));
            }
            None => entries.push(entry(head.waiting_since.unwrap_or(ctx.clock.now()), head.open_case)),
        }
    }
    let mut stated = ctx.store.stated(&entries, false).await?;
    stated.retain(|stated| asked.cases.is_none() || asked.wants(stated));
    complete(ctx, stated, &[]).await
}

/// Rows with everything that they show; without those that lack a word that is looked for.
async fn complete(ctx: &Context, stated: Vec<Stated>, words: &[String]) -> Result<Vec<Row>, StoreError> {
    let whose = futures::stream::iter(stated).map(async |stated| {
        let who = who(&ctx.store, stated.entry.contact_id).await?;
        Ok::<_, StoreError>((stated, who))
    });
    let whose: Vec<(Stated, Who)> = whose.buffered(AT_ONCE).try_collect().await?;
    let found: Vec<(Stated, Who)> =
        whose.into_iter().filter(|(stated, who)| contains(stated, who, words)).collect();
    let newest: Vec<_> =
        found.iter().map(|(stated, _)| (stated.entry.contact_id, stated.head.last_customer_seq)).collect();
    let newest = ctx.store.one_message_each(&newest).await?;
    let now = ctx.clock.now();
    let row = |(stated, who): (Stated, Who)| {
        let Stated { entry, head, case, .. } = stated;
        let of_case = case.as_ref().and_then(|case| case.waiting_since);
        let waiting_since = of_case.or(head.waiting_since).or(head.asked_since);
        let may_wait = may_wait(ctx, case.as_ref());
        let overdue = waiting_since.is_some_and(|since| now.since(since) > may_wait);
        let newest = newest.get(&entry.contact_id).cloned();
        Row { entry, head, case, who, newest, waiting_since, overdue }
    };
    Ok(found.into_iter().map(row).collect())
}

/// How long a customer may wait for a person.
fn may_wait(ctx: &Context, case: Option<&Case>) -> Duration {
    let is_urgent = case.is_some_and(|case| case.priority == crate::case::Priority::Urgent);
    let minutes = if is_urgent { ctx.limits.urgent_minutes } else { ctx.limits.case_minutes };
    Duration::from_secs(minutes * 60)
}

fn words(search: &str) -> Vec<String> {
    search.to_lowercase().split_whitespace().map(str::to_owned).collect()
}

fn contains(stated: &Stated, who: &Who, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let mut all = String::new();
    let mut add = |text: &str| {
        all.push_str(&text.to_lowercase());
        all.push('\n');
    };
    who.name.iter().for_each(|name| add(name));
    who.identities.iter().for_each(|identity| add(identity.as_str()));
    if let Some(case) = &stated.case {
        add(case.category.code());
        add(&case.reason);
        case.topic.iter().chain(&case.tags).for_each(|text| add(text));
        case.assignee.iter().for_each(|assignee| add(assignee.as_str()));
    }
    stated.snapshot.iter().flat_map(|snapshot| snapshot.texts()).for_each(add);
    words.iter().all(|word| all.contains(word.as_str()))
}
