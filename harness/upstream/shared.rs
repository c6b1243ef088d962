//! What the dependencies of one trial share: clock, recorder, numbering, ceilings, and which operations are running.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use tokio::sync::Notify;

use crate::evidence::Recorder;
use crate::term::{OperationId, Stamp};
use crate::world::Clock;

/// Ceilings of a trial that a runaway client cannot lift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Calls in all.
    pub calls: u32,
    /// Connections in all.
    pub connections: u32,
    /// Bytes read from the client, in all.
    pub bytes: u64,
    /// The trial's time, from the client's being ready.
    pub time: Duration,
}

/// What the dependencies of one trial share.
pub struct Shared {
    /// The trial's clock.
    pub clock: Clock,
    /// Where to record.
    pub recorder: Recorder,
    /// The trial's seed.
    pub seed: u64,
    /// The trial's ceilings.
    pub limits: Limits,
    /// When the first operation was handed over: outages count from it; before it their time stands at zero.
    pub started: OnceLock<Stamp>,
    /// Operations that were handed over and have not ended.
    pub running: Mutex<BTreeSet<OperationId>>,
    /// Told when a ceiling is hit.
    pub ceiling_hit: Notify,
    /// Told when `started` is set.
    pub start: Notify,
    pub(super) next_call: AtomicU32,
    pub(super) next_conn: AtomicU32,
}

impl Shared {
    /// A trial's shared state.
    pub fn new(clock: Clock, recorder: Recorder, seed: u64, limits: Limits) -> Self {
        Shared {
            clock,
            recorder,
            seed,
            limits,
            started: OnceLock::new(),
            running: Mutex::default(),
            ceiling_hit: Notify::new(),
            start: Notify::new(),
            next_call: AtomicU32::new(1),
            next_conn: AtomicU32::new(1),
        }
    }
}
