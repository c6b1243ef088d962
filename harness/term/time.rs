//! Which time a trial is played in.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which time a trial is played in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Time {
    /// The system's clock and real sockets.
    #[default]
    Real,
    /// A paused clock that jumps from one event to the next, and connections in memory.
    Virtual,
}

impl Time {
    /// Where every trial in virtual time starts, in seconds since 1970.
    pub const VIRTUAL_EPOCH_UNIX_S: u64 = 1_767_225_600;

    /// The word used in every format.
    pub const fn word(self) -> &'static str {
        match self {
            Time::Real => "real",
            Time::Virtual => "virtual",
        }
    }

    /// The moment at which every trial in this time starts, if it is the same for all, as RFC 3339 writes it.
    pub const fn epoch(self) -> Option<&'static str> {
        match self {
            Time::Real => None,
            Time::Virtual => Some("2026-01-01T00:00:00Z"),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_written_epoch_is_the_epoch() {
        let epoch = humantime::parse_rfc3339(Time::Virtual.epoch().unwrap()).unwrap();
        let since_1970 = Duration::from_secs(Time::VIRTUAL_EPOCH_UNIX_S);
        assert_eq!(
            humantime::format_rfc3339_seconds(epoch).to_string(),
            Time::Virtual.epoch().unwrap()
        );
        assert_eq!(epoch, std::time::UNIX_EPOCH + since_1970);
    }
}
