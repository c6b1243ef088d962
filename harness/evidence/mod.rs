//! What was observed? An append-only stream of facts, and the evidence that they fold into.
//!
//! Facts are appended by `upstream`, `tap`, `drive` and `engine` as they happen. The live display reads the same
//! facts; the file of a trial is the same facts, one a line. `Evidence` is the facts folded, and with the scenario
//! and the client's promises it determines the verdict.

mod arrival;
mod beyond;
mod client_record;
mod fact;
mod fold;
mod outcome;
mod packed;
mod recorder;
mod restarts;
mod tally;
mod unmarked;

pub use arrival::{Arrival, Attribution, Seen};
pub use beyond::{Beyond, MOST_CALLS, is_call_beyond};
pub use client_record::ClientRecord;
pub use fact::{Ceiling, ClientEnd, Digest, EffectOutcome, Fact, GateState};
pub use fold::{AcceptCut, Call, Evidence, Layer, Operation};
pub use outcome::Outcome;
pub use packed::{Packed, Unpacking};
pub use recorder::{Observer, Recorder};
pub use restarts::Restarted;
pub use tally::Tally;
