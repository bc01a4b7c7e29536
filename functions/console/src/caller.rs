//! Who works in the console.

use carryover_shared::operator::Operator;
use serde::{Deserialize, Serialize};

/// What somebody may do, by the groups that the sign-in names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Works beside the bot.
    Operator,
    /// May also approve instructions, erase customers and redrive dead letters.
    Admin,
}

impl Role {
    /// The highest role among groups; `None` if they name none.
    pub fn of<G: AsRef<str>>(groups: impl IntoIterator<Item = G>) -> Option<Self> {
        let role = |group: G| match group.as_ref() {
            "admin" => Some(Self::Admin),
            "operator" => Some(Self::Operator),
            _ => None,
        };
        groups.into_iter().filter_map(role).max()
    }
}

/// A person who is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// Their name, as threads and cases keep it.
    pub operator: Operator,
    /// What they may do.
    pub role: Role,
}

impl Caller {
    /// Whether they may also approve instructions, erase customers and redrive dead letters.
    pub fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_group_counts_and_others_count_nothing() {
        assert_eq!(Role::of(["operator", "admin"]), Some(Role::Admin));
        assert_eq!(Role::of(["sales", "operator"]), Some(Role::Operator));
        assert_eq!(Role::of(["Admin", "administrators"]), None);
        assert_eq!(Role::of(Vec::<String>::new()), None);
    }
}
