//! `3`, `{at_most: 4}` or `{policy: attempts}`.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::source::Placed;

/// A bound on a count.
#[derive(Debug)]
pub(in crate::scenario) enum Bound {
    Exactly(u64),
    Within(Within),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Within {
    pub at_least: Option<u64>,
    pub at_most: Option<u64>,
    pub policy: Option<Placed<String>>,
}

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NumberOrMap;
        impl<'de> Visitor<'de> for NumberOrMap {
            type Value = Bound;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a count such as 3, a bound such as {at_most: 4}, or {policy: attempts}")
            }
            fn visit_u64<E>(self, n: u64) -> Result<Bound, E> {
                Ok(Bound::Exactly(n))
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<Bound, E> {
                u64::try_from(n)
                    .map(Bound::Exactly)
                    .map_err(|_| E::custom("a count cannot be negative"))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Bound, A::Error> {
                Within::deserialize(MapAccessDeserializer::new(map)).map(Bound::Within)
            }
        }
        d.deserialize_any(NumberOrMap)
    }
}
