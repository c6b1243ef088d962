//! Which answer, effect and cut does this call get? Gates, turns, chances: a pure state machine.
//!
//! Nothing here waits or looks at a clock: moments come in as arguments, a decision comes out as a value, and playing
//! it is another room's work.
//!
//! - **One rule for turns.** A call takes the first turn whose `when` holds and whose `times` is not used up in its
//!   scope.
//! - **Order of gates.** Connection (refused, black hole) -> an accept cut, if that is the next turn -> outage ->
//!   capacity -> load -> turn. Refusals, outages and overflow use no turn and no capacity.
//! - **The script decides the answer, the key store decides whether the effect happens again.**

mod capacity;
mod chance;
mod keyed;
mod matching;
mod outages;
mod refusal;
mod store;
mod turns;

pub use keyed::{AtHead, ByKey, Whole};
pub use matching::{Asking, Known};
pub use outages::{GateIs, Outages};
pub use refusal::refusal;
pub use turns::{AcceptCut, Decision, Falls, Script};
