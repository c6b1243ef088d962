//! `3s`, `{imf: {ahead: 3s}}`, `{raw: soon}` or `varied`.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Dur;
use crate::source::Placed;

/// The value of a Retry-After header.
#[derive(Debug)]
pub(in crate::scenario) enum Pushback {
    /// A wait in whole seconds, as written.
    Wait(String),
    /// A form spelled out.
    Written(Written),
    /// Each of `vary.pushbacks`, in its own trial.
    Varied,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Written {
    Imf(DateAt),
    Rfc850(DateAt),
    Asctime(DateAt),
    Raw(Placed<String>),
    Twice(Placed<Vec<Placed<String>>>),
}

/// Where a date lies, seen from the moment it is served.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum DateAt {
    Ahead(Dur),
    Past(Dur),
}

impl<'de> Deserialize<'de> for Pushback {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct WaitOrForm;
        impl<'de> Visitor<'de> for WaitOrForm {
            type Value = Pushback;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a wait such as 3s, `varied`, {imf: {ahead: 3s}}, {rfc850: ..}, {asctime: ..}, ",
                )?;
                f.write_str("{raw: soon} or {twice: [3, 5]}")
            }
            fn visit_str<E: Error>(self, s: &str) -> Result<Pushback, E> {
                Ok(match s {
                    "varied" => Pushback::Varied,
                    _ => Pushback::Wait(s.to_owned()),
                })
            }
            fn visit_u64<E: Error>(self, n: u64) -> Result<Pushback, E> {
                Ok(Pushback::Wait(n.to_string()))
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<Pushback, E> {
                Ok(Pushback::Wait(n.to_string()))
            }
            fn visit_f64<E: Error>(self, n: f64) -> Result<Pushback, E> {
                Ok(Pushback::Wait(n.to_string()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pushback, A::Error> {
                Written::deserialize(MapAccessDeserializer::new(map)).map(Pushback::Written)
            }
        }
        d.deserialize_any(WaitOrForm)
    }
}
