//! Pushback as a value: what is written into Retry-After, and which wait it asks for.

use std::time::Duration;

/// A Retry-After value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushback {
    /// delay-seconds.
    Seconds(u64),
    /// An HTTP-date, made when the answer is served.
    Date {
        /// Its written form.
        form: DateForm,
        /// Where it lies.
        offset: DateOffset,
    },
    /// These characters.
    Raw(String),
    /// The header once for each of these.
    Twice(Vec<String>),
}

/// The written forms of an HTTP-date (RFC 9110 section 5.6.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateForm {
    /// IMF-fixdate, the preferred one.
    Imf,
    /// RFC 850, obsolete, with a two-digit year.
    Rfc850,
    /// ANSI C's asctime, obsolete, without a zone.
    Asctime,
}

/// Where a date lies, seen from the moment it is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOffset {
    /// That far ahead, rounded up to a whole second.
    Ahead(Duration),
    /// That far in the past.
    Past(Duration),
}

/// What a pushback value asks of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A wait of at least this much; `Duration::MAX` where the digits exceed any clock.
    Wait(Duration),
    /// Nothing: the value is malformed, so no wait was asked for.
    Nothing,
}

impl Pushback {
    /// What this value asks of a client (RFC 9110 section 10.2.3: `HTTP-date / delay-seconds`).
    pub fn asks(&self) -> Asked {
        match self {
            Pushback::Seconds(n) => Asked::Wait(Duration::from_secs(*n)),
            Pushback::Date {
                offset: DateOffset::Ahead(d),
                ..
            } => Asked::Wait(*d),
            Pushback::Date {
                offset: DateOffset::Past(_),
                ..
            } => Asked::Wait(Duration::ZERO),
            Pushback::Raw(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
                Asked::Wait(text.parse().map_or(Duration::MAX, Duration::from_secs))
            }
            Pushback::Raw(_) | Pushback::Twice(_) => Asked::Nothing,
        }
    }

    /// Whether the value is written as a date.
    pub fn is_date(&self) -> bool {
        matches!(self, Pushback::Date { .. })
    }
}
