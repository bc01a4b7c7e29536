//! The index of past cases, in chunks, and the resolved cases that operators released for the next one.
//!
//! An index is put under a name that nobody else uses, and only then pointed at, so that no reader finds half of
//! one. What the pointer has left is removed after that.

use super::expression::Expression;
use super::facts::alive;
use super::transaction::{Part, Transaction, Written};
use super::{Item, Range, Span, Store, StoreError, from_item, keys, to_item};
use crate::case::CaseState;
use crate::contact::ContactId;
use crate::similar::Wording;
use crate::time::Timestamp;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use ulid::Ulid;

/// Bytes of one chunk, below the 400 KB of an item.
const CHUNK_BYTES: usize = 350_000;
/// The attribute of a chunk's bytes.
const BYTES: &str = "bytes";
/// Uploads and chunks that are looked at.
const MOST: usize = 10_000;

/// Where an index is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the table, in chunks.
    Table,
    /// In the bucket, as one object.
    Bucket,
}

/// An index that was put somewhere, whole or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// Its name there.
    pub upload: Ulid,
    /// Where.
    pub place: Place,
    /// When it began.
    #[serde(rename = "begun_at_millis")]
    pub begun_at: Timestamp,
}

/// Which index is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexPointer {
    /// Rises by one with each index.
    pub version: u64,
    /// The index.
    #[serde(flatten)]
    pub upload: Upload,
    /// The hash of its bytes.
    pub digest: String,
    /// How many bytes it has.
    pub size_bytes: usize,
    /// How many cases are in it.
    pub cases: usize,
}

/// A resolved case in the words in which an operator released it. Whose it was stands beside them (*erasable*).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleasedCase {
    /// Whose it was.
    pub contact_id: ContactId,
    /// Which.
    pub case_id: Ulid,
    /// What was asked, without values and names.
    pub problem: String,
    /// What was done, without values and names.
    pub solution: String,
    /// When it was released.
    #[serde(rename = "released_at_millis")]
    pub released_at: Timestamp,
    /// It joins no build any more: its contact is being erased.
    #[serde(default)]
    pub withdrawn: bool,
}

impl Store {
    /// Which index is used, if there is one.
    pub async fn index_pointer(&self) -> Result<Option<IndexPointer>, StoreError> {
        self.get(&keys::index(), "pointer").await
    }

    /// Says that an index is being put somewhere, so that it is found if it is never pointed at.
    pub async fn begin_upload(&self, upload: &Upload) -> Result<(), StoreError> {
        let item = to_item(upload, "upload")?;
        self.put_beside(&keys::upload(upload.upload), item).await
    }

    /// Everything that was put somewhere and not removed, oldest first.
    pub async fn uploads(&self) -> Result<Vec<Upload>, StoreError> {
        let items = self.tickets(keys::UPLOAD_PREFIX.into()).await?;
        items.into_iter().map(|item| from_item(item, "upload")).collect()
    }

    /// Puts the bytes of an index into the table.
    pub async fn put_chunks(&self, upload: Ulid, bytes: &[u8]) -> Result<(), StoreError> {
        for (n, chunk) in bytes.chunks(CHUNK_BYTES).enumerate() {
            let item = Item::from([(BYTES.to_owned(), AttributeValue::B(Blob::new(chunk)))]);
            self.put_beside(&keys::chunk(upload, n), item).await?;
        }
        Ok(())
    }

    /// The bytes of an index in the table, as far as they are there.
    pub async fn chunks(&self, upload: Ulid) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![];
        for item in self.tickets(keys::chunk_prefix(upload)).await? {
            let chunk = item.get(BYTES).and_then(|bytes| bytes.as_b().ok());
            bytes.extend_from_slice(chunk.ok_or(StoreError::Corrupt { what: "chunk" })?.as_ref());
        }
        Ok(bytes)
    }

    /// Points at a new index; `false` if the pointer moved since `replaced` was read.
    pub async fn point(
        &self,
        replaced: Option<&IndexPointer>,
        new: &IndexPointer,
    ) -> Result<bool, StoreError> {
        let condition = Expression::new().if_still("version", replaced.map(|pointer| pointer.version));
        let item = to_item(new, "pointer")?;
        let transaction =
            Transaction::new(self.clock().ulid()).put(self, Part::Index, &keys::index(), item, condition);
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    /// Forgets an upload, with its chunks where it is in the table.
    pub async fn remove_upload(&self, upload: &Upload) -> Result<(), StoreError> {
        if upload.place == Place::Table {
            for item in self.tickets(keys::chunk_prefix(upload.upload)).await? {
                self.remove_item(&item).await?;
            }
        }
        self.remove_item(&keys::upload(upload.upload).attributes()).await
    }

    /// Releases a resolved case; again in other words replaces them. `false` if the case is not resolved, or its
    /// contact is being erased.
    pub async fn release_case(
        &self,
        contact: ContactId,
        case_id: Ulid,
        wording: &Wording,
    ) -> Result<bool, StoreError> {
        let Wording { problem, solution } = wording.clone();
        let released_at = self.clock().now();
        let withdrawn = false;
        let item = ReleasedCase { contact_id: contact, case_id, problem, solution, released_at, withdrawn };
        let (key, item) = (keys::released(contact, case_id), to_item(item, "released case")?);
        let resolved = Expression::new().if_equal("state_of_case", CaseState::Resolved);
        let transaction = Transaction::new(self.clock().ulid())
            .put(self, Part::Beside, &key, item, Expression::new())
            .check(self, Part::Case, &keys::case(contact, case_id), resolved)
            .check(self, Part::Head, &keys::head(contact), alive());
        Ok(matches!(transaction.write(self).await?, Written::Done))
    }

    /// All released cases that were not withdrawn, of the first `limit`.
    pub async fn released_cases(&self, limit: usize) -> Result<Vec<ReleasedCase>, StoreError> {
        let span = Span::Between("!".into(), "~".into());
        let range = Range { pk: keys::RELEASED, span, oldest_first: true, limit, start: None };
        let cases = self.all(range).await?.into_iter().map(|item| from_item(item, "released case"));
        let cases: Vec<ReleasedCase> = cases.collect::<Result<_, _>>()?;
        Ok(cases.into_iter().filter(|case| !case.withdrawn).collect())
    }

    /// Keeps what was released of a contact's cases out of every build from now on; how many there are.
    pub async fn withdraw_released(&self, contact: ContactId) -> Result<usize, StoreError> {
        let items = self.released_of(contact).await?;
        for key in items.iter().filter_map(keys::of) {
            let withdrawn = Expression::new().if_present("pk").set("withdrawn", true);
            let transaction = Transaction::new(self.clock().ulid());
            transaction.update(self, Part::Beside, &key, withdrawn).write(self).await?;
        }
        Ok(items.len())
    }

    /// Removes what was released of a contact's cases.
    pub async fn remove_released(&self, contact: ContactId) -> Result<(), StoreError> {
        for item in self.released_of(contact).await? {
            self.remove_item(&item).await?;
        }
        Ok(())
    }

    async fn released_of(&self, contact: ContactId) -> Result<Vec<Item>, StoreError> {
        let span = Span::Prefix(keys::released_prefix(contact));
        self.all(Range { pk: keys::RELEASED, span, oldest_first: true, limit: MOST, start: None }).await
    }

    async fn tickets(&self, prefix: String) -> Result<Vec<Item>, StoreError> {
        let (pk, span) = (keys::tickets(), Span::Prefix(prefix));
        self.all(Range { pk: &pk, span, oldest_first: true, limit: MOST, start: None }).await
    }

    async fn put_beside(&self, key: &keys::Key, item: Item) -> Result<(), StoreError> {
        let transaction =
            Transaction::new(self.clock().ulid()).put(self, Part::Beside, key, item, Expression::new());
        transaction.write(self).await.map(|_| ())
    }

    async fn remove_item(&self, item: &Item) -> Result<(), StoreError> {
        let Some(key) = keys::of(item) else { return Ok(()) };
        let transaction =
            Transaction::new(self.clock().ulid()).delete(self, Part::Beside, &key, Expression::new());
        transaction.write(self).await.map(|_| ())
    }
}
