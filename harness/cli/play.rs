//! Playing suites, one after another, where the user may interrupt them.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::failure::Failure;
use super::interrupt::Interruptions;
use super::progress::Progress;
use crate::drive::Orphanage;
use crate::report::SuiteReport;
use crate::suite::{self, Exit, Suite};
use crate::upstream::Limits;
use crate::world::{RealWorld, World, raise_open_files};

/// The ceilings of a trial. A right client makes some dozens of calls; these stop one that runs away before it
/// hurts the machine; a trial whose scenario asks for more than is usual has higher ones.
pub(super) const LIMITS: Limits = Limits {
    calls: 1000,
    connections: 1000,
    bytes: 64 * 1024 * 1024,
    time: Duration::from_secs(120),
};

/// For how long what is left is waited for when the user leaves at once: the guards that end processes run then.
const LEAVE: Duration = Duration::from_millis(500);

/// What suites are played on.
pub(super) struct Stage {
    runtime: Runtime,
    interruptions: Interruptions,
}

impl Stage {
    /// Set up first of all, so that whoever interrupts the program at its very beginning has a report too.
    pub(super) fn set_up() -> Result<Self, Failure> {
        let runtime = Runtime::new().map_err(|e| could_not(&e))?;
        raise_open_files();
        let interruptions = Interruptions::of(&runtime).map_err(|e| could_not(&e))?;
        Ok(Stage {
            runtime,
            interruptions,
        })
    }

    /// Runs the suites; `None` where the user left at once.
    pub(super) fn play(self, suites: Vec<Suite>) -> Result<Option<Vec<SuiteReport>>, Failure> {
        let orphanage = Orphanage::open();
        let trials = suites.iter().map(|s| s.trials.len() * s.rounds.get() as usize);
        let progress = Arc::new(Progress::over(trials.sum()));
        let watcher = Arc::clone(&progress);
        let all = self.interruptions.interrupting(|interrupted| async move {
            let mut reports = Vec::new();
            for suite in suites {
                let watcher: Arc<Progress> = Arc::clone(&watcher);
                reports.push(suite::run(suite, watcher, interrupted.clone()).await);
            }
            reports
        });
        let played = self.runtime.block_on(all);
        progress.clear();
        self.runtime.shutdown_timeout(LEAVE);
        // Only now has every trial done what it can to end its own client.
        let last = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|e| could_not(&e))?;
        last.block_on(orphanage.close(RealWorld.start_clock()));
        Ok(played)
    }
}

fn could_not(error: &std::io::Error) -> Failure {
    let sentence = format!("the harness could not start: {error}");
    Failure::new(Exit::CouldNotRun, &sentence, None)
}
