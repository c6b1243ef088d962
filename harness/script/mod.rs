//! Which answer, effect and cut does this call get? Gates, turns, chances: a pure state machine.
//!
//! Nothing here waits or looks at a clock: moments come in as arguments, a decision comes out as a value, and playing
//! it is another room's work.
//!
//! - **One rule for turns.** A call takes the first turn whose `when` holds and whose `times` is not used up in its
//!   scope.
//! - **Order of gates.** Connection (refused) -> an accept cut, if that is the next turn -> outage -> turn. Refusals
//!   and outages use no turn.
//! - **The script decides the answer, the key store decides whether the effect happens again.**

mod chance;
mod keyed;
mod matching;
mod outages;
mod refusal;
mod store;
mod turns;

pub use keyed::{AtHead, ByKey, Whole};
pub use matching::{Asking, Known};
pub use outages::Outages;
pub use refusal::refusal;
pub use turns::{AcceptCut, Decision, Falls, Script};
