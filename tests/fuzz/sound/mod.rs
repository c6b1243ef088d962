//! What is sound, kind by kind: the property that holds for every input, and inputs to begin with. Changed at random by this
//! test, and led by coverage in `guided/`.

pub mod client;
pub mod evidence;
pub mod jsonl;
pub mod reports;
pub mod requests;
pub mod scenario;
pub mod taps;

/// Between the parts of an input that has several.
pub const SEPARATOR: u8 = 0x1e;
