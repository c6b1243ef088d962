//! The clock of one trial: monotonic stamps, and one wall-clock offset for dates.

use std::future::Future;
use std::time::Duration;

use futures_timer::Delay;
use tokio::time::{Instant, error::Elapsed};

use super::Moment;
use super::arrival_time::{Nanos, now as monotonic};
use crate::term::Stamp;

/// A monotonic clock with an epoch. Under a paused runtime it is virtual, without further ado.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    epoch: Instant,
    unix_us: u64,
    is_real: bool,
    /// The epoch by the system's own count, where it could be read in the same moment: it is quicker to read, and is how the
    /// kernel's stamps are told.
    system: Option<Nanos>,
}

/// The runtime's timer counts whole milliseconds and rounds up: it is asked for so much less, and the rest is slept beside it.
const COARSE: Duration = Duration::from_millis(3);

/// How far the two readings of an epoch may lie apart, in nanoseconds.
const AT_ONCE: Nanos = 20_000;

impl Clock {
    /// A clock whose epoch is now, and whose wall clock stands at `unix_us` microseconds since 1970 now.
    pub fn starting_at(unix_us: u64) -> Self {
        Clock {
            epoch: Instant::now(),
            unix_us,
            is_real: false,
            system: None,
        }
    }

    /// A clock on the system's time whose epoch is now: it sleeps as exactly as a thread does.
    ///
    /// `wall_us` reads the system's wall clock after that. Where the thread is held up in between, dates are later by as much, and
    /// whoever waits for one is not early.
    pub(super) fn real(wall_us: impl FnOnce() -> u64) -> Self {
        let (epoch, system) = (0..10).find_map(|_| at_once()).unzip();
        Clock {
            epoch: epoch.unwrap_or_else(Instant::now),
            is_real: true,
            system,
            unix_us: wall_us(),
        }
    }

    /// This moment.
    pub fn now(&self) -> Stamp {
        let passed = self.system.and_then(|epoch| Some(passed(epoch, monotonic()?)));
        passed.unwrap_or_else(|| {
            let since = self.epoch.elapsed();
            let seconds = since.as_secs().saturating_mul(1_000_000);
            Stamp::from_us(seconds.saturating_add(u64::from(since.subsec_micros())))
        })
    }

    /// Which moment of this clock it is; `None` where the clock does not go by the system's count.
    pub fn stamp(&self, moment: Moment) -> Option<Stamp> {
        Some(passed(self.system?, moment.0))
    }

    /// The wall clock at the epoch, in microseconds since 1970.
    pub fn unix_us(&self) -> u64 {
        self.unix_us
    }

    /// The wall clock at `stamp`, in microseconds since 1970. Wall time is monotonic time plus one offset per trial.
    pub fn wall_us(&self, stamp: Stamp) -> u64 {
        self.unix_us.saturating_add(stamp.us())
    }

    /// Sleeps for this long, and never for less.
    pub async fn sleep(&self, how_long: Duration) {
        match Instant::now().checked_add(how_long) {
            Some(end) => self.sleep_to(end).await,
            // Longer than any clock runs.
            None => std::future::pending().await,
        }
    }

    /// Sleeps until this moment, and never for less.
    pub async fn sleep_until(&self, when: Stamp) {
        self.sleep_to(self.epoch + when.since(Stamp::ZERO)).await;
    }

    /// In real time a thread's own timer wakes for the last milliseconds: an answer that is to come after 10 ms then comes
    /// after 10.2 ms, and not after 11.2 (measured in `PERFORMANCE.md`).
    async fn sleep_to(&self, end: Instant) {
        if !self.is_real {
            return tokio::time::sleep_until(end).await;
        }
        if end.saturating_duration_since(Instant::now()) > COARSE {
            tokio::time::sleep_until(end - COARSE).await;
        }
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            Delay::new(left).await;
        }
    }

    /// Runs `future`, for no longer than this.
    ///
    /// # Errors
    /// The time is over.
    pub async fn within<F: Future>(&self, how_long: Duration, future: F) -> Result<F::Output, Elapsed> {
        tokio::time::timeout(how_long, future).await
    }
}

/// This moment, as the runtime and as the system count it; `None` where the thread was held up in between. Linux counts both by
/// one clock.
fn at_once() -> Option<(Instant, Nanos)> {
    let (before, instant, after) = (monotonic()?, Instant::now(), monotonic()?);
    let is_one_clock = cfg!(target_os = "linux");
    (is_one_clock && after.saturating_sub(before) <= AT_ONCE).then_some((instant, before))
}

/// From an epoch to a moment; zero for one before it.
fn passed(epoch: Nanos, moment: Nanos) -> Stamp {
    Stamp::from_us(moment.saturating_sub(epoch) / 1_000)
}
