//! The head of a request that arrived, and how it is known to whom it belongs.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::term::{CallId, ConnId, Effect, Name, OperationId, Role, Sha256, Stamp, StampedBy};

/// The head of a request that arrived; as it is seen, its texts are borrowed ([`Seen`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival<P = Name, T = CompactString> {
    /// The call.
    pub call: CallId,
    /// The operation it belongs to.
    pub op: Option<OperationId>,
    /// How that is known.
    pub by: Attribution,
    /// What it is to its operation.
    pub role: Role,
    /// Where it arrived.
    pub point: P,
    /// On which connection.
    pub conn: ConnId,
    /// Which request on it, from 1.
    pub nth_on_conn: u32,
    /// `HTTP/1.1`.
    pub protocol: T,
    /// The method.
    pub method: T,
    /// The path without the operation's marker.
    pub path: T,
    /// The query, if any.
    pub query: Option<String>,
    /// Idempotency keys it carries in the header in which its dependency looks for them, in order, as they are.
    pub keys: Vec<String>,
    /// Headers that were handed over with its operation and that it does not carry, whatever their values.
    #[serde(default)]
    pub lacks: Vec<CompactString>,
    /// A digest of its head: SHA-256 of the lower-cased, sorted header lines.
    pub head_sha256: Sha256,
    /// When its first byte came: where one read brought several bytes, the last of those.
    pub at: Stamp,
    /// Whose clock said so.
    #[serde(default)]
    pub stamped_by: StampedBy,
    /// The turn of the script it fell to, from 0; `None` for an outage's, for overflow, and where `Decided` tells it.
    pub turn: Option<u32>,
    /// The outage it met, from 0.
    pub outage: Option<u32>,
    /// Whether it was more than the dependency takes.
    #[serde(default)]
    pub overflow: bool,
    /// For how long it is in its dependency's line, worked on and slowed by its load, in microseconds.
    #[serde(default)]
    pub queued_us: u64,
    /// The effect that the script orders.
    pub effect: Effect,
}

/// The head of a request where it is read, before anything of it is copied.
pub type Seen<'a> = Arrival<&'a Name, &'a str>;

impl Seen<'_> {
    /// A copy that can be kept.
    pub(super) fn kept(&self) -> Arrival {
        Arrival {
            call: self.call,
            op: self.op,
            by: self.by,
            role: self.role,
            point: self.point.clone(),
            conn: self.conn,
            nth_on_conn: self.nth_on_conn,
            protocol: self.protocol.into(),
            method: self.method.into(),
            path: self.path.into(),
            query: self.query.clone(),
            keys: self.keys.clone(),
            lacks: self.lacks.clone(),
            head_sha256: self.head_sha256,
            at: self.at,
            stamped_by: self.stamped_by,
            turn: self.turn,
            outage: self.outage,
            overflow: self.overflow,
            queued_us: self.queued_us,
            effect: self.effect,
        }
    }
}

/// How it is known to which operation a call belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attribution {
    /// By the marker in its URL.
    Url,
    /// By its idempotency key.
    Key,
    /// By the invocation header that the client's file declares.
    Invocation,
    /// By its traceparent.
    Trace,
    /// It was the only operation running.
    Alone,
    /// It belongs to none: a side call.
    Nothing,
}
