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
        // Read in one go: each call's path is.
        let digits = s
            .strip_prefix("op-")
            .filter(|digits| !digits.is_empty() && !digits.starts_with('0'));
        let more = |n: u32, digit: u8| {
            let digit = digit.is_ascii_digit().then(|| u32::from(digit - b'0'))?;
            n.checked_mul(10)?.checked_add(digit)
        };
        let n = digits.and_then(|digits| digits.bytes().try_fold(0, more));
        n.map(OperationId).ok_or(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_read_as_it_is_written_and_no_other_way() {
        for n in [1, 9, 10, 4_294_967_295] {
            assert_eq!(format!("op-{n}").parse(), Ok(OperationId(n)));
        }
        for wrong in [
            "op-",
            "op-0",
            "op-01",
            "op-+1",
            "op-1 ",
            "op-1a",
            "op-4294967296",
            "1",
            "OP-1",
            "",
        ] {
            assert_eq!(wrong.parse::<OperationId>(), Err(()), "{wrong}");
        }
    }
}
