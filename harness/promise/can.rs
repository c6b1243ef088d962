//! Capabilities: what a client, or its adapter, is able to be asked.

use serde::{Deserialize, Serialize};

/// What can be asked of a client. An operation beyond it is left out and listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Can {
    /// Methods it can send, upper case; empty means any.
    pub methods: Vec<String>,
    /// Which request bodies it can send.
    pub body: BodyCan,
    /// How it deals with idempotency keys.
    pub keys: KeysCan,
    /// Whether a deadline reaches it.
    pub deadline: DeadlineCan,
    /// Whether it keeps connections from one call to the next.
    pub keeps_connections: bool,
    /// How many targets an operation can name.
    pub targets: u32,
    /// Whether it sends request headers that it is handed.
    pub headers: bool,
    /// What the number of attempts in its results counts.
    pub attempts_count: AttemptsCount,
    /// Whether it can be told that the caller has given an operation up.
    pub cancel: bool,
    /// Whose retry policy it follows.
    pub policy: PolicyCan,
}

impl Default for Can {
    /// The least that every client can: a bare GET of one URL.
    fn default() -> Self {
        Can {
            methods: vec!["GET".to_owned()],
            body: BodyCan::None,
            keys: KeysCan::None,
            deadline: DeadlineCan::None,
            keeps_connections: false,
            targets: 1,
            headers: false,
            attempts_count: AttemptsCount::None,
            cancel: false,
            policy: PolicyCan::Own,
        }
    }
}

/// Which request bodies a client can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyCan {
    /// None at all.
    None,
    /// A body that is held in memory.
    Bytes,
    /// Also a stream that cannot be read twice.
    Stream,
}

/// How a client deals with idempotency keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeysCan {
    /// It sends none.
    None,
    /// It sends the key that it is handed with the operation.
    Given,
    /// It makes its own.
    Own,
}

/// Whether a deadline reaches the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadlineCan {
    /// It knows no deadline per operation.
    None,
    /// The operation's deadline is passed on to it.
    Passed,
}

/// What the number of attempts in a client's results counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptsCount {
    /// It reports none.
    None,
    /// Its own loop's attempts; a transport below may resend.
    Own,
    /// Every call on the wire.
    Calls,
}

/// Whose retry policy a client follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyCan {
    /// Its own.
    Own,
    /// The one that a scenario hands over (`given`), where there is one.
    Given,
}
