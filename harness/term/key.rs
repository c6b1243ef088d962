//! What a dependency's key store knows of a call's idempotency key.

use serde::{Deserialize, Serialize};

/// What the key store knows of a call's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// The call carries none.
    Missing,
    /// Nothing is stored under it: it was never seen, is forgotten, or what it stood for was never committed.
    New,
    /// The call that brought it is still at work.
    InFlight,
    /// Its effect was applied.
    Done,
    /// It came with other content before.
    OtherContent,
}
