//! Where an exchange is cut: a word, or a map of one word and how far.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, Visitor};

use super::{Dur, PlaceAt};

/// The places that need no more than their word.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Accept,
    RequestHead,
    BeforeAnswer,
    AfterAnswer,
}

/// The places that say how far.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Far {
    RequestBody(u64),
    StatusLine(u64),
    Headers(u64),
    Body(u64),
    Idle(Dur),
}

/// Every word, for who writes another.
const WORDS: &[&str] = &[
    "accept",
    "request_head",
    "request_body",
    "before_answer",
    "status_line",
    "headers",
    "body",
    "after_answer",
    "idle",
];

impl<'de> Deserialize<'de> for PlaceAt {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct WordOrFar;
        impl<'de> Visitor<'de> for WordOrFar {
            type Value = PlaceAt;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a place such as `before_answer`, or {body: 10}")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<PlaceAt, E> {
                match word {
                    "request_body" | "status_line" | "headers" | "body" => Err(E::custom(format!(
                        "after how many bytes? write `{{{word}: 10}}` in place of `{word}`"
                    ))),
                    "idle" => Err(E::custom(
                        "idle for how long? write `{idle: 2s}` in place of `idle`",
                    )),
                    _ if !WORDS.contains(&word) => Err(E::unknown_variant(word, WORDS)),
                    _ => Word::deserialize(word.into_deserializer()).map(PlaceAt::from),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PlaceAt, A::Error> {
                Far::deserialize(MapAccessDeserializer::new(map)).map(PlaceAt::from)
            }
        }
        d.deserialize_any(WordOrFar)
    }
}

impl From<Word> for PlaceAt {
    fn from(word: Word) -> Self {
        match word {
            Word::Accept => PlaceAt::Accept,
            Word::RequestHead => PlaceAt::RequestHead,
            Word::BeforeAnswer => PlaceAt::BeforeAnswer,
            Word::AfterAnswer => PlaceAt::AfterAnswer,
        }
    }
}

impl From<Far> for PlaceAt {
    fn from(far: Far) -> Self {
        match far {
            Far::RequestBody(n) => PlaceAt::RequestBody(n),
            Far::StatusLine(n) => PlaceAt::StatusLine(n),
            Far::Headers(n) => PlaceAt::Headers(n),
            Far::Body(n) => PlaceAt::Body(n),
            Far::Idle(wait) => PlaceAt::Idle(wait),
        }
    }
}
