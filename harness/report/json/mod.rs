//! The JSON report, version 1: the part of the output that tools may rely on, and that can be read back to be joined.

mod comparison;
mod mirror;
mod read;
mod sane;
mod write;

pub use comparison::comparison_json;
pub use read::read_json;
pub use write::json;
