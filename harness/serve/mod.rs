//! What is served to a system that runs elsewhere? The dependencies of one trial, without a client.
//!
//! Nobody says which operations there are, so all calls since the start, or since the last reset, count as those of one
//! operation: scopes, attempts and `early` are those of the whole dependency.

mod addresses;
mod call;
mod control;
mod hosts;
mod ledger;
mod stand;

pub use addresses::Addresses;
pub use call::{CallRecord, CallWas, EffectWas};
pub use control::{Control, Find, Wanted};
pub use ledger::{News, PointCounts};
pub use stand::{Stand, Standing, Summary};
