//! What a dependency does with a call: its effect, and where and how the exchange is cut.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a call does at a dependency besides answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing happens.
    #[default]
    None,
    /// The side effect is applied and counted in `delivered`.
    Applied,
    /// Work was started and not committed; counted in `begun`, not in `delivered`.
    Begun,
}

/// How an exchange ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutBy {
    /// The connection is closed in order (TCP FIN).
    Fin,
    /// The connection is reset (TCP RST).
    Rst,
    /// The connection stays open and silent until the client leaves.
    Hang,
}

impl fmt::Display for CutBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CutBy::Fin => "FIN",
            CutBy::Rst => "RST",
            CutBy::Hang => "hang",
        })
    }
}

/// Where in an exchange it is cut. Byte counts are counted from the start of the named part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// As soon as the connection was accepted: no request is read.
    Accept,
    /// When the request's head was read, and nothing of its body.
    RequestHead,
    /// When so many bytes of the request's body were read.
    RequestBody(u64),
    /// When the whole request was read and its effect is done, before any byte of the answer.
    BeforeAnswer,
    /// When so many bytes of the status line were sent.
    StatusLine(u64),
    /// When the status line and so many bytes of the header section were sent.
    Headers(u64),
    /// When the head and so many bytes of the answer's body were sent.
    Body(u64),
    /// When the whole answer was sent.
    AfterAnswer,
    /// When the connection has been idle for so long after the whole answer.
    Idle(Duration),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Accept => f.write_str("at accept"),
            Place::RequestHead => f.write_str("after the request head"),
            Place::RequestBody(n) => write!(f, "after {n} bytes of the request body"),
            Place::BeforeAnswer => f.write_str("before the answer"),
            Place::StatusLine(n) => write!(f, "after {n} bytes of the status line"),
            Place::Headers(n) => write!(f, "after {n} bytes of the headers"),
            Place::Body(n) => write!(f, "after {n} bytes of the body"),
            Place::AfterAnswer => f.write_str("after the answer"),
            Place::Idle(d) => write!(f, "after {} ms of idleness", d.as_millis()),
        }
    }
}

/// What an answer means to its caller, where the status alone does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Means {
    /// The caller has what it wanted.
    Success,
    /// The caller has not.
    Failure,
}

/// What a call is to its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// An attempt of the operation.
    Attempt,
    /// A request that follows a redirect this dependency answered.
    Redirect,
    /// A call that belongs to no operation: listed, never counted.
    Side,
}
