//! Dependencies, outages and turns as written.

use serde::Deserialize;

use super::{Answer, Bound, Dur};
use crate::source::{Entries, Placed};
use crate::term::Effect;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Dependency {
    #[serde(default)]
    pub per: Per,
    #[serde(default)]
    pub outages: Vec<Placed<Outage>>,
    pub capacity: Option<Placed<Capacity>>,
    pub slows: Option<Slows>,
    pub keys: Option<Placed<Keys>>,
    pub script: Option<Placed<Vec<Placed<Turn>>>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Per {
    #[default]
    Operation,
    Dependency,
    Connection,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Outage {
    pub from: Dur,
    pub until: Option<Dur>,
    pub every: Option<Dur>,
    pub be: Placed<Down>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Down {
    Refused,
    BlackHole,
    Hang,
    Answer(Box<Placed<Answer>>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Capacity {
    pub accept: Accept,
    pub overflow: Placed<Answer>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Accept {
    PerTick(PerTick),
    AtOnce(Placed<u32>),
    Queue(Queue),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Queue {
    pub each: Dur,
    pub waiting: Placed<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct PerTick {
    pub calls: Placed<u32>,
    pub tick: Dur,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Slows {
    pub per_call_in_flight: Dur,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Keys {
    pub header: Placed<String>,
    pub keep: Dur,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Turn {
    pub times: Option<Placed<u32>>,
    pub when: Option<Placed<When>>,
    pub takes: Option<Dur>,
    pub effect: Option<Placed<Effect>>,
    pub answer: Option<Placed<Answer>>,
    pub cut: Option<Placed<Cut>>,
    pub raw: Option<Placed<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct When {
    pub method: Option<Placed<String>>,
    pub path: Option<Placed<String>>,
    #[serde(default)]
    pub header: Entries<HeaderIs>,
    pub key: Option<Placed<KeyState>>,
    pub attempt: Option<Placed<Bound>>,
    pub on_connection: Option<Placed<Bound>>,
    pub early: Option<bool>,
    pub chance: Option<Placed<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum HeaderIs {
    Absent,
    Present,
    Exactly(String),
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum KeyState {
    Missing,
    New,
    InFlight,
    Done,
    OtherContent,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Cut {
    pub at: Placed<PlaceAt>,
    pub by: Placed<By>,
}

/// Where an exchange is cut.
#[derive(Debug)]
pub(in crate::scenario) enum PlaceAt {
    Accept,
    RequestHead,
    RequestBody(u64),
    BeforeAnswer,
    StatusLine(u64),
    Headers(u64),
    Body(u64),
    AfterAnswer,
    Idle(Dur),
}

/// How an exchange is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum By {
    Fin,
    Rst,
    Hang,
    /// Each of `vary.cuts`, in its own trial.
    Varied,
}
