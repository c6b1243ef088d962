//! Where in which file is this, and how is a problem shown?
//!
//! Also the one place that knows YAML: [`read_yaml`] turns a text into raw types that know their places, or into a
//! [`Problem`] in our own words. Formats are read through tables of functions (`erased`), so that their code is there once.

mod boxed;
mod brackets;
mod collect;
mod erased;
mod file;
mod json;
mod nearest;
mod problem;
mod render;
mod text;
mod unfolded;
mod yaml;
mod yaml_words;

pub use collect::{LONGEST, Problems};
pub use file::{MAX_BYTES, is_named_pipe, read_file};
pub use json::from_json;
pub use nearest::nearest;
pub use problem::Problem;
pub use render::render;
pub use text::{Source, Span};
pub use yaml::{Entries, Homes, Placed, read_yaml};
