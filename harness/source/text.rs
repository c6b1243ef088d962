//! A file's text, and places in it.

use serde::{Deserialize, Serialize};

use super::brackets;

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

    /// What is worth pointing at: a word without the white space behind it, brackets with all that they hold if they
    /// close on the same line, and of a block the rest of its first line.
    ///
    /// YAML's own spans run on behind plain words, and stop at the first token of maps and lists.
    pub fn snug(&self, span: Span) -> Span {
        let start = self.floor(span.start);
        let rest = &self.text[start..];
        let held = &self.text[start..self.floor(span.end).max(start)];
        let length = match rest.chars().next().filter(|_| !is_line_end(rest)) {
            Some('{' | '[') => brackets::closed(rest).unwrap_or(1),
            Some(first) if held.is_empty() && first != ':' => {
                rest.lines().next().unwrap_or_default().trim_end().len()
            }
            Some(first) => held.trim_end().len().max(first.len_utf8()),
            None => 0,
        };
        Span {
            start,
            end: start + length,
        }
    }

    /// What a span holds.
    pub fn held(&self, span: Span) -> &str {
        let snug = self.snug(span);
        &self.text[snug.start..snug.end]
    }

    /// The character at a place.
    pub(super) fn one_character(&self, at: usize) -> Span {
        let start = self.floor(at);
        let length = self.text[start..].chars().next().map_or(0, char::len_utf8);
        Span {
            start,
            end: start + length,
        }
    }

    /// Where the innermost bracket stands that is still open at a place.
    pub(super) fn open_bracket(&self, at: usize) -> Option<usize> {
        brackets::open(&self.text[..self.floor(at)])
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

/// Whether a text begins with the end of a line.
fn is_line_end(text: &str) -> bool {
    text.starts_with('\n') || text.starts_with("\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointed_at(text: &str, start: usize, end: usize) -> String {
        let source = Source::new("f", text);
        source.held(Span { start, end }).to_owned()
    }

    #[test]
    fn a_span_is_drawn_to_what_is_worth_pointing_at() {
        assert_eq!(pointed_at("a: word   # c", 3, 10), "word");
        assert_eq!(pointed_at("a: {b: \"}\"}, c", 3, 4), "{b: \"}\"}");
        assert_eq!(pointed_at("a: {b:\n  1}", 3, 4), "{");
        assert_eq!(pointed_at("a:\n  b: 1\n  c: 2", 5, 5), "b: 1");
        assert_eq!(pointed_at("a:", 1, 1), ":");
        assert_eq!(pointed_at("é", 1, 1), "é");
        assert_eq!(pointed_at("a", 9, 99), "");
    }
}
