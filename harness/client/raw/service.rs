//! The processes of a service as written.

use serde::Deserialize;

use crate::source::{Entries, Placed};
use crate::term::LayerRole;

/// A service, with or without gateways before it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct Service {
    #[serde(default)]
    pub calls: Vec<Placed<String>>,
    pub processes: Placed<Vec<Process>>,
    pub entry: Option<Placed<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct Process {
    pub name: Placed<String>,
    pub role: LayerRole,
    pub command: Placed<Vec<Placed<String>>>,
    #[serde(default)]
    pub environment: Entries<Placed<String>>,
    #[serde(default)]
    pub files: Entries<Placed<String>>,
    #[serde(default)]
    pub ready: Ready,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::client) struct Ready {
    pub path: Option<Placed<String>>,
    pub within: Option<Placed<String>>,
}
