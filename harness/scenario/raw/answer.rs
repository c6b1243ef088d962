//! Answers as written.

use serde::Deserialize;

use super::{DateAt, Dur, Pushback, Status};
use crate::source::{Entries, Placed};
use crate::term::Means;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Answer {
    pub status: Option<Placed<Status>>,
    pub stored: Option<Placed<bool>>,
    pub retry_after: Option<Placed<Pushback>>,
    #[serde(default)]
    pub headers: Entries<Placed<String>>,
    pub body: Option<Placed<Body>>,
    pub framing: Option<Placed<Framing>>,
    pub after: Option<Dur>,
    pub drip: Option<Placed<Drip>>,
    pub keep_alive: Option<Placed<bool>>,
    pub means: Option<Means>,
    pub early: Option<Placed<bool>>,
    /// How far the dependency's own clock is off.
    pub clock: Option<Placed<DateAt>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Body {
    Text(String),
    Zeros(u64),
    /// The content of a file beside the scenario.
    File(String),
    /// A content of which the client may ask for ranges.
    Ranges(Content),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Content {
    Text(String),
    Zeros(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Framing {
    Sized,
    Chunked,
    Close,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Drip {
    pub bytes: Placed<u64>,
    pub every: Dur,
}
