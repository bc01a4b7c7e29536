//! Files of past tickets: one JSON object a line, or CSV with a header.

use anyhow::{Context, Result, bail, ensure};
use carryover_shared::limits::Limits;
use carryover_shared::similar::Ticket;
use carryover_shared::text;
use serde_json::{Map, Value};
use std::path::Path;

/// The fields of one ticket, as they stand in the file.
type Fields = Map<String, Value>;

/// The tickets of a file.
///
/// # Errors
/// The file cannot be read, or a line of it cannot be taken; line, field and bound are named.
pub(super) fn read(path: &Path, limits: &Limits) -> Result<Vec<Ticket>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let text = text.trim_start_matches('\u{feff}');
    let tickets = if is_csv { of_csv(text, limits) } else { of_lines(text, limits) };
    let tickets = tickets.with_context(|| path.display().to_string())?;
    ensure!(!tickets.is_empty(), "{}: there is no ticket in it", path.display());
    let (count, most) = (tickets.len(), limits.tickets);
    ensure!(count <= most, "{}: there are {count} tickets; at most {most} are taken", path.display());
    Ok(tickets)
}

fn of_lines(text: &str, limits: &Limits) -> Result<Vec<Ticket>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |line: &str| ticket(&serde_json::from_str(line)?, limits);
    lines.map(|(index, line)| read(line).with_context(|| format!("line {}", index + 1))).collect()
}

fn of_csv(text: &str, limits: &Limits) -> Result<Vec<Ticket>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().context("line 1")?.clone();
    for field in ["body", "answer"] {
        ensure!(header.iter().any(|name| name.trim() == field), "line 1: there is no column {field}");
    }
    let mut tickets = vec![];
    for record in reader.records() {
        let record = record?;
        let line = record.position().map_or(0, csv::Position::line);
        let named = header.iter().zip(&record).map(|(name, text)| (name.trim().to_owned(), text.into()));
        tickets.push(ticket(&named.collect(), limits).with_context(|| format!("line {line}"))?);
    }
    Ok(tickets)
}

fn ticket(fields: &Fields, limits: &Limits) -> Result<Ticket> {
    let text = |name: &str| bounded(name, said(name, fields.get(name))?, limits);
    let needed = |name: &str| {
        let said = text(name)?;
        ensure!(!said.trim().is_empty(), "{name} is missing or empty");
        Ok(said)
    };
    let id = if fields.contains_key("id") { "id" } else { "ticket_id" };
    Ok(Ticket {
        body: needed("body")?,
        answer: needed("answer")?,
        id: text(id)?,
        subject: text("subject")?,
        category: text("category")?,
        tags: tags(fields.get("tags"), limits)?,
    })
}

fn said(name: &str, value: Option<&Value>) -> Result<String> {
    match value {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        Some(_) => bail!("{name} must be text"),
    }
}

fn bounded(name: &str, text: String, limits: &Limits) -> Result<String> {
    let (chars, most) = (text::chars(&text), limits.ticket_chars);
    ensure!(chars <= most, "{name} has {chars} characters; at most {most} are taken");
    Ok(text)
}

/// A list of words, or words separated by commas or semicolons.
fn tags(value: Option<&Value>, limits: &Limits) -> Result<Vec<String>> {
    let all = match value {
        Some(Value::Array(tags)) => {
            let tags = tags.iter().map(|tag| said("tags", Some(tag))).collect::<Result<Vec<_>>>()?;
            tags.join(",")
        }
        value => said("tags", value)?,
    };
    let all = bounded("tags", all, limits)?;
    let tags = all.split([',', ';']).map(str::trim).filter(|tag| !tag.is_empty());
    Ok(tags.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits { ticket_chars: 20, ..Limits::default() }
    }

    fn ticket(id: &str, body: &str, answer: &str) -> Ticket {
        Ticket { id: id.into(), body: body.into(), answer: answer.into(), ..Ticket::default() }
    }

    #[test]
    fn a_line_is_a_ticket() {
        let file = "{\"ticket_id\": 7, \"body\": \"Where?\", \"answer\": \"There\", \"subject\": null, \"intent\": {}}\n\n\
                    {\"body\": \"b\", \"answer\": \"a\", \"category\": \"ORDER\", \"tags\": [\"x\", \"y, z\"]}\r\n";
        let tickets = of_lines(file, &limits()).unwrap();
        assert_eq!(tickets[0], ticket("7", "Where?", "There"));
        let tags = ["x", "y", "z"].map(str::to_owned).to_vec();
        assert_eq!(tickets[1], Ticket { category: "ORDER".into(), tags, ..ticket("", "b", "a") });
    }

    #[test]
    fn a_record_of_csv_is_a_ticket() {
        let file = "id, body ,answer,tags\n1,\"Where,\n\"\"it\"\" is\",There,a;b\n";
        let tickets = of_csv(file, &limits()).unwrap();
        let tags = ["a", "b"].map(str::to_owned).to_vec();
        assert_eq!(tickets, [Ticket { tags, ..ticket("1", "Where,\n\"it\" is", "There") }]);
    }

    #[test]
    fn what_is_wrong_is_named_with_line_field_and_bound() {
        for (line, said) in [
            ("{\"body\": \"x\"}", "answer is missing"),
            ("{\"body\": \" \", \"answer\": \"x\"}", "body is missing or empty"),
            ("{\"body\": [], \"answer\": \"x\"}", "body must be text"),
            (
                "{\"body\": \"x\", \"answer\": \"0123456789 0123456789\"}",
                "answer has 21 characters; at most 20",
            ),
            ("{\"body\": \"x\", \"answer\": \"x\", \"tags\": [{}]}", "tags must be text"),
            ("Hi", "expected value"),
        ] {
            let error = format!("{:#}", of_lines(&format!("\n{line}"), &limits()).unwrap_err());
            assert!(error.starts_with("line 2: ") && error.contains(said), "{error}");
        }
        for (file, said) in [
            ("body,text\n", "line 1: there is no column answer"),
            ("body,answer\nx,y\nx,\n", "line 3: answer is missing or empty"),
            ("body,answer\nx,y,z\n", "line: 2"),
        ] {
            let error = format!("{:#}", of_csv(file, &limits()).unwrap_err());
            assert!(error.contains(said), "{error}");
        }
    }
}
