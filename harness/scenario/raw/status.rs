//! `503` or `varied`.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

/// The status of an answer.
#[derive(Debug, Clone, Copy)]
pub(in crate::scenario) enum Status {
    /// A number, in range or not.
    Number(u64),
    /// Each of `vary.statuses`, in its own trial.
    Varied,
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct NumberOrVaried;
        impl Visitor<'_> for NumberOrVaried {
            type Value = Status;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a status such as 503, or `varied` for each of vary.statuses")
            }
            fn visit_u64<E>(self, n: u64) -> Result<Status, E> {
                Ok(Status::Number(n))
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<Status, E> {
                match u64::try_from(n) {
                    Ok(n) => Ok(Status::Number(n)),
                    Err(_) => Err(E::invalid_value(Unexpected::Signed(n), &self)),
                }
            }
            fn visit_str<E: Error>(self, s: &str) -> Result<Status, E> {
                match s {
                    "varied" => Ok(Status::Varied),
                    _ => Err(E::invalid_value(Unexpected::Str(s), &self)),
                }
            }
        }
        d.deserialize_any(NumberOrVaried)
    }
}
