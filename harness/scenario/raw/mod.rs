//! A scenario as it is written: every key of the grammar, nothing checked but its shape.
//!
//! Durations, names and numbers stay as written, with their places; `check` gives them their meaning. Enums are
//! externally tagged, so that places survive; where a word or a map may stand, one of four hand-written visitors
//! reads it: [`Bound`], [`Pushback`], [`Status`], [`PlaceAt`].

mod answer;
mod bound;
mod dependency;
mod expect;
mod given;
mod operation;
mod place;
mod pushback;
mod status;

use serde::Deserialize;

use crate::source::{Entries, Homes, Placed};

pub(super) use answer::{Answer, Body, Content, Drip, Framing};
pub(super) use bound::Bound;
pub(super) use dependency::{
    Accept, By, Capacity, Cut, Dependency, Down, HeaderIs, KeyState, Keys, Outage, Per, PlaceAt, Queue,
    Slows, Turn, When,
};
pub(super) use expect::{Counts, Expect, OfPolicy, Ticks};
pub(super) use given::{Backoff, Exponential, Given, PolicyFile, Rolls};
pub(super) use operation::{Key, OperationGroup, Request, Restart, Start};
pub(super) use pushback::{DateAt, Pushback, Written};
pub(super) use status::Status;

/// Where a key belongs that who writes his first scenario puts somewhere else.
pub(super) const HOMES: Homes = &[
    ("status", "`answer` in a turn: {answer: {status: 503}}"),
    (
        "retry_after",
        "`answer` in a turn: {answer: {status: 503, retry_after: 3s}}",
    ),
    ("drip", "`answer` in a turn"),
    ("early", "`answer` or `when` in a turn"),
    (
        "delay",
        "`answer` in a turn, and is called `after`: {answer: {status: 200, after: 2s}}",
    ),
    (
        "effect",
        "a turn itself, beside `answer`: {effect: applied, answer: {status: 200}}",
    ),
    (
        "times",
        "a turn itself, beside `answer`: {times: 1, answer: {status: 503}}",
    ),
    ("takes", "a turn itself, beside `effect`"),
    ("at", "`cut` in a turn: {cut: {at: before_answer, by: rst}}"),
    ("by", "`cut` in a turn: {cut: {at: before_answer, by: rst}}"),
    (
        "chance",
        "`when` in a turn: {when: {chance: 0.1}, answer: {status: 503}}",
    ),
    (
        "attempt",
        "`when` in a turn: {when: {attempt: 1}, answer: {status: 503}}",
    ),
    ("method", "`request` in an operation, or `when` in a turn"),
    ("path", "`request` in an operation, or `when` in a turn"),
    (
        "to",
        "`request` in an operation: {request: {method: GET, to: [quota], path: /}}",
    ),
    ("key", "`request` in an operation, or `when` in a turn"),
    ("headers", "`request` in an operation, or `answer` in a turn"),
    ("body", "`request` in an operation, or `answer` in a turn"),
    ("deadline", "an operation itself, beside `request`"),
    ("count", "an operation itself, beside `request`"),
    ("clients", "an operation itself, beside `request`"),
    ("start", "an operation itself, beside `request`"),
    ("script", "a dependency: dependencies: {quota: {script: [..]}}"),
    ("turns", "a dependency, and is called `script`"),
    ("outages", "a dependency"),
    (
        "capacity",
        "a dependency: {quota: {capacity: {accept: {at_once: 2}, overflow: {status: 503}}}}",
    ),
    (
        "slows",
        "a dependency: {quota: {slows: {per_call_in_flight: 5ms}}}",
    ),
    ("attempts", "`given`, the policy that the client is to follow"),
    (
        "backoff",
        "`given`, the policy that the client is to follow: {backoff: {fixed: 1s}}",
    ),
    (
        "budget",
        "`given`, the policy that the client is to follow: {budget: {initial: 2, cap: 4, earn_per_mille: 100}}",
    ),
    (
        "breaker",
        "`given`, the policy that the client is to follow: {breaker: {failures: 3, open: 1s}}",
    ),
    ("calls", "`expect`: {dependencies: {quota: {calls: 3}}}"),
    ("delivered", "`expect`: {dependencies: {quota: {delivered: 1}}}"),
];

/// A duration as written.
pub(super) type Dur = Placed<String>;

/// A scenario file, version 1.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub version: Placed<u64>,
    pub title: Placed<String>,
    #[serde(default)]
    pub cites: Vec<Placed<String>>,
    #[serde(default)]
    pub tags: Vec<Placed<String>>,
    #[serde(default)]
    pub needs: Vec<Placed<Need>>,
    pub given: Option<Given>,
    #[serde(default)]
    pub vary: Vary,
    pub dependencies: Placed<Entries<Dependency>>,
    pub operations: Placed<Vec<Placed<OperationGroup>>>,
    pub watch: Option<Dur>,
    #[serde(default)]
    pub expect: Expect,
}

/// What is varied: each combination is a trial of its own.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Vary {
    pub methods: Option<Placed<Vec<Placed<String>>>>,
    pub statuses: Option<Placed<Vec<Placed<u16>>>>,
    pub pushbacks: Option<Placed<Vec<Placed<Pushback>>>>,
    pub cuts: Option<Placed<Vec<Placed<By>>>>,
    pub zones: Option<Placed<Vec<Placed<String>>>>,
}

/// What a scenario needs of a client.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Need {
    ConnectionReuse,
    Key,
    Body,
    Concurrency,
    Deadline,
    Layers(u32),
    SeveralTargets,
    Refresh,
}
