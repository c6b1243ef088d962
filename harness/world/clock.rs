//! The clock of one trial: monotonic stamps, and one wall-clock offset for dates.

use std::future::Future;
use std::time::Duration;

use tokio::time::{Instant, error::Elapsed};

use crate::term::Stamp;

/// A monotonic clock with an epoch. Under a paused runtime it is virtual, without further ado.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    epoch: Instant,
    unix_us: u64,
}

impl Clock {
    /// A clock whose epoch is now, and whose wall clock stands at `unix_us` microseconds since 1970 now.
    pub fn starting_at(unix_us: u64) -> Self {
        Clock {
            epoch: Instant::now(),
            unix_us,
        }
    }

    /// This moment.
    pub fn now(&self) -> Stamp {
        Stamp::ZERO.plus(self.epoch.elapsed())
    }

    /// The wall clock at the epoch, in microseconds since 1970.
    pub fn unix_us(&self) -> u64 {
        self.unix_us
    }

    /// The wall clock at `stamp`, in microseconds since 1970. Wall time is monotonic time plus one offset per trial.
    pub fn wall_us(&self, stamp: Stamp) -> u64 {
        self.unix_us.saturating_add(stamp.us())
    }

    /// Sleeps for this long.
    pub async fn sleep(&self, how_long: Duration) {
        tokio::time::sleep(how_long).await;
    }

    /// Sleeps until this moment.
    pub async fn sleep_until(&self, when: Stamp) {
        tokio::time::sleep_until(self.epoch + when.since(Stamp::ZERO)).await;
    }

    /// Runs `future`, for no longer than this.
    ///
    /// # Errors
    /// The time is over.
    pub async fn within<F: Future>(&self, how_long: Duration, future: F) -> Result<F::Output, Elapsed> {
        tokio::time::timeout(how_long, future).await
    }
}
