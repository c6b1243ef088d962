//! What a client says of an operation's end.

use serde::{Deserialize, Serialize};

/// What a client claims of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// It succeeded.
    Ok,
    /// A complete final answer was read, whatever it says (a command's exit status 0).
    Answered,
    /// It failed.
    Failed,
    /// The client does not know.
    Unknown,
}
