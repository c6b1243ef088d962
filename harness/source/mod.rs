//! Where in which file is this, and how is a problem shown?

mod problem;
mod text;

pub use problem::Problem;
pub use text::{Source, Span};
