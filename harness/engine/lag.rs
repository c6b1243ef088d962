//! How late the harness itself was: CONTRACTS rule 19.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::world::Clock;

/// How often the probe looks.
const EVERY: Duration = Duration::from_millis(10);

/// Sleeps again and again, and keeps how late it woke at worst.
pub(super) struct LagProbe {
    clock: Clock,
    /// When the probe wants to wake next, in microseconds since the epoch.
    due_us: Arc<AtomicU64>,
    worst_us: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl LagProbe {
    pub(super) fn start(clock: Clock) -> Self {
        let worst_us = Arc::new(AtomicU64::new(0));
        let due_us = Arc::new(AtomicU64::new(clock.now().plus(EVERY).us()));
        let task = tokio::spawn(probe(clock, due_us.clone(), worst_us.clone()));
        LagProbe {
            clock,
            due_us,
            worst_us,
            task,
        }
    }

    /// Ends the probe; microseconds. A probe that is late right now is late by that much at least.
    pub(super) fn stop(self) -> u64 {
        let late = self
            .clock
            .now()
            .us()
            .saturating_sub(self.due_us.load(Ordering::Relaxed));
        self.worst_us.load(Ordering::Relaxed).max(late)
    }
}

impl Drop for LagProbe {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn probe(clock: Clock, due_us: Arc<AtomicU64>, worst_us: Arc<AtomicU64>) {
    loop {
        let due = clock.now().plus(EVERY);
        due_us.store(due.us(), Ordering::Relaxed);
        clock.sleep_until(due).await;
        let late = clock.now().us().saturating_sub(due.us());
        worst_us.fetch_max(late, Ordering::Relaxed);
    }
}
