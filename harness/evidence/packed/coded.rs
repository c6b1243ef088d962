//! Kinds of something, each written as a number below 256.

use crate::evidence::{Attribution, EffectOutcome};
use crate::term::{Effect, Role, StampedBy};

/// A kind that is written as its place among all.
pub(super) trait Coded: Copy + 'static {
    /// All of them, in the order of their declaration.
    const ALL: &'static [Self];

    /// Its place.
    fn code(self) -> u8;

    /// The one at this place.
    fn of(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// Says which kinds there are. Who adds one is led here by the compiler.
macro_rules! coded {
    ($($kind:ty: $($of:ident),+;)+) => {
        $(impl Coded for $kind {
            const ALL: &'static [Self] = &[$(Self::$of),+];

            fn code(self) -> u8 {
                match self {
                    $(Self::$of => Self::$of as u8),+
                }
            }
        })+
    };
}

coded! {
    Attribution: Url, Key, Invocation, Trace, Alone, Nothing;
    Role: Attempt, Redirect, Side;
    Effect: None, Applied, Begun;
    StampedBy: Program, Kernel;
    EffectOutcome: Applied, Begun, Recognised;
}
