//! All flags that stand, in one list: what the bot said that was wrong.

use crate::flag::FlagReason;
use crate::handoff::Context;
use crate::store::{Cursor, Flagged, List, ListPart, Order, StoreError};

/// What is asked of the list.
#[derive(Debug, Clone, Default)]
pub struct FlagsAsked<'a> {
    /// Only flags with this reason.
    pub reason: Option<FlagReason>,
    /// Only flags on replies of this agent.
    pub agent: Option<&'a str>,
    /// Only flags on replies of this version.
    pub version: Option<u32>,
    /// Where an earlier page ended.
    pub after: Option<Cursor>,
    /// Flags, at most.
    pub limit: usize,
}

impl FlagsAsked<'_> {
    fn wants(&self, flagged: &Flagged) -> bool {
        let flag = &flagged.flag;
        self.reason.is_none_or(|reason| flag.reason == Some(reason))
            && self.agent.is_none_or(|agent| flag.agent.as_deref() == Some(agent))
            && self.version.is_none_or(|version| flag.version == Some(version))
    }

    fn is_filtered(&self) -> bool {
        self.reason.is_some() || self.agent.is_some() || self.version.is_some()
    }
}

/// A page of flags, the newest first, and where the next one starts, if there is more. With a filter a page may be
/// short, or empty, and the next one not.
///
/// # Errors
/// The table cannot be read.
pub async fn flagged(
    ctx: &Context,
    asked: &FlagsAsked<'_>,
) -> Result<(Vec<Flagged>, Option<Cursor>), StoreError> {
    let step = if asked.is_filtered() { ctx.limits.inbox_step.max(asked.limit) } else { asked.limit };
    let (mut found, mut after, mut scanned) = (vec![], asked.after, 0);
    loop {
        let part = ListPart { lists: &[List::Flagged], order: Order::NewestFirst, after, limit: step };
        let entries = ctx.store.listed(part).await?;
        let ended = entries.len() < step;
        scanned += entries.len();
        for flagged in ctx.store.flagged(&entries).await?.into_iter().filter(|flagged| asked.wants(flagged)) {
            if found.len() == asked.limit {
                let next = found.last().map(|last: &Flagged| Cursor(last.entry));
                return Ok((found, next));
            }
            found.push(flagged);
        }
        after = entries.last().map(|last| Cursor(*last)).or(after);
        if ended || found.len() == asked.limit || scanned >= ctx.limits.inbox_scan {
            return Ok((found, after.filter(|_| !ended)));
        }
    }
}
