//! The jsonl lines, version 1.
//!
//! One process serves exactly one trial. Lines that do not begin with `{"` are talk; one over [`MAX_LINE`] bytes is
//! the adapter's fault.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::term::{Claim, OperationId, StopReason};

/// The version of the lines below.
pub const VERSION: u32 = 1;

/// The longest line an adapter may write, in bytes.
pub const MAX_LINE: usize = 1024 * 1024;

/// The first line to an adapter.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    /// [`VERSION`].
    pub retrial: u32,
    /// The trial's id.
    pub trial: String,
    /// The policy it should follow, where the scenario hands one over: see [`policy_line`](super::policy_line).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<serde_json::Value>,
    /// How many operations will be outstanding at most.
    pub concurrency: u32,
    /// Base URLs of the dependencies, without any operation's marker.
    pub dependencies: BTreeMap<String, String>,
}

/// The first line from an adapter.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HelloBack {
    /// [`VERSION`].
    pub retrial: u32,
    /// What it is.
    pub client: String,
    /// Which version of it.
    #[serde(default)]
    pub version: Option<String>,
}

/// An operation, handed to a client.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    /// Which.
    pub op: OperationId,
    /// The method.
    pub method: String,
    /// The first target's whole URL.
    pub url: String,
    /// The first target's URL without the path, the operation's marker included.
    pub base_url: String,
    /// Every target's whole URL.
    pub urls: Vec<String>,
    /// Headers to send.
    pub headers: Vec<(String, String)>,
    /// The body to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
    /// Whether the body must be sent as a stream that cannot be read twice.
    pub stream: bool,
    /// The idempotency key to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How long the caller waits, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
}

/// The caller gives up on an operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cancel {
    /// Which.
    pub cancel: OperationId,
}

/// A result from an adapter. Unknown fields are an error of the adapter's.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultLine {
    /// Which operation.
    pub op: OperationId,
    /// What the client claims; missing only beside `could_not_run`.
    #[serde(default)]
    pub claim: Option<Claim>,
    /// The status it ended with.
    #[serde(default)]
    pub status: Option<u16>,
    /// The attempts it counted.
    #[serde(default)]
    pub attempts: Option<u32>,
    /// Why it made no further attempt.
    #[serde(default)]
    pub stop: Option<StopReason>,
    /// SHA-256 of the body it hands over, in hexadecimal.
    #[serde(default)]
    pub body_sha256: Option<String>,
    /// What it says of a failure.
    #[serde(default)]
    pub error: Option<String>,
    /// Why it could not run the operation at all.
    #[serde(default)]
    pub could_not_run: Option<String>,
}
