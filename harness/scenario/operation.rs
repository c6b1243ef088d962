//! What the client is asked to do: groups of like operations.

use std::time::Duration;

use crate::source::Span;
use crate::term::{Name, OperationId};

/// Some operations that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationGroup {
    /// The id of its first operation; the others follow.
    pub first: OperationId,
    /// How many there are, those of all its clients together.
    pub count: u32,
    /// When they start.
    pub start: Start,
    /// Among how many clients they are dealt, at least 1.
    pub clients: u32,
    /// How many clients of the trial, from the first, are ended and started anew before it, when all before it is over; 0
    /// where none is.
    pub restarts: u32,
    /// How long the caller of each waits for its answer.
    pub deadline: Option<Duration>,
    /// When the caller of each gives up.
    pub cancel_after: Option<Duration>,
    /// What each asks for.
    pub request: RequestPlan,
    /// Where the group is written.
    pub span: Span,
}

impl OperationGroup {
    /// The ids of its operations.
    pub fn ids(&self) -> impl Iterator<Item = OperationId> + use<> {
        let first = self.first.0;
        (first..first + self.count).map(OperationId)
    }

    /// Which client of the fleet an operation of this group falls to, from 1: they are dealt in turn.
    pub fn client_of(&self, id: OperationId) -> u32 {
        id.0.saturating_sub(self.first.0) % self.clients.max(1) + 1
    }
}

/// When the operations of a group start.
///
/// Groups start in the order of the file. A group `in_sequence` waits for every group before it, and holds up the
/// groups after it; neighbouring groups of the other kinds run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// One after another.
    #[default]
    InSequence,
    /// All at once.
    AtOnce,
    /// So many a second.
    PerSecond(u32),
    /// All at this time after the trial's start.
    At(Duration),
}

/// What an operation asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestPlan {
    /// The method, upper case.
    pub method: String,
    /// The dependencies it may be sent to, in order of preference; never empty.
    pub to: Vec<Name>,
    /// The path, beginning with a slash; the operation's marker is put before it.
    pub path: String,
    /// Its idempotency key.
    pub key: Option<KeyPlan>,
    /// Its body.
    pub body: Option<RequestBody>,
    /// Its headers.
    pub headers: Vec<(String, String)>,
    /// Whether the body is a stream that cannot be read twice.
    pub stream: bool,
}

/// Whose idempotency key an operation carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlan {
    /// Its own.
    Own,
    /// One that it shares with others, by this name.
    Shared(String),
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestBody {
    /// This text.
    Text(String),
    /// So many zero bytes.
    Zeros(u64),
}

impl RequestBody {
    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        match self {
            RequestBody::Text(text) => text.len() as u64,
            RequestBody::Zeros(n) => *n,
        }
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a scenario needs of a client, or it is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// It keeps connections.
    ConnectionReuse,
    /// It sends an idempotency key.
    Key,
    /// It sends a body.
    Body,
    /// It runs operations side by side.
    Concurrency,
    /// It knows a deadline.
    Deadline,
    /// It has so many layers (not played yet).
    Layers(u32),
    /// An operation may go to several targets.
    SeveralTargets,
    /// It refreshes an expired token (not played yet).
    Refresh,
}
