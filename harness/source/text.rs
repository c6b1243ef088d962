//! A file's text, and places in it.

use serde::{Deserialize, Serialize};

/// A file that was read, or a text that stands for one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The path as the user wrote it, or `built-in:NAME`.
    pub path: String,
    /// Its whole text.
    pub text: String,
}

/// A range of bytes of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Source {
    /// A source.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Source {
            path: path.into(),
            text: text.into(),
        }
    }

    /// The line, from 1, on which a span begins.
    pub fn line(&self, span: Span) -> usize {
        let end = span.start.min(self.text.len());
        self.text.as_bytes()[..end]
            .iter()
            .filter(|b| **b == b'\n')
            .count()
            + 1
    }

    /// The text of that line, without white space around it.
    pub fn line_text(&self, span: Span) -> &str {
        self.text
            .lines()
            .nth(self.line(span) - 1)
            .unwrap_or_default()
            .trim()
    }

    /// `path:line`.
    pub fn place(&self, span: Span) -> String {
        format!("{}:{}", self.path, self.line(span))
    }
}
