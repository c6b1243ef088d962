//! Groups of operations as written.

use serde::Deserialize;

use super::{Body, Dur};
use crate::source::{Entries, Placed};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct OperationGroup {
    pub count: Option<Placed<u32>>,
    #[serde(default)]
    pub start: Start,
    pub clients: Option<Placed<u32>>,
    pub restart: Option<Placed<Restart>>,
    pub deadline: Option<Dur>,
    pub cancel: Option<Placed<Cancel>>,
    pub request: Request,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Restart {
    All,
    First(u32),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Start {
    #[default]
    InSequence,
    AtOnce,
    PerSecond(Placed<u32>),
    At(Dur),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Cancel {
    pub after: Dur,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Request {
    pub method: Placed<String>,
    pub to: Placed<Vec<Placed<String>>>,
    pub path: Placed<String>,
    pub key: Option<Placed<Key>>,
    pub body: Option<Placed<Body>>,
    #[serde(default)]
    pub headers: Entries<Placed<String>>,
    pub stream: Option<Placed<bool>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Key {
    Own,
    Shared(String),
}
