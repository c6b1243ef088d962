//! Reads any type by code that is made once.
//!
//! serde makes a format's code anew for each type that is read, and a YAML reader has much of it: for the grammars here
//! it came to a sixth of the program. So between the reader and the types stand tables of functions: the types are
//! made for [`Reads`] alone, and the reader for what [`outer`] hands it. The crate erased-serde does the same, but turns
//! an error that passes through into its text, and with it into one without a place.

mod access;
mod inner;
mod kind;
mod outer;
mod raised;

use std::fmt;

use serde::de::Deserializer;

use outer::Once;

pub(super) use raised::Raised;

/// Reads a value by a deserializer of any kind; its errors come back as it raised them.
pub(super) fn read<'de, R, D: Deserializer<'de>>(
    reader: impl FnOnce(&mut dyn Reads<'de>) -> Result<R, Raised>,
    from: D,
) -> Result<R, D::Error> {
    let mut once = Once::new(from);
    let result = reader(&mut once);
    result.map_err(|raised| raised.into_error(once.failed))
}

/// What a type asks a deserializer for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Asked {
    Any,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    Char,
    Str,
    Text,
    Bytes,
    ByteBuf,
    Option,
    Unit,
    UnitStruct(&'static str),
    Newtype(&'static str),
    Seq,
    Tuple(usize),
    TupleStruct(&'static str, usize),
    Map,
    Struct(&'static str, &'static [&'static str]),
    Enum(&'static str, &'static [&'static str]),
    Identifier,
    Ignored,
}

/// What a deserializer found.
pub(super) enum Found<'a, 'de> {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Str(&'a str),
    Unit,
    None,
    Some(&'a mut (dyn Reads<'de> + 'a)),
    Newtype(&'a mut (dyn Reads<'de> + 'a)),
    Seq(&'a mut (dyn Elements<'de> + 'a)),
    Map(&'a mut (dyn Pairs<'de> + 'a)),
    Enum(&'a mut (dyn Choice<'de> + 'a)),
}

/// A deserializer.
pub(super) trait Reads<'de> {
    /// Reads once, and shows the visitor what it found.
    fn read(&mut self, asked: Asked, visitor: &mut dyn Visits<'de>) -> Result<(), Raised>;
}

/// A visitor, which keeps what it made.
pub(super) trait Visits<'de> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn visit(&mut self, found: Found<'_, 'de>) -> Result<(), Raised>;
}

/// A seed, which keeps what it made.
pub(super) trait Seed<'de> {
    fn read(&mut self, from: &mut dyn Reads<'de>) -> Result<(), Raised>;
}

/// A list's access.
pub(super) trait Elements<'de> {
    /// Whether there was one more.
    fn next(&mut self, seed: &mut dyn Seed<'de>) -> Result<bool, Raised>;
    fn left(&self) -> Option<usize>;
}

/// A map's access.
pub(super) trait Pairs<'de> {
    /// Whether there was one more.
    fn key(&mut self, seed: &mut dyn Seed<'de>) -> Result<bool, Raised>;
    fn value(&mut self, seed: &mut dyn Seed<'de>) -> Result<(), Raised>;
    fn left(&self) -> Option<usize>;
}

/// An enum's access: first which variant, then what it holds.
pub(super) trait Choice<'de> {
    fn variant(&mut self, seed: &mut dyn Seed<'de>) -> Result<(), Raised>;
    fn unit(&mut self) -> Result<(), Raised>;
    fn newtype(&mut self, seed: &mut dyn Seed<'de>) -> Result<(), Raised>;
    fn tuple(&mut self, len: usize, visitor: &mut dyn Visits<'de>) -> Result<(), Raised>;
    fn fields(&mut self, names: &'static [&'static str], visitor: &mut dyn Visits<'de>)
    -> Result<(), Raised>;
}

#[cfg(test)]
mod tests;
