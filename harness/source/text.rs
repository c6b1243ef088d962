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

    /// The span without white space at its end, and at least one character long where there is one.
    ///
    /// YAML's own spans of plain words may run on to the next token.
    pub fn snug(&self, span: Span) -> Span {
        let start = self.floor(span.start);
        let held = &self.text[start..self.floor(span.end).max(start)];
        let end = start + held.trim_end().len();
        let first = self.text[start..].chars().next().map_or(0, char::len_utf8);
        Span {
            start,
            end: end.max(start + first),
        }
    }

    /// What a span holds.
    pub fn held(&self, span: Span) -> &str {
        let snug = self.snug(span);
        &self.text[snug.start..snug.end]
    }

    /// The span from here to the end of its line.
    pub fn rest_of_line(&self, span: Span) -> Span {
        let start = self.floor(span.start);
        let rest = self.text[start..].lines().next().unwrap_or_default();
        Span {
            start,
            end: start + rest.len(),
        }
    }

    /// The whole node that begins here: to the bracket that closes it, or to the end of the line.
    pub fn node(&self, span: Span) -> Span {
        let start = self.floor(span.start);
        let mut open = 0_usize;
        let mut quote = None;
        for (at, c) in self.text[start..].char_indices() {
            match (quote, c) {
                (Some(q), _) if q == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '{' | '[') => open += 1,
                (None, '}' | ']') if open > 1 => open -= 1,
                (None, '}' | ']') if open == 1 => {
                    return Span {
                        start,
                        end: start + at + 1,
                    };
                }
                (None, _) if open == 0 && at > 0 => break,
                (None, _) => {}
            }
        }
        self.rest_of_line(span)
    }

    /// The nearest place at or before `at` where a character begins.
    fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}
