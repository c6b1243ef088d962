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

use crate::source::{Entries, Placed};

pub(super) use answer::{Answer, Body, Content, Drip, Framing};
pub(super) use bound::Bound;
pub(super) use dependency::{
    Accept, By, Capacity, Cut, Dependency, Down, HeaderIs, KeyState, Keys, Outage, Per, PlaceAt, Queue, Turn,
    When,
};
pub(super) use expect::{Counts, Expect, OfPolicy};
pub(super) use given::{Backoff, Exponential, Given, PolicyFile, Rolls};
pub(super) use operation::{Key, OperationGroup, Request, Restart, Start};
pub(super) use pushback::{DateAt, Pushback, Written};
pub(super) use status::Status;

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
