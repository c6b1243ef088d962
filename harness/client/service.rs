//! A service as its file describes it: processes in order, each behind the one that is listed after it.

use std::time::Duration;

use crate::source::Span;
use crate::term::{LayerRole, Name};

/// A service, with or without gateways before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePlan {
    /// The dependencies it calls: a trial without one of them cannot be played with it.
    pub calls: Vec<Name>,
    /// Its processes in the order in which they are started. Each calls those listed before it; the last is the entry.
    pub processes: Vec<ProcessPlan>,
    /// Whether it passes on the `traceparent` that it is sent.
    pub passes_trace: bool,
}

/// One process: a layer of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessPlan {
    /// Its name in reports.
    pub name: Name,
    /// What it is to what passes through it.
    pub role: LayerRole,
    /// The command, with its slots.
    pub command: Vec<String>,
    /// Variables of its environment, with their slots.
    pub environment: Vec<(String, String)>,
    /// Files that are written for it before it is started.
    pub files: Vec<FilePlan>,
    /// When it counts as started.
    pub ready: Ready,
}

/// A file that is written for a process, its slots filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePlan {
    /// Its name in the process's own folder.
    pub name: String,
    /// Its text, with its slots.
    pub template: String,
}

/// When a process counts as started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// A GET of this path is answered with a status from 200 to 399; `None`: its port accepts a connection.
    pub path: Option<String>,
    /// For how long that is waited for.
    pub within: Duration,
}

/// Something that is known only when a process is started.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// `{port}`: the port it is to listen on, on 127.0.0.1.
    Port,
    /// `{tmp}`: a folder of its own, where its files are.
    Tmp,
    /// `{file:NAME}`: the path of one of its files.
    File(String),
    /// `{url:NAME}`: `http://127.0.0.1:PORT` of a dependency, or of a process listed before it.
    Url(String),
    /// `{address:NAME}`: the same as `127.0.0.1:PORT`.
    Address(String),
}

/// The slots of a text, each with the place of its braces. Braces around anything else stand for themselves.
pub fn slots(text: &str) -> Vec<(Slot, Span)> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices('{') {
        let inside = &text[start + 1..];
        let Some(length) = inside.find(['}', '{']).filter(|n| inside[*n..].starts_with('}')) else {
            continue;
        };
        if let Some(slot) = Slot::named(&inside[..length]) {
            let end = start + length + 2;
            found.push((slot, Span { start, end }));
        }
    }
    found
}

impl Slot {
    fn named(word: &str) -> Option<Slot> {
        let plain = |name: &str| {
            let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            (!name.is_empty() && name.chars().all(fine)).then(|| name.to_owned())
        };
        match word.split_once(':') {
            None => match word {
                "port" => Some(Slot::Port),
                "tmp" => Some(Slot::Tmp),
                _ => None,
            },
            Some(("file", name)) => plain(name).map(Slot::File),
            Some(("url", name)) => plain(name).map(Slot::Url),
            Some(("address", name)) => plain(name).map(Slot::Address),
            Some(_) => None,
        }
    }
}

/// The variable in which a point's URL is handed over, behind `RETRIAL_URL_`.
pub fn variable(name: &str) -> String {
    let plain = |c: char| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_uppercase(),
        false => '_',
    };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_found_and_the_braces_of_other_languages_are_left() {
        let text =
            "listen {port}; server { proxy_pass {url:loan}; root {file:a.conf} } ${x} {pid} {url:} {url:a b}";
        let found: Vec<Slot> = slots(text).into_iter().map(|(slot, _)| slot).collect();
        let expected = [
            Slot::Port,
            Slot::Url("loan".to_owned()),
            Slot::File("a.conf".to_owned()),
        ];
        assert_eq!(found, expected);
        let (_, span) = slots(text).remove(0);
        assert_eq!(&text[span.start..span.end], "{port}");
    }
}
