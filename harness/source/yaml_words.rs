//! The YAML crate's errors in our own words.

use std::sync::Arc;

use serde_yaml::granit_parser::{ErrorKind, ScanError};
use serde_yaml::{Error, MessageFormatter, UserMessageFormatter};

use super::yaml::{Beyond, Homes, span_of};
use super::{Problem, Source, Span, nearest};

/// A syntax error, where the parser stopped.
pub(super) fn syntax(source: &Arc<Source>, error: &ScanError) -> Problem {
    let at = error.marker().byte_offset().unwrap_or_default();
    let says = |message: String| Problem {
        span: Some(source.one_character(at)),
        label: "the reading stopped here".to_owned(),
        ..Problem::whole(source, message)
    };
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => return says("this is nested too deeply".to_owned()),
        ErrorKind::UnknownAnchor => return says("this alias has no anchor before it".to_owned()),
        _ => {}
    }
    let mut problem = says(format!("this is not YAML: {}", error.info()));
    if error.info().contains("tab") || indentation(source, at).contains('\t') {
        return problem.hint("there is a tab here; YAML is indented with spaces");
    }
    let bracket = source.open_bracket(at).filter(|open| *open != at);
    problem.also = bracket.map(|open| (source.one_character(open), "is this bracket closed?".to_owned()));
    problem
}

/// What is YAML and has no meaning here.
pub(super) fn beyond(source: &Arc<Source>, span: Span, more: &Beyond) -> Problem {
    match more {
        Beyond::Tag(tag) => {
            // The parser's place is that of what is tagged.
            let before = source.text.get(..span.start).unwrap_or_default();
            let start = before.rfind(tag.as_str()).unwrap_or(span.start);
            let place = Span {
                start,
                end: start + tag.len(),
            };
            Problem::at(source, place, format!("the tag `{tag}` has no meaning here"))
                .labelled("a YAML tag")
                .hint("leave it out; a text that looks like one is put in quotes")
        }
        Beyond::Merge => Problem::at(source, span, "maps are not merged here")
            .labelled("a merge key")
            .hint("write out what it stands for; a whole value can be an alias, such as `- *turn`"),
    }
}

/// The white space at the beginning of a place's line.
fn indentation(source: &Source, at: usize) -> &str {
    let before = source.text.get(..at).unwrap_or_default();
    let line = &source.text[before.rfind('\n').map_or(0, |n| n + 1)..];
    &line[..line.len() - line.trim_start().len()]
}

/// An error of the typed pass.
pub(super) fn typed(source: &Arc<Source>, homes: Homes, error: &Error) -> Problem {
    // Of an alias, where it stands counts, not what it stands for.
    let span = error.locations().map(|l| span_of(&l.reference_location));
    let place = Place {
        source,
        span: span.unwrap_or_default(),
    };
    match unwrapped(error) {
        Error::SerdeUnknownField { field, expected, .. } => place.unknown("key", field, expected, homes),
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => place.unknown("word", variant, expected, homes),
        Error::SerdeMissingField { field, .. } => place
            .document()
            .says(format!("the key `{field}` is missing"))
            .labelled(format!("`{field}` belongs beside this")),
        Error::DuplicateMappingKey { key, .. } => place.twice(key.as_deref()),
        Error::InvalidScalar { ty, .. } => place.wrong(kind_of_number(ty)),
        Error::InvalidBooleanStrict { .. } => place.wrong("true or false"),
        Error::Unexpected {
            expected: "mapping end",
            ..
        }
        | Error::ExpectedMappingEndAfterEnumVariantValue { .. } => place
            .says("only one of these keys can stand here".to_owned())
            .labelled("one too many"),
        Error::Unexpected {
            expected: "sequence start",
            ..
        } => place.no_list(),
        Error::Unexpected {
            expected: "mapping start",
            ..
        } => place.no_map(homes),
        Error::Unexpected { expected, .. } => place.wrong(kind_of_node(expected)),
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            place.value().wrong(expected)
        }
        Error::NullIntoString { .. } => place.wrong("a text"),
        Error::ExpectedStringKeyForExternallyTaggedEnum { .. }
        | Error::ExternallyTaggedEnumExpectedScalarOrMapping { .. } => {
            place.wrong("one word, or a map with one key")
        }
        Error::UnexpectedValueForUnit { .. } | Error::UnexpectedValueForUnitEnumVariant { .. } => {
            place.wrong("a word without a value")
        }
        Error::MultipleDocuments { .. } => place
            .says("a file holds one document, and here a second one begins".to_owned())
            .hint("put each into a file of its own"),
        Error::Message { msg, .. } => place.value().says(msg.clone()),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => too_much(source, place.span),
        // The crate's list of errors is open; what has no words of ours keeps its own.
        other => place.says(UserMessageFormatter.format_message(other).into_owned()),
    }
}

/// More than is read.
pub(super) fn too_much(source: &Arc<Source>, span: Span) -> Problem {
    let hint =
        "at most 64 levels, 200,000 values, 1 MiB of text, and 1,000 aliases that unfold into 20,000 values";
    Problem::at(source, span, "this file unfolds into more than is read")
        .labelled("the reading stopped here")
        .hint(hint)
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

impl<'a> Place<'a> {
    /// The value where a place is its key: visitors' errors are placed there.
    fn value(self) -> Place<'a> {
        let behind = self
            .source
            .text
            .get(self.source.snug(self.span).end..)
            .unwrap_or_default();
        let Some(value) = behind.strip_prefix(':').map(str::trim_start) else {
            return self;
        };
        let quoted = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let length = match quoted {
            Some(quote) => value[1..].find(quote).map(|at| at + 2),
            None => value.find(['\n', ',', '}', ']']),
        };
        let start = self.source.text.len() - value.len();
        Place {
            source: self.source,
            span: Span {
                start,
                end: start + length.unwrap_or(value.len()).max(1),
            },
        }
    }

    /// The beginning of the document where a place is one of its own keys: the crate puts what is missing at the last.
    fn document(self) -> Place<'a> {
        let before = self.source.text.get(..self.span.start).unwrap_or_default();
        if !(before.is_empty() || before.ends_with('\n')) {
            return self;
        }
        let mut start = 0;
        for line in self.source.text.split_inclusive('\n') {
            if !(line.trim().is_empty() || line.starts_with(['#', '%']) || line.trim_end() == "---") {
                break;
            }
            start += line.len();
        }
        let span = Span { start, end: start };
        Place { span, ..self }
    }

    /// What stands where a list should: a single word may be meant to be one of one.
    fn no_list(&self) -> Problem {
        let held = self.source.held(self.span);
        let is_word = |c: char| c.is_alphanumeric() || "_-./".contains(c);
        let problem = self.wrong(kind_of_node("sequence start"));
        match held {
            "" | ":" => problem,
            word if word.chars().all(is_word) => problem.instead(Some(format!("[{word}]"))),
            _ => problem
                .labelled("this is a map")
                .hint("each entry of a list begins with `- `"),
        }
    }

    /// What stands where a map should, with what that map may look like.
    fn no_map(&self, homes: Homes) -> Problem {
        let key = key_before(self.source, self.span);
        let home = key.and_then(|key| homes.iter().find(|(k, home)| *k == key && home.contains('{')));
        let problem = self.wrong(kind_of_node("mapping start"));
        match home {
            Some((key, home)) => problem.hint(format!("`{key}` belongs under {home}")),
            None => problem,
        }
    }

    fn says(&self, message: String) -> Problem {
        Problem::at(self.source, self.span, message)
    }

    fn unknown(self, what: &str, word: &str, expected: &[&'static str], homes: Homes) -> Problem {
        // Visitors' errors are placed at the key.
        let at_the_word = self.source.held(self.span) == word;
        let place = if at_the_word { self } else { self.value() };
        let near = nearest(word, expected.iter().copied()).map(str::to_owned);
        let home = homes.iter().find(|(key, _)| near.is_none() && *key == word);
        let problem = place
            .says(format!("unknown {what} `{word}`"))
            .labelled(format!("not a {what} that may stand here"))
            .instead(near.or_else(|| place.as_text(word, expected)));
        match (home, expected) {
            (Some((key, home)), _) => problem.hint(format!("`{key}` belongs under {home}")),
            (None, []) => problem,
            (None, _) => problem.hint(format!("expected one of: {}", expected.join(", "))),
        }
    }

    /// A bare text, written as one where several things can stand.
    fn as_text(&self, word: &str, expected: &[&'static str]) -> Option<String> {
        let behind = self.source.text.get(self.source.snug(self.span).end..)?;
        let bare = expected.contains(&"text") && !behind.trim_start().starts_with(':');
        bare.then(|| format!("{{text: {word}}}"))
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
        let nothing = matches!(self.source.held(self.span), "" | ":");
        self.says(format!("{key} must be {expected}"))
            .labelled(match nothing {
                true => "nothing is written here",
                false => "this is something else",
            })
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
