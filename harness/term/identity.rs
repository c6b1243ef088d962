//! Who is meant: operations, calls, connections, and the names of dependencies.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of a dependency, a layer or a client.
pub type Name = Arc<str>;

/// One logical request of a trial, numbered from 1 in the order of the scenario; written `op-1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub u32);

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "op-{}", self.0)
    }
}

impl FromStr for OperationId {
    type Err = ();

    fn from_str(s: &str) -> Result<Self, ()> {
        let digits = s.strip_prefix("op-").ok_or(())?;
        let canonical =
            !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        if !canonical {
            return Err(());
        }
        digits.parse().map(OperationId).map_err(|_| ())
    }
}

impl Serialize for OperationId {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match s.is_human_readable() {
            true => s.collect_str(self),
            false => s.serialize_u32(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for OperationId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if !d.is_human_readable() {
            return u32::deserialize(d).map(OperationId);
        }
        let text = String::deserialize(d)?;
        text.parse()
            .map_err(|()| serde::de::Error::custom(format!("`{text}` is not an operation such as op-1")))
    }
}

/// One physical attempt as seen at a dependency, numbered from 1 in order of arrival in the trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub u32);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call {}", self.0)
    }
}

/// One accepted connection, numbered from 1 in order of acceptance in the trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConnId(pub u32);

/// One instance of the client, with budgets and breakers of its own. The clients of a fleet are numbered from 1; where
/// each operation starts a process, it is numbered as its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProcessId(pub u32);

impl ProcessId {
    /// The only one, where there is no fleet.
    pub const FIRST: ProcessId = ProcessId(1);
}

impl Default for ProcessId {
    fn default() -> Self {
        Self::FIRST
    }
}

impl fmt::Display for ProcessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {}", self.0)
    }
}
