//! YAML into raw types that know their places.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_yaml::granit_parser::{Event, Parser, ScalarStyle, Span as Written};
use serde_yaml::{Location, Options};

use super::file::MAX_BYTES;
use super::unfolded::Unfolded;
use super::{Problem, Source, Span, boxed, yaml_words};

/// A value and where it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Where it is written; of a map or a list, its first token.
    pub span: Span,
}

impl<'de, T: DeserializeOwned + 'static> Deserialize<'de> for Placed<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let (value, location) = boxed::with_its_place(d)?;
        Ok(Placed {
            span: span_of(&location),
            value,
        })
    }
}

/// A map in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entries<T>(pub Vec<(Placed<String>, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Entries(Vec::new())
    }
}

impl<T> Entries<T> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Placed<String>, T)> {
        self.0.iter()
    }

    /// The keys in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.value.as_str())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map such as {name: ..}")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        d.deserialize_map(InOrder(PhantomData))
    }
}

/// Keys that are looked for in the wrong place, each with the key that it belongs under, as it is said to who writes it elsewhere.
pub type Homes = &'static [(&'static str, &'static str)];

/// Reads a document: its length, then its syntax, then its types. `homes` is for the hint at an unknown key.
///
/// # Errors
///
/// The first problem. A syntax error is found by a pass of its own, which places it better than the typed one.
#[expect(
    clippy::result_large_err,
    reason = "once a file, and the callers collect them"
)]
pub fn read_yaml<T: DeserializeOwned + 'static>(source: &Arc<Source>, homes: Homes) -> Result<T, Problem> {
    if source.text.len() > MAX_BYTES {
        return Err(Problem::whole(
            source,
            "this file is longer than 1 MiB, which is the most that is read",
        ));
    }
    let says_something = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if !source.text.lines().any(says_something) {
        return Err(Problem::whole(source, "there is nothing in this file"));
    }
    let mut unfolded = Unfolded::default();
    for event in Parser::new_from_str(&source.text) {
        let (event, written) = event.map_err(|e| yaml_words::syntax(source, &e))?;
        if let Some(more) = beyond(&event) {
            return Err(yaml_words::beyond(source, place_of(&written), &more));
        }
        // The crate bounds how many values aliases stand for, not how long those are.
        if unfolded.add(&event) > MAX_BYTES {
            return Err(yaml_words::too_much(source, place_of(&written)));
        }
    }
    boxed::document(&source.text, limits()).map_err(|e| yaml_words::typed(source, homes, &e))
}

/// What of YAML would be read and mean nothing here.
pub(super) enum Beyond {
    /// A tag, as it is written.
    Tag(String),
    /// The merge key `<<`.
    Merge,
}

/// Tags choose types, which the grammar has chosen; a merge key hides what stands in a turn from who reads it.
fn beyond(event: &Event<'_>) -> Option<Beyond> {
    let tag = match event {
        Event::Scalar(_, _, _, tag) | Event::SequenceStart(_, _, tag) | Event::MappingStart(_, _, tag) => tag,
        _ => return None,
    };
    if let Some(tag) = tag {
        return Some(Beyond::Tag(tag.original()));
    }
    let is_merge = matches!(event, Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<");
    is_merge.then_some(Beyond::Merge)
}

fn place_of(written: &Written) -> Span {
    let range = written.byte_range().unwrap_or_default();
    Span {
        start: range.start,
        end: range.end,
    }
}

/// What a hand-written file never reaches, and a hostile one must not pass.
fn limits() -> Options {
    serde_yaml::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_yaml::budget! {
            max_depth: 64,
            max_nodes: 200_000,
            max_aliases: 1_000,
        },
        alias_limits: serde_yaml::alias_limits! {
            // A turn of ten keys that stands in a thousand places: what a machine writes, and is answered at once.
            max_total_replayed_events: 20_000,
        },
    }
}

/// The bytes at a location.
pub(super) fn span_of(location: &Location) -> Span {
    let span = location.span();
    let start = span.byte_offset().unwrap_or_default() as usize;
    Span {
        start,
        end: start + span.byte_len().unwrap_or_default() as usize,
    }
}
