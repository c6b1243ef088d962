//! What was found, for people and for machines. Pure: a report in, a text out.
//!
//! Everything that a client or a scenario wrote passes through [`plain`] before it can reach a terminal.

mod json;
mod junit;
mod model;
mod plain;
mod quote;
#[cfg(feature = "cli")]
mod text;

pub use json::json;
pub use junit::junit;
pub use model::{Known, LeftOut, ReportedFinding, SuiteReport, TrialReport};
pub use plain::plain;
pub use quote::shell_word;
#[cfg(feature = "cli")]
pub use text::{Colour, text};

#[cfg(test)]
pub(crate) mod example;
