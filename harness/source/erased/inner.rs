//! What a type sees: a deserializer and accesses that are the same for all formats.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::kind::{All, Fields, Kind, List, Maybe, Number, Text, Truth, Variants};
use super::{Asked, Choice, Elements, Found, Pairs, Raised, Reads, Seed, Visits};

/// A seed, and then what it made.
struct Sown<S, V> {
    seed: Option<S>,
    made: Option<V>,
}

impl<'de, S: DeserializeSeed<'de>> Sown<S, S::Value> {
    fn new(seed: S) -> Self {
        Sown {
            seed: Some(seed),
            made: None,
        }
    }

    fn made(self) -> Result<S::Value, Raised> {
        self.made.ok_or_else(nothing)
    }
}

#[cold]
#[inline(never)]
fn nothing() -> Raised {
    Raised::custom("nothing was shown, or twice")
}

impl<'de, S: DeserializeSeed<'de>> Seed<'de> for Sown<S, S::Value> {
    fn read(&mut self, from: &mut dyn Reads<'de>) -> Result<(), Raised> {
        let seed = self.seed.take().ok_or_else(nothing)?;
        self.made = Some(seed.deserialize(from)?);
        Ok(())
    }
}

/// A visitor, and then what it made.
struct Kept<V, R, K> {
    visitor: Option<V>,
    made: Option<R>,
    kind: PhantomData<K>,
}

impl<'de, V: Visitor<'de>, K> Kept<V, V::Value, K> {
    fn new(visitor: V) -> Self {
        Kept {
            visitor: Some(visitor),
            made: None,
            kind: PhantomData,
        }
    }

    fn made(self) -> Result<V::Value, Raised> {
        self.made.ok_or_else(nothing)
    }
}

impl<'de, V: Visitor<'de>, K: Kind> Visits<'de> for Kept<V, V::Value, K> {
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.visitor {
            Some(visitor) => visitor.expecting(f),
            None => f.write_str("a value"),
        }
    }

    fn visit(&mut self, found: Found<'_, 'de>) -> Result<(), Raised> {
        let visitor = self.visitor.take().ok_or_else(nothing)?;
        self.made = Some(K::show(visitor, found)?);
        Ok(())
    }
}

fn ask<'de, V: Visitor<'de>, K: Kind>(
    d: &mut dyn Reads<'de>,
    asked: Asked,
    visitor: V,
) -> Result<V::Value, Raised> {
    let mut kept = Kept::<_, _, K>::new(visitor);
    d.read(asked, &mut kept)?;
    kept.made()
}

/// A method of a deserializer for each of serde's kinds, which asks for that kind.
macro_rules! asks {
    ($($method:ident($($name:ident: $type:ty),*) = $asked:expr, $kind:ident;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, Raised> {
            ask::<V, $kind>(self, $asked, visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for &mut (dyn Reads<'de> + '_) {
    type Error = Raised;

    asks! {
        deserialize_any() = Asked::Any, All;
        deserialize_bool() = Asked::Bool, Truth;
        deserialize_i8() = Asked::I8, Number;
        deserialize_i16() = Asked::I16, Number;
        deserialize_i32() = Asked::I32, Number;
        deserialize_i64() = Asked::I64, Number;
        deserialize_u8() = Asked::U8, Number;
        deserialize_u16() = Asked::U16, Number;
        deserialize_u32() = Asked::U32, Number;
        deserialize_u64() = Asked::U64, Number;
        deserialize_f32() = Asked::F32, Number;
        deserialize_f64() = Asked::F64, Number;
        deserialize_char() = Asked::Char, All;
        deserialize_str() = Asked::Str, Text;
        deserialize_string() = Asked::Text, Text;
        deserialize_bytes() = Asked::Bytes, All;
        deserialize_byte_buf() = Asked::ByteBuf, All;
        deserialize_option() = Asked::Option, Maybe;
        deserialize_unit() = Asked::Unit, All;
        deserialize_unit_struct(name: &'static str) = Asked::UnitStruct(name), All;
        deserialize_newtype_struct(name: &'static str) = Asked::Newtype(name), All;
        deserialize_seq() = Asked::Seq, List;
        deserialize_tuple(len: usize) = Asked::Tuple(len), List;
        deserialize_tuple_struct(name: &'static str, len: usize) = Asked::TupleStruct(name, len), List;
        deserialize_map() = Asked::Map, Fields;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) = Asked::Struct(name, fields), Fields;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) = Asked::Enum(name, variants), Variants;
        deserialize_identifier() = Asked::Identifier, Text;
        deserialize_ignored_any() = Asked::Ignored, All;
    }
}

impl<'de> SeqAccess<'de> for dyn Elements<'de> + '_ {
    type Error = Raised;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Raised> {
        let mut kept = Sown::new(seed);
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
        let mut kept = Sown::new(seed);
        match self.key(&mut kept)? {
            true => kept.made().map(Some),
            false => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Raised> {
        let mut kept = Sown::new(seed);
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
        let mut kept = Sown::new(seed);
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
        let mut kept = Sown::new(seed);
        self.newtype(&mut kept)?;
        kept.made()
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Raised> {
        let mut kept = Kept::<_, _, List>::new(visitor);
        self.tuple(len, &mut kept)?;
        kept.made()
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Raised> {
        let mut kept = Kept::<_, _, Fields>::new(visitor);
        self.fields(fields, &mut kept)?;
        kept.made()
    }
}
