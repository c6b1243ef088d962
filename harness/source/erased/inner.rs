//! What a type sees: a deserializer and accesses that are the same for all formats.

use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::{Asked, Choice, Elements, Found, Pairs, Raised, Reads, Seed, Visits};

/// A visitor or a seed, and then what it made.
pub(super) struct Kept<M, V> {
    maker: Option<M>,
    made: Option<V>,
}

impl<M, V> Kept<M, V> {
    fn of(maker: M) -> Self {
        Kept {
            maker: Some(maker),
            made: None,
        }
    }

    fn take(&mut self) -> Result<M, Raised> {
        self.maker
            .take()
            .ok_or_else(|| Raised::custom("a value was shown twice"))
    }

    pub(super) fn made(self) -> Result<V, Raised> {
        self.made.ok_or_else(|| Raised::custom("nothing was shown"))
    }
}

impl<'de, S: DeserializeSeed<'de>> Kept<S, S::Value> {
    pub(super) fn new(seed: S) -> Self {
        Self::of(seed)
    }
}

impl<'de, S: DeserializeSeed<'de>> Seed<'de> for Kept<S, S::Value> {
    fn read(&mut self, from: &mut dyn Reads<'de>) -> Result<(), Raised> {
        self.made = Some(self.take()?.deserialize(from)?);
        Ok(())
    }
}

impl<'de, V: Visitor<'de>> Visits<'de> for Kept<V, V::Value> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.maker {
            Some(visitor) => visitor.expecting(f),
            None => f.write_str("a value"),
        }
    }

    fn visit(&mut self, found: Found<'_, 'de>) -> Result<(), Raised> {
        let visitor = self.take()?;
        let made = match found {
            Found::Bool(v) => visitor.visit_bool(v),
            Found::Signed(v) => visitor.visit_i64(v),
            Found::Unsigned(v) => visitor.visit_u64(v),
            Found::Float(v) => visitor.visit_f64(v),
            Found::Str(v) => visitor.visit_str(v),
            Found::Borrowed(v) => visitor.visit_borrowed_str(v),
            Found::Text(v) => visitor.visit_string(v),
            Found::Bytes(v) => visitor.visit_bytes(v),
            Found::Unit => visitor.visit_unit(),
            Found::None => visitor.visit_none(),
            Found::Some(d) => visitor.visit_some(d),
            Found::Newtype(d) => visitor.visit_newtype_struct(d),
            Found::Seq(list) => visitor.visit_seq(list),
            Found::Map(map) => visitor.visit_map(map),
            Found::Enum(choice) => visitor.visit_enum(choice),
        };
        self.made = Some(made?);
        Ok(())
    }
}

fn ask<'de, V: Visitor<'de>>(d: &mut dyn Reads<'de>, asked: Asked, visitor: V) -> Result<V::Value, Raised> {
    let mut kept = Kept::of(visitor);
    d.read(asked, &mut kept)?;
    kept.made()
}

/// A method of a deserializer for each of serde's kinds, which asks for that kind.
macro_rules! asks {
    ($($method:ident($($name:ident: $type:ty),*) = $asked:expr;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, Raised> {
            ask(self, $asked, visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for &mut (dyn Reads<'de> + '_) {
    type Error = Raised;

    asks! {
        deserialize_any() = Asked::Any;
        deserialize_bool() = Asked::Bool;
        deserialize_i8() = Asked::I8;
        deserialize_i16() = Asked::I16;
        deserialize_i32() = Asked::I32;
        deserialize_i64() = Asked::I64;
        deserialize_u8() = Asked::U8;
        deserialize_u16() = Asked::U16;
        deserialize_u32() = Asked::U32;
        deserialize_u64() = Asked::U64;
        deserialize_f32() = Asked::F32;
        deserialize_f64() = Asked::F64;
        deserialize_char() = Asked::Char;
        deserialize_str() = Asked::Str;
        deserialize_string() = Asked::Text;
        deserialize_bytes() = Asked::Bytes;
        deserialize_byte_buf() = Asked::ByteBuf;
        deserialize_option() = Asked::Option;
        deserialize_unit() = Asked::Unit;
        deserialize_unit_struct(name: &'static str) = Asked::UnitStruct(name);
        deserialize_newtype_struct(name: &'static str) = Asked::Newtype(name);
        deserialize_seq() = Asked::Seq;
        deserialize_tuple(len: usize) = Asked::Tuple(len);
        deserialize_tuple_struct(name: &'static str, len: usize) = Asked::TupleStruct(name, len);
        deserialize_map() = Asked::Map;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) = Asked::Struct(name, fields);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) = Asked::Enum(name, variants);
        deserialize_identifier() = Asked::Identifier;
        deserialize_ignored_any() = Asked::Ignored;
    }
}

impl<'de> SeqAccess<'de> for dyn Elements<'de> + '_ {
    type Error = Raised;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Raised> {
        let mut kept = Kept::new(seed);
        match self.next(&mut kept)? {
            true => kept.made().map(Some),
            false => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.left()
    }
}

impl<'de> MapAccess<'de> for dyn Pairs<'de> + '_ {
    type Error = Raised;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Raised> {
        let mut kept = Kept::new(seed);
        match self.key(&mut kept)? {
            true => kept.made().map(Some),
            false => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Raised> {
        let mut kept = Kept::new(seed);
        self.value(&mut kept)?;
        kept.made()
    }

    fn size_hint(&self) -> Option<usize> {
        self.left()
    }
}

impl<'de> EnumAccess<'de> for &mut (dyn Choice<'de> + '_) {
    type Error = Raised;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Raised> {
        let mut kept = Kept::new(seed);
        self.variant(&mut kept)?;
        Ok((kept.made()?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut (dyn Choice<'de> + '_) {
    type Error = Raised;

    fn unit_variant(self) -> Result<(), Raised> {
        self.unit()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Raised> {
        let mut kept = Kept::new(seed);
        self.newtype(&mut kept)?;
        kept.made()
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Raised> {
        let mut kept = Kept::of(visitor);
        self.tuple(len, &mut kept)?;
        kept.made()
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Raised> {
        let mut kept = Kept::of(visitor);
        self.fields(fields, &mut kept)?;
        kept.made()
    }
}
