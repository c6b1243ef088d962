//! `--retry`, `3`, or a group `[-H, "Idempotency-Key: {key}"]`.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::source::Placed;

/// An argument of a command.
#[derive(Debug)]
pub(in crate::client) enum Argument {
    /// A text.
    Text(String),
    /// A number or a truth value: what is written counts, not what YAML makes of it.
    AsWritten,
    /// A group.
    Group(Vec<Placed<String>>),
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct TextOrList;
        impl<'de> Visitor<'de> for TextOrList {
            type Value = Argument;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an argument, or a list of arguments that belong together")
            }
            fn visit_str<E: Error>(self, s: &str) -> Result<Argument, E> {
                Ok(Argument::Text(s.to_owned()))
            }
            fn visit_bool<E: Error>(self, _: bool) -> Result<Argument, E> {
                Ok(Argument::AsWritten)
            }
            fn visit_u64<E: Error>(self, _: u64) -> Result<Argument, E> {
                Ok(Argument::AsWritten)
            }
            fn visit_i64<E: Error>(self, _: i64) -> Result<Argument, E> {
                Ok(Argument::AsWritten)
            }
            fn visit_f64<E: Error>(self, _: f64) -> Result<Argument, E> {
                Ok(Argument::AsWritten)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Argument, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Argument::Group)
            }
        }
        d.deserialize_any(TextOrList)
    }
}
