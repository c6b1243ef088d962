//! The order of one trial: dependencies up, client started, operations handed over, calls watched for, all down.
//!
//! It never sees a check or a verdict.

use std::io;
use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use crate::drive::Driver;
use crate::evidence::Recorder;
use crate::scenario::Trial;
use crate::term::OperationId;
use crate::upstream::Limits;
use crate::world::World;

/// One trial, ready to be run.
pub struct Setup {
    /// The plan.
    pub trial: Arc<Trial>,
    /// The operations to ask, in order of id.
    pub asked: Vec<OperationId>,
    /// The others, with the clause that says why.
    pub left_out: Vec<(OperationId, String)>,
    /// The seed for keys and chances.
    pub seed: u64,
    /// Ceilings.
    pub limits: Limits,
    /// Where everything is recorded.
    pub recorder: Recorder,
    /// How many clients may be starting at a time; shared by all trials.
    pub starting: Arc<Semaphore>,
    /// Becomes true when the user interrupts.
    pub interrupted: watch::Receiver<bool>,
}

/// Runs one trial. Everything that was observed is in the setup's recorder, also where the client breaks.
///
/// # Errors
/// The harness itself could not run: no address, no folder.
pub async fn run<W: World, D: Driver<W>>(world: &W, driver: &D, setup: Setup) -> io::Result<()> {
    let _ = (world, driver, setup);
    Err(io::Error::other("not built yet"))
}
