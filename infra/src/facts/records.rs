//! Files of records: a JSON array, a JSON object of records by their keys, or one record a line.

use anyhow::{Context, Result, bail};
use carryover_shared::time::Timestamp;
use serde_json::Value;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// One record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    /// Its key in the object that it stood in.
    pub(crate) key: Option<String>,
    /// What it says.
    pub(crate) data: Value,
}

impl Record {
    /// A field as text; `customer.id` is the field `id` of the field `customer`.
    pub(crate) fn text(&self, path: &str) -> Result<String> {
        let value = path.split('.').try_fold(&self.data, |value, name| value.get(name));
        match value {
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.clone()),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(Value::Null | Value::String(_)) | None => bail!("the field {path} is missing"),
            Some(_) => bail!("the field {path} is neither text nor number"),
        }
    }
}

/// The records of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Record>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let by_line = path.extension().is_some_and(|extension| extension == "jsonl" || extension == "ndjson");
    let records = if by_line { lines(&text) } else { whole(&text).or_else(|_| lines(&text)) };
    records.with_context(|| path.display().to_string())
}

/// When a file was last changed, in RFC 3339 form.
pub(crate) fn modified(path: &Path) -> Result<String> {
    let changed = std::fs::metadata(path)?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Timestamp::from_millis(i64::try_from(changed.as_millis())?).rfc3339())
}

fn whole(text: &str) -> Result<Vec<Record>> {
    let without_key = |data| Record { key: None, data };
    Ok(match serde_json::from_str(text)? {
        Value::Array(records) => records.into_iter().map(without_key).collect(),
        Value::Object(records) if records.values().all(Value::is_object) => {
            records.into_iter().map(|(key, data)| Record { key: Some(key), data }).collect()
        }
        record => vec![without_key(record)],
    })
}

fn lines(text: &str) -> Result<Vec<Record>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let data = serde_json::from_str(line).with_context(|| format!("line {}", index + 1))?;
            Ok(Record { key: None, data })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn records_stand_in_a_list_under_keys_or_on_lines() {
        let list = whole(r#"[{"id": 1}, {"id": 2}]"#).unwrap();
        assert_eq!(list[1], Record { key: None, data: json!({"id": 2}) });
        let keyed = whole(r##"{"#W1": {"total": 1}}"##).unwrap();
        assert_eq!(keyed[0].key.as_deref(), Some("#W1"));
        assert_eq!(whole(r#"{"id": 1, "total": 2}"#).unwrap().len(), 1);
        assert_eq!(lines("{\"id\": 1}\n\n{\"id\": 2}\n").unwrap().len(), 2);
        assert_eq!(format!("{:#}", lines("{}\n{").unwrap_err()).split(':').next(), Some("line 2"));
    }
}
