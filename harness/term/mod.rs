//! The words that everybody shares: identities, moments, effects, places, stop reasons.
//!
//! This room knows nothing of files, sockets or verdicts; every other room may use it.

mod action;
mod claim;
mod identity;
mod key;
mod layer;
mod moment;
mod per_operation;
mod sha256;
mod stop;
mod time;

pub use action::{CutBy, Effect, Means, Place, Role};
pub use claim::Claim;
pub use identity::{CallId, ConnId, Name, OperationId, ProcessId};
pub use key::KeyState;
pub use layer::LayerRole;
pub use moment::{Stamp, StampedBy};
pub use per_operation::PerOperation;
pub use sha256::Sha256;
pub use stop::StopReason;
pub use time::Time;
