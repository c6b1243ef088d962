//! How durations, citations and numbers read in a sentence.

use std::time::Duration;

use crate::evidence::Call;
use crate::spec;

/// `12 ms`, `3 s`, `1.25 s`; beyond a thousand years `a wait beyond any clock`.
pub fn time(d: Duration) -> String {
    let ms = d.as_millis();
    match (ms, ms % 1000) {
        (..1000, _) => format!("{ms} ms"),
        _ if d.as_secs() > 40_000_000_000 => "a wait beyond any clock".to_owned(),
        (_, 0) => format!("{} s", d.as_secs()),
        (_, rest) => format!("{}.{} s", d.as_secs(), format!("{rest:03}").trim_end_matches('0')),
    }
}

/// ` (RFC 9110 §10.2.3)`, or nothing where the key is unknown.
pub fn cited(key: &str) -> String {
    spec::citation(key).map_or_else(String::new, |c| format!(" ({c})"))
}

/// `1 call`, `3 calls`.
pub fn count(n: u64, noun: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{s}")
}

/// What a call was answered, as a noun: `the 429`, `the answer`.
pub fn answer(call: &Call) -> String {
    call.status
        .map_or_else(|| "the answer".to_owned(), |status| format!("the {status}"))
}
