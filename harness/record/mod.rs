//! The evidence file: what was asked of whom, and every fact, appended as it happens.
//!
//! JSON Lines. The first line is the [`Header`]: the scenario's whole text, the client's promises, the seed, so that
//! the file alone determines the verdict. Every other line is one fact. The client's version is in the fact
//! `client_ready`, because it is known only once the client was started.

mod header;
mod read;
mod sequence;
mod write;

pub use header::{Header, RunOf, VERSION};
pub use read::{ReadError, Recorded, read, read_from};
pub use write::Recording;
