//! What was found, for people and for machines. Pure: a report in, a text out; and a JSON report in again, to be joined.
//!
//! Everything that a client or a scenario wrote passes through [`plain`] before it can reach a terminal.

mod comparison;
mod figures;
mod fleet;
mod json;
mod junit;
mod layers;
mod markdown;
mod model;
mod news;
mod plain;
mod quote;
mod shard;
mod snapshot;
#[cfg(feature = "cli")]
mod text;

pub use comparison::{Comparison, Subject, comparison_markdown};
pub use json::{comparison_json, json, read_json};
pub use junit::junit;
pub use markdown::markdown;
pub use model::{AskedAt, Known, LeftOut, Listed, ReportedFinding, SuiteReport, TrialReport};
pub use news::{SnapshotIs, SnapshotNews};
pub use plain::plain;
pub use quote::shell_word;
pub use shard::Shard;
pub use snapshot::{body_of, difference, snapshot_body, snapshot_file};
#[cfg(feature = "cli")]
pub use text::{Align, Colour, columns, comparison_text, text};

#[cfg(test)]
pub(crate) mod example;
