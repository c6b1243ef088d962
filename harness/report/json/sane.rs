//! Whether a text's numbers are ones that a report can hold, so that what is reckoned with them stays a number.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The largest number that is taken: three years in microseconds. A thousand times that of as many trials as fit into a report is
/// still a number.
const MOST: u64 = 100_000_000_000_000;

/// JSON of which only that is known. Nothing of it is kept.
pub(super) struct Sane;

impl<'de> Deserialize<'de> for Sane {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Look)
    }
}

struct Look;

fn too_large<E: Error>(number: impl fmt::Display) -> E {
    E::custom(format!("{number} is more than can be counted"))
}

impl<'de> Visitor<'de> for Look {
    type Value = Sane;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Sane, E> {
        Ok(Sane)
    }

    fn visit_unit<E>(self) -> Result<Sane, E> {
        Ok(Sane)
    }

    fn visit_str<E>(self, _: &str) -> Result<Sane, E> {
        Ok(Sane)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Sane, E> {
        Ok(Sane)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Sane, E> {
        match number > MOST {
            true => Err(too_large(number)),
            false => Ok(Sane),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Sane, E> {
        match number > MOST as f64 {
            true => Err(too_large(number)),
            false => Ok(Sane),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sane, A::Error> {
        while list.next_element::<Sane>()?.is_some() {}
        Ok(Sane)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sane, A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            // A seed is no count, and any number may be one.
            if key == "seed" {
                map.next_value::<IgnoredAny>()?;
            } else {
                map.next_value::<Sane>()?;
            }
        }
        Ok(Sane)
    }
}
