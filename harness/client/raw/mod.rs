//! `client.yaml` as it is written: every key, nothing checked but its shape.

mod argument;
mod promises;
mod service;

use serde::Deserialize;

use crate::promise::{AttemptsCount, BodyCan, DeadlineCan, KeysCan, PolicyCan};
use crate::source::{Homes, Placed};

pub(super) use argument::Argument;
pub(super) use promises::{Backoff, OptOut, Promises};
pub(super) use service::{Process, Service};

/// Where a key belongs that who writes his first client file puts somewhere else.
pub(super) const HOMES: Homes = &[
    ("command", "a driver: {driver: {exec: {command: [..]}}}"),
    ("exec", "`driver`"),
    ("jsonl", "`driver`"),
    ("service", "`driver`"),
    (
        "concurrency",
        "`jsonl`: {driver: {jsonl: {command: [..], concurrency: 8}}}",
    ),
    (
        "success",
        "`exec`: {driver: {exec: {command: [..], success: exit_zero}}}",
    ),
    ("processes", "`service` in `driver`"),
    ("entry", "`service` in `driver`"),
    ("environment", "a process of a `service`"),
    ("ready", "a process of a `service`"),
    ("attempts", "`promises`"),
    ("profile", "`promises`"),
    ("retries", "`promises`"),
    ("statuses", "`retries` in `promises`, where they are repeated"),
    ("pushback", "`promises`"),
    ("honours", "`pushback` in `promises`"),
    ("backoff", "`promises`"),
    ("base", "`backoff` in `promises`"),
    ("budget", "`promises`"),
    ("breaker", "`promises`"),
    ("opts_out", "`promises`"),
    ("one_at_a_time", "`promises`"),
    ("methods", "`can`, where it says what the client can be asked"),
    ("keys", "`can`, where it says what the client can be asked"),
    ("body", "`can`, where it says what the client can be asked"),
    ("targets", "`can`, where it says what the client can be asked"),
    (
        "keeps_connections",
        "`can`, where it says what the client can be asked",
    ),
    ("invocation", "`marks`"),
];

/// A client file, version 1.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientFile {
    pub version: Placed<u64>,
    pub name: Placed<String>,
    pub driver: Placed<Driver>,
    #[serde(default)]
    pub requires: Vec<Placed<String>>,
    pub can: Option<Can>,
    #[serde(default)]
    pub promises: Promises,
    #[serde(default)]
    pub marks: Marks,
    #[serde(default)]
    pub expected: Vec<Placed<Expected>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Driver {
    Exec(Exec),
    Jsonl(Jsonl),
    Service(Service),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exec {
    pub command: Placed<Vec<Placed<Argument>>>,
    #[serde(default)]
    pub success: Success,
    #[serde(default)]
    pub stdout: Stdout,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Success {
    #[default]
    Answered,
    ExitZero,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stdout {
    #[default]
    Talk,
    Body,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Jsonl {
    pub command: Placed<Vec<Placed<String>>>,
    pub concurrency: Option<Placed<u32>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Can {
    pub methods: Option<Vec<Placed<String>>>,
    pub body: Option<BodyCan>,
    pub keys: Option<KeysCan>,
    pub deadline: Option<DeadlineCan>,
    pub keeps_connections: Option<bool>,
    pub targets: Option<Placed<u32>>,
    pub headers: Option<bool>,
    pub attempts_count: Option<AttemptsCount>,
    pub cancel: Option<bool>,
    pub policy: Option<PolicyCan>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Marks {
    pub invocation: Option<Placed<String>>,
    pub key: Option<Placed<String>>,
    pub trace: Option<Placed<bool>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub check: Option<Placed<String>>,
    pub verdict: Option<Placed<Verdict>>,
    pub scenario: Option<Placed<String>>,
    pub because: Placed<String>,
    pub see: Option<String>,
}

/// The only verdict that can be listed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    Inconclusive,
}
