//! A moment of a trial, on the trial's one monotonic clock.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Microseconds since the trial's epoch, on its monotonic clock (real or virtual).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stamp(u64);

impl Stamp {
    /// The trial's epoch.
    pub const ZERO: Stamp = Stamp(0);

    /// A stamp `us` microseconds after the epoch.
    pub const fn from_us(us: u64) -> Self {
        Stamp(us)
    }

    /// A stamp `ms` milliseconds after the epoch.
    pub const fn from_ms(ms: u64) -> Self {
        Stamp(ms.saturating_mul(1000))
    }

    /// Microseconds since the epoch.
    pub const fn us(self) -> u64 {
        self.0
    }

    /// Whole milliseconds since the epoch, rounded down.
    pub const fn ms(self) -> u64 {
        self.0 / 1000
    }

    /// Time from `earlier` to this moment; zero if `earlier` is later.
    pub const fn since(self, earlier: Stamp) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }

    /// This moment moved `by` into the past, no further than to the epoch.
    pub fn minus(self, by: Duration) -> Stamp {
        let us = u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
        Stamp(self.0.saturating_sub(us))
    }

    /// This moment moved `by` into the future, saturating.
    pub fn plus(self, by: Duration) -> Stamp {
        let us = u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
        Stamp(self.0.saturating_add(us))
    }
}

/// Whose clock said when a request arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StampedBy {
    /// The harness's, read after the bytes were: late by as much as the harness was.
    #[default]
    Program,
    /// The kernel's, when it received them.
    Kernel,
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.ms())
    }
}
