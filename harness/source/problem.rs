//! What is wrong with a file, and how it is shown.

use std::sync::Arc;

use super::{Source, Span};

/// One thing that is wrong with a file: place, cause and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub source: Arc<Source>,
    /// Where; `None` where the file as a whole is meant (missing, empty, binary).
    pub span: Option<Span>,
    /// What is wrong, in a lower-case sentence without a full stop.
    pub message: String,
    /// What stands at the place, in a few words.
    pub label: String,
    /// Another place that belongs to it, with its label.
    pub also: Option<(Span, String)>,
    /// What to write instead of what the span holds.
    pub replacement: Option<String>,
    /// A hint.
    pub help: Option<String>,
}
