//! A value, and its place, by code that is made once for all types of value. The only file that calls the YAML crate's readers.
//!
//! The crate's `Spanned<T>` can be shown nineteen kinds of thing, and makes `T`'s code anew for each. Here it is made for
//! one `T`, [`Boxed`], which reads by the function that is left for it.

use std::any::Any;
use std::cell::Cell;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_yaml::{Location, Options, Spanned};

use super::erased::{self, Raised, Reads};

/// Reads a value of the type that it was made for.
type Reader = fn(&mut dyn Reads<'_>) -> Result<Box<dyn Any>, Raised>;

thread_local! {
    /// How the next [`Boxed`] is read. `Spanned` asks a type for its value, not a seed, so there is no other way to tell it.
    static NEXT: Cell<Option<Reader>> = const { Cell::new(None) };
}

/// Reads a document.
pub(super) fn document<T: DeserializeOwned + 'static>(
    text: &str,
    limits: Options,
) -> Result<T, serde_yaml::Error> {
    let read = |reader: Reader| {
        serde_yaml::with_deserializer_from_str_with_options(text, limits, |d| erased::read(reader, d))
    };
    unboxed(read(reader::<T>)?)
}

/// Reads a value, and where it is written.
pub(super) fn with_its_place<'de, T, D>(d: D) -> Result<(T, Location), D::Error>
where
    T: DeserializeOwned + 'static,
    D: Deserializer<'de>,
{
    NEXT.set(Some(reader::<T>));
    let spanned = Spanned::<Boxed>::deserialize(d)?;
    Ok((unboxed(spanned.value.0)?, spanned.referenced))
}

fn reader<T: DeserializeOwned + 'static>(d: &mut dyn Reads<'_>) -> Result<Box<dyn Any>, Raised> {
    Ok(Box::new(T::deserialize(d)?))
}

fn unboxed<T: 'static, E: Error>(value: Box<dyn Any>) -> Result<T, E> {
    match value.downcast() {
        Ok(value) => Ok(*value),
        Err(_) => Err(E::custom("a value of another type was read")),
    }
}

/// A value of any type.
struct Boxed(Box<dyn Any>);

impl<'de> Deserialize<'de> for Boxed {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let Some(reader) = NEXT.take() else {
            return Err(D::Error::custom("a value of no type was read"));
        };
        erased::read(reader, d).map(Boxed)
    }
}
