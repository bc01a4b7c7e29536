//! Where the index is kept: in the table, or in a bucket where one is configured.

use super::bucket::{Bucket, BucketError};
use crate::hash;
use crate::similar::Packed;
use crate::store::{IndexPointer, Place, Store, StoreError, Upload};
use std::time::Duration;
use ulid::Ulid;

/// An upload that was not pointed at for so long never will be.
const GIVEN_UP: Duration = Duration::from_secs(24 * 3600);

/// Why the index could not be read or put. Never carries text.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// The table failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The bucket failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// The index is in a bucket, and none is configured.
    #[error("the index is in a bucket, and INDEX_BUCKET is not set")]
    NoBucket,
    /// What is there is not what was put there.
    #[error("the index is damaged")]
    Damaged,
    /// The index needs a bucket.
    #[error("the index has {bytes} bytes; more than {most} need a bucket: set INDEX_BUCKET")]
    TooLarge {
        /// What it has.
        bytes: usize,
        /// What the table takes.
        most: usize,
    },
}

impl ShelfError {
    /// A word for traces.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Store(StoreError::Corrupt { .. }) | Self::Damaged => "unreadable",
            Self::NoBucket => "no_bucket",
            Self::Store(_) | Self::Bucket(_) | Self::TooLarge { .. } => "unavailable",
        }
    }
}

/// Where the index is kept.
#[derive(Clone)]
pub struct Shelf {
    pub(super) store: Store,
    bucket: Option<Bucket>,
    table_bytes: usize,
}

impl Shelf {
    /// In a bucket, where there is one, or else in the table, which takes `table_bytes`.
    pub fn new(store: Store, bucket: Option<Bucket>, table_bytes: usize) -> Self {
        Self { store, bucket, table_bytes }
    }

    /// Which index is used.
    ///
    /// # Errors
    /// The table cannot be read.
    pub async fn pointer(&self) -> Result<Option<IndexPointer>, ShelfError> {
        Ok(self.store.index_pointer().await?)
    }

    /// The bytes of an index, exactly as they were put.
    ///
    /// # Errors
    /// They cannot be read, or are not what they were.
    pub async fn read(&self, pointer: &IndexPointer) -> Result<Vec<u8>, ShelfError> {
        let bytes = match pointer.upload.place {
            Place::Table => self.store.chunks(pointer.upload.upload).await?,
            Place::Bucket => {
                let found = self.bucket()?.get(&object(pointer.upload.upload)).await?;
                found.ok_or(ShelfError::Damaged)?
            }
        };
        if hash::hex_of(&bytes) == pointer.digest { Ok(bytes) } else { Err(ShelfError::Damaged) }
    }

    /// Puts an index in the place of `replaced`, and removes that; `None` if another one came first.
    ///
    /// # Errors
    /// It is too large, or table or bucket failed: the old index stays.
    pub async fn put(
        &self,
        replaced: Option<&IndexPointer>,
        index: &Packed,
    ) -> Result<Option<IndexPointer>, ShelfError> {
        let Packed { bytes, cases } = index;
        let upload = self.upload(bytes).await?;
        let version = replaced.map_or(0, |pointer| pointer.version) + 1;
        let digest = hash::hex_of(bytes);
        let new = IndexPointer { version, upload, digest, size_bytes: bytes.len(), cases: *cases };
        if !self.store.point(replaced, &new).await? {
            self.remove(&upload).await?;
            return Ok(None);
        }
        self.tidy(replaced, &upload).await?;
        Ok(Some(new))
    }

    async fn upload(&self, bytes: &[u8]) -> Result<Upload, ShelfError> {
        let clock = self.store.clock();
        let place = if self.bucket.is_some() { Place::Bucket } else { Place::Table };
        if place == Place::Table && bytes.len() > self.table_bytes {
            return Err(ShelfError::TooLarge { bytes: bytes.len(), most: self.table_bytes });
        }
        let upload = Upload { upload: clock.ulid(), place, begun_at: clock.now() };
        self.store.begin_upload(&upload).await?;
        match &self.bucket {
            Some(bucket) => bucket.put(&object(upload.upload), bytes.to_vec()).await?,
            None => self.store.put_chunks(upload.upload, bytes).await?,
        }
        Ok(upload)
    }

    /// Removes what was replaced, and what was never pointed at.
    async fn tidy(&self, replaced: Option<&IndexPointer>, current: &Upload) -> Result<(), ShelfError> {
        let now = self.store.clock().now();
        for upload in self.store.uploads().await? {
            let is_replaced = replaced.is_some_and(|pointer| pointer.upload.upload == upload.upload);
            let is_given_up = now.since(upload.begun_at) > GIVEN_UP;
            if upload.upload != current.upload && (is_replaced || is_given_up) {
                self.remove(&upload).await?;
            }
        }
        Ok(())
    }

    async fn remove(&self, upload: &Upload) -> Result<(), ShelfError> {
        if upload.place == Place::Bucket {
            // Without the bucket there is nothing to remove that could be reached.
            if let Some(bucket) = &self.bucket {
                bucket.delete(&object(upload.upload)).await?;
            }
        }
        Ok(self.store.remove_upload(upload).await?)
    }

    fn bucket(&self) -> Result<&Bucket, ShelfError> {
        self.bucket.as_ref().ok_or(ShelfError::NoBucket)
    }
}

fn object(upload: Ulid) -> String {
    format!("tickets/{upload}")
}
