//! The YAML crate's errors in our own words.

use std::sync::Arc;

use serde_yaml::granit_parser::ScanError;
use serde_yaml::{Error, MessageFormatter, UserMessageFormatter};

use super::yaml::span_of;
use super::{Problem, Source, Span, nearest};

/// A syntax error, where the parser stopped.
pub(super) fn syntax(source: &Arc<Source>, error: &ScanError) -> Problem {
    let at = error.marker().byte_offset().unwrap_or_default();
    let span = Span { start: at, end: at };
    let problem = Problem::at(source, span, format!("this is not YAML: {}", error.info()));
    let line = source.rest_of_line(line_start(source, at));
    match source.held(line).contains('\t') || error.info().contains("tab") {
        true => problem.hint("there is a tab here; YAML is indented with spaces"),
        false => problem.labelled("the reading stopped here"),
    }
}

/// An error of the typed pass.
pub(super) fn typed(source: &Arc<Source>, error: &Error) -> Problem {
    let error = unwrapped(error);
    let span = error.location().map(|l| span_of(&l)).unwrap_or_default();
    let place = Place { source, span };
    match error {
        Error::SerdeUnknownField { field, expected, .. } => place.unknown("key", field, expected),
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => place.unknown("word", variant, expected),
        Error::SerdeMissingField { field, .. } => place
            .says(format!("the key `{field}` is missing"))
            .labelled(format!("`{field}` belongs here")),
        Error::DuplicateMappingKey { key, .. } => place.twice(key.as_deref()),
        Error::InvalidScalar { ty, .. } => place.wrong(kind_of_number(ty)),
        Error::InvalidBooleanStrict { .. } => place.wrong("true or false"),
        Error::Unexpected { expected, .. } => place.wrong(kind_of_node(expected)),
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            place.wrong(expected)
        }
        Error::NullIntoString { .. } => place.wrong("a text"),
        Error::ExpectedStringKeyForExternallyTaggedEnum { .. }
        | Error::ExternallyTaggedEnumExpectedScalarOrMapping { .. } => {
            place.wrong("one word, or a map with one key")
        }
        Error::UnexpectedValueForUnit { .. } | Error::UnexpectedValueForUnitEnumVariant { .. } => {
            place.wrong("a word without a value")
        }
        Error::ExpectedMappingEndAfterEnumVariantValue { .. } => place
            .says("only one of these keys can stand here".to_owned())
            .labelled("one too many"),
        Error::MultipleDocuments { .. } => place
            .says("a file holds one document, and here a second one begins".to_owned())
            .hint("put each into a file of its own"),
        Error::UnknownAnchor { .. } => place.says("this alias has no anchor before it".to_owned()),
        Error::Message { msg, .. } => place.says(msg.clone()),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => place.too_much(),
        // The crate's list of errors is open; what has no words of ours keeps its own.
        other => place.says(UserMessageFormatter.format_message(other).into_owned()),
    }
}

/// The error that others only carry.
fn unwrapped(mut error: &Error) -> &Error {
    while let Error::AliasError { error: inner, .. } | Error::WithSnippet { error: inner, .. } = error {
        error = inner;
    }
    error
}

/// Where an error lies.
struct Place<'a> {
    source: &'a Arc<Source>,
    span: Span,
}

impl Place<'_> {
    fn says(&self, message: String) -> Problem {
        Problem::at(self.source, self.span, message)
    }

    fn unknown(&self, what: &str, word: &str, expected: &[&'static str]) -> Problem {
        let problem = self
            .says(format!("unknown {what} `{word}`"))
            .labelled(format!("not a {what} that may stand here"))
            .instead(nearest(word, expected.iter().copied()));
        match expected {
            [] => problem,
            _ => problem.hint(format!("expected one of: {}", expected.join(", "))),
        }
    }

    fn twice(&self, key: Option<&str>) -> Problem {
        let key = key.unwrap_or_else(|| self.source.held(self.span));
        self.says(format!("the key `{key}` is written twice"))
            .labelled("the second time")
            .hint("which of the two was meant? leave one out")
    }

    fn wrong(&self, expected: &str) -> Problem {
        let key = key_before(self.source, self.span);
        let key = key.map_or_else(|| "this".to_owned(), |key| format!("`{key}`"));
        let nothing = self.span.start == self.span.end;
        self.says(format!("{key} must be {expected}"))
            .labelled(match nothing {
                true => "nothing is written here",
                false => "this is something else",
            })
    }

    fn too_much(&self) -> Problem {
        self.says("this file unfolds into more than is read".to_owned())
            .labelled("the reading stopped here")
            .hint("at most 64 levels, 200,000 values, and 1,000 aliases that unfold into 100,000 values")
    }
}

/// The key whose value begins at a span, if one stands right before it.
fn key_before(source: &Source, span: Span) -> Option<&str> {
    let before = source.text.get(..span.start)?.trim_end();
    let at_colon = source.text.get(span.start..).is_some_and(|t| t.starts_with(':'));
    // A missing value is placed at the colon itself.
    let before = before.strip_suffix(':').or(at_colon.then_some(before))?;
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .map_or(0, |at| at + 1);
    before.get(start..).filter(|key| !key.is_empty())
}

fn line_start(source: &Source, at: usize) -> Span {
    let before = source.text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |n| n + 1);
    Span { start, end: at }
}

fn kind_of_number(ty: &str) -> &'static str {
    match ty {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" => "a whole number, not negative",
        "boolean" => "true or false",
        _ => "a number",
    }
}

fn kind_of_node(expected: &'static str) -> &'static str {
    match expected {
        "mapping start" => "a map such as {key: value}",
        "sequence start" => "a list such as [a, b]",
        "string scalar" | "scalar" => "a single value",
        other => other,
    }
}
