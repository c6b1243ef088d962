//! Which answer, effect and cut does this call get? Gates, turns, chances: a pure state machine.
//!
//! Nothing here waits or looks at a clock: moments come in as arguments, a decision comes out as a value, and playing
//! it is another room's work.
//!
//! - **One rule for turns.** A call takes the first turn whose `when` holds and whose `times` is not used up in its
//!   scope.
//! - **Order of gates.** Connection (refused) -> an accept cut, if that is the next turn -> outage -> turn. Refusals
//!   and outages use no turn.

mod chance;
mod matching;
mod outages;
mod refusal;
mod turns;

pub use matching::Asking;
pub use outages::Outages;
pub use refusal::refusal;
pub use turns::{AcceptCut, Decision, Falls, Script};
