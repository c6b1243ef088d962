//! What a visitor can be shown, by what its type asked for.
//!
//! A visitor has a method for each of serde's kinds, and whatever it is never shown would be made for nothing: that a
//! map's keys are numbers, say, or that its values stand in a list.

use serde::de::{Error, Unexpected, Visitor};

use super::{Found, Raised};

pub(super) trait Kind {
    /// Shows a visitor what was found; what its type did not ask for is an error, as it is to serde's own visitors.
    fn show<'de, V: Visitor<'de>>(visitor: V, found: Found<'_, 'de>) -> Result<V::Value, Raised>;
}

/// The kinds, each with what its visitors are shown.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident { $($found:pat => $shown:ident($($value:ident)?),)* })*) => {
        $(
            $(#[$doc])*
            pub(super) struct $kind;

            impl Kind for $kind {
                fn show<'de, V: Visitor<'de>>(visitor: V, found: Found<'_, 'de>) -> Result<V::Value, Raised> {
                    match found {
                        $($found => visitor.$shown($($value)?),)*
                        #[allow(unreachable_patterns, reason = "one kind is shown everything")]
                        other => Err(Raised::invalid_type(unexpected(&other), &visitor)),
                    }
                }
            }
        )*
    };
}

kinds! {
    /// Anything.
    All {
        Found::Bool(v) => visit_bool(v),
        Found::Signed(v) => visit_i64(v),
        Found::Unsigned(v) => visit_u64(v),
        Found::Float(v) => visit_f64(v),
        Found::Str(v) => visit_str(v),
        Found::Unit => visit_unit(),
        Found::None => visit_none(),
        Found::Some(d) => visit_some(d),
        Found::Newtype(d) => visit_newtype_struct(d),
        Found::Seq(list) => visit_seq(list),
        Found::Map(map) => visit_map(map),
        Found::Enum(choice) => visit_enum(choice),
    }
    /// `true` or `false`.
    Truth {
        Found::Bool(v) => visit_bool(v),
    }
    /// A number.
    Number {
        Found::Signed(v) => visit_i64(v),
        Found::Unsigned(v) => visit_u64(v),
        Found::Float(v) => visit_f64(v),
    }
    /// A text, or the name of a field or a variant.
    Text {
        Found::Str(v) => visit_str(v),
    }
    /// Something or nothing.
    Maybe {
        Found::Unit => visit_unit(),
        Found::None => visit_none(),
        Found::Some(d) => visit_some(d),
    }
    /// A list.
    List {
        Found::Seq(list) => visit_seq(list),
    }
    /// A map.
    Fields {
        Found::Map(map) => visit_map(map),
    }
    /// A word, or a map with one key.
    Variants {
        Found::Enum(choice) => visit_enum(choice),
    }
}

fn unexpected<'a>(found: &'a Found<'_, '_>) -> Unexpected<'a> {
    match found {
        Found::Bool(v) => Unexpected::Bool(*v),
        Found::Signed(v) => Unexpected::Signed(*v),
        Found::Unsigned(v) => Unexpected::Unsigned(*v),
        Found::Float(v) => Unexpected::Float(*v),
        Found::Str(v) => Unexpected::Str(v),
        Found::Unit => Unexpected::Unit,
        Found::None | Found::Some(_) => Unexpected::Option,
        Found::Newtype(_) => Unexpected::NewtypeStruct,
        Found::Seq(_) => Unexpected::Seq,
        Found::Map(_) => Unexpected::Map,
        Found::Enum(_) => Unexpected::Enum,
    }
}
