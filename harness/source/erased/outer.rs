//! What the deserializer sees: a visitor that is the same for all types.

use std::fmt;

use serde::de::{Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};

use super::access::{Access, Chosen};
use super::{Asked, Found, Raised, Reads, Visits};

/// A deserializer, or an access of one: whatever is used up by the call and may then have failed.
pub(super) struct Once<T, E> {
    inner: Option<T>,
    pub(super) failed: Option<E>,
}

impl<T, E: Error> Once<T, E> {
    pub(super) fn holding(inner: T) -> Self {
        Once {
            inner: Some(inner),
            failed: None,
        }
    }

    pub(super) fn take(&mut self) -> Result<T, Raised> {
        self.inner
            .take()
            .ok_or_else(|| Raised::custom("a value was asked for twice"))
    }

    /// Keeps an error for who asks for it afterwards.
    pub(super) fn keep<R>(&mut self, result: Result<R, E>) -> Result<R, Raised> {
        result.map_err(|error| {
            self.failed = Some(error);
            Raised::Below
        })
    }

    /// Ends what was visited by way of this.
    pub(super) fn end(mut self, result: Result<(), Raised>) -> Result<(), E> {
        result.map_err(|raised| raised.into_error(self.failed.take()))
    }
}

impl<'de, D: Deserializer<'de>> Once<D, D::Error> {
    pub(super) fn new(inner: D) -> Self {
        Self::holding(inner)
    }
}

impl<'de, D: Deserializer<'de>> Reads<'de> for Once<D, D::Error> {
    fn read(&mut self, asked: Asked, visitor: &mut dyn Visits<'de>) -> Result<(), Raised> {
        let result = ask(self.take()?, asked, Through(visitor));
        self.keep(result)
    }
}

fn ask<'de, D: Deserializer<'de>>(d: D, asked: Asked, visitor: Through<'_, 'de>) -> Result<(), D::Error> {
    match asked {
        Asked::Any => d.deserialize_any(visitor),
        Asked::Bool => d.deserialize_bool(visitor),
        Asked::I8 => d.deserialize_i8(visitor),
        Asked::I16 => d.deserialize_i16(visitor),
        Asked::I32 => d.deserialize_i32(visitor),
        Asked::I64 => d.deserialize_i64(visitor),
        Asked::U8 => d.deserialize_u8(visitor),
        Asked::U16 => d.deserialize_u16(visitor),
        Asked::U32 => d.deserialize_u32(visitor),
        Asked::U64 => d.deserialize_u64(visitor),
        Asked::F32 => d.deserialize_f32(visitor),
        Asked::F64 => d.deserialize_f64(visitor),
        Asked::Char => d.deserialize_char(visitor),
        Asked::Str => d.deserialize_str(visitor),
        Asked::Text => d.deserialize_string(visitor),
        Asked::Bytes => d.deserialize_bytes(visitor),
        Asked::ByteBuf => d.deserialize_byte_buf(visitor),
        Asked::Option => d.deserialize_option(visitor),
        Asked::Unit => d.deserialize_unit(visitor),
        Asked::UnitStruct(name) => d.deserialize_unit_struct(name, visitor),
        Asked::Newtype(name) => d.deserialize_newtype_struct(name, visitor),
        Asked::Seq => d.deserialize_seq(visitor),
        Asked::Tuple(len) => d.deserialize_tuple(len, visitor),
        Asked::TupleStruct(name, len) => d.deserialize_tuple_struct(name, len, visitor),
        Asked::Map => d.deserialize_map(visitor),
        Asked::Struct(name, fields) => d.deserialize_struct(name, fields, visitor),
        Asked::Enum(name, variants) => d.deserialize_enum(name, variants, visitor),
        Asked::Identifier => d.deserialize_identifier(visitor),
        Asked::Ignored => d.deserialize_ignored_any(visitor),
    }
}

/// The one visitor. Numbers come as the widest of their kind, which serde's own visitors take too, and texts as ones that are lent.
pub(super) struct Through<'a, 'de>(pub(super) &'a mut dyn Visits<'de>);

impl<'de> Through<'_, 'de> {
    fn plain<E: Error>(self, found: Found<'_, 'de>) -> Result<(), E> {
        self.0.visit(found).map_err(|raised| raised.into_error(None))
    }
}

impl<'de> Visitor<'de> for Through<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_bool<E: Error>(self, v: bool) -> Result<(), E> {
        self.plain(Found::Bool(v))
    }

    fn visit_i64<E: Error>(self, v: i64) -> Result<(), E> {
        self.plain(Found::Signed(v))
    }

    fn visit_u64<E: Error>(self, v: u64) -> Result<(), E> {
        self.plain(Found::Unsigned(v))
    }

    fn visit_f64<E: Error>(self, v: f64) -> Result<(), E> {
        self.plain(Found::Float(v))
    }

    fn visit_str<E: Error>(self, v: &str) -> Result<(), E> {
        self.plain(Found::Str(v))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.plain(Found::Unit)
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.plain(Found::None)
    }

    fn visit_some<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        let mut once = Once::new(d);
        let result = self.0.visit(Found::Some(&mut once));
        once.end(result)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        let mut once = Once::new(d);
        let result = self.0.visit(Found::Newtype(&mut once));
        once.end(result)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        let mut access = Access::new(list);
        let result = self.0.visit(Found::Seq(&mut access));
        access.end(result)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let mut access = Access::new(map);
        let result = self.0.visit(Found::Map(&mut access));
        access.end(result)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, choice: A) -> Result<(), A::Error> {
        let mut chosen = Chosen::new(choice);
        let result = self.0.visit(Found::Enum(&mut chosen));
        chosen.end(result)
    }
}
