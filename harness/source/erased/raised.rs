//! The error between a type and its deserializer.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

/// What a type finds wrong, in serde's own kinds; or that the deserializer did, which keeps its error until it is asked.
#[derive(Debug)]
pub(in crate::source) enum Raised {
    /// The deserializer that was called last has the error.
    Below,
    Custom(String),
    Type(Option<String>, String),
    Value(Option<String>, String),
    Length(usize, String),
    UnknownVariant(String, &'static [&'static str]),
    UnknownField(String, &'static [&'static str]),
    MissingField(&'static str),
    DuplicateField(&'static str),
}

impl Raised {
    /// As an error of the deserializer's, which has kept `below`.
    pub(super) fn into_error<E: Error>(self, below: Option<E>) -> E {
        match self {
            Raised::Below => below.unwrap_or_else(|| E::custom(Raised::Below)),
            Raised::Custom(text) => E::custom(text),
            Raised::Type(found, expected) => {
                E::invalid_type(unexpected(found.as_deref()), &expected.as_str())
            }
            Raised::Value(found, expected) => {
                E::invalid_value(unexpected(found.as_deref()), &expected.as_str())
            }
            Raised::Length(length, expected) => E::invalid_length(length, &expected.as_str()),
            Raised::UnknownVariant(variant, known) => E::unknown_variant(&variant, known),
            Raised::UnknownField(field, known) => E::unknown_field(&field, known),
            Raised::MissingField(field) => E::missing_field(field),
            Raised::DuplicateField(field) => E::duplicate_field(field),
        }
    }
}

/// What was found, in serde's words; `None` for nothing, for which formats have words of their own.
fn told(found: Unexpected<'_>) -> Option<String> {
    (found != Unexpected::Unit).then(|| found.to_string())
}

fn unexpected(told: Option<&str>) -> Unexpected<'_> {
    told.map_or(Unexpected::Unit, Unexpected::Other)
}

impl Error for Raised {
    #[cold]
    #[inline(never)]
    fn custom<T: fmt::Display>(text: T) -> Self {
        Raised::Custom(text.to_string())
    }

    #[cold]
    #[inline(never)]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Raised::Type(told(found), expected.to_string())
    }

    #[cold]
    #[inline(never)]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Raised::Value(told(found), expected.to_string())
    }

    #[cold]
    #[inline(never)]
    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Raised::Length(length, expected.to_string())
    }

    #[cold]
    #[inline(never)]
    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        Raised::UnknownVariant(variant.to_owned(), known)
    }

    #[cold]
    #[inline(never)]
    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Raised::UnknownField(field.to_owned(), known)
    }

    fn missing_field(field: &'static str) -> Self {
        Raised::MissingField(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Raised::DuplicateField(field)
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value could not be read")
    }
}

impl std::error::Error for Raised {}
