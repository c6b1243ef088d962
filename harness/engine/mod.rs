//! The order of one trial: dependencies up, client started, operations handed over, calls watched for, all down.
//!
//! It never sees a check or a verdict.

mod fleet;
mod house;
mod lag;
mod layers;
mod order;
mod orders;
mod patience;
mod play;
mod running;
mod stages;

use std::io;
use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use crate::client::protocol::{Hello, VERSION};
use crate::drive::{AnyDriver, Brief, Driver};
use crate::evidence::{Fact, Recorder};
use crate::scenario::Trial;
use crate::term::OperationId;
use crate::upstream::{Limits, Shared};
use crate::world::{World, out_of_files};

use self::house::House;
use self::layers::{Places, Taps};
pub use self::patience::Patience;
use self::running::Running;

/// One trial, ready to be run.
pub struct Setup {
    /// The plan.
    pub trial: Arc<Trial>,
    /// The operations to ask, in order of id.
    pub asked: Vec<OperationId>,
    /// The others, with the clause that says why.
    pub left_out: Vec<(OperationId, String)>,
    /// Whether a deadline can be passed on to the client.
    pub deadline_passed: bool,
    /// Whether the client sends the key that it is given.
    pub keys_given: bool,
    /// The header in which the client sends it, lower case, where that is one of its own.
    pub key_header: Option<String>,
    /// The seed for keys and chances.
    pub seed: u64,
    /// Ceilings.
    pub limits: Limits,
    /// How long results and late calls are waited for.
    pub patience: Patience,
    /// Where everything is recorded.
    pub recorder: Recorder,
    /// How many clients may be starting at a time; shared by all trials.
    pub starting: Arc<Semaphore>,
    /// Becomes true when the user interrupts.
    pub interrupted: watch::Receiver<bool>,
}

/// Runs one trial. Everything that was observed is in the setup's recorder, also where the client breaks.
///
/// Dropping the future ends the client and whatever it started.
///
/// # Errors
/// The harness itself could not run: no address, no folder, no open files left, a plan that cannot be played.
pub async fn run<W: World, D: Driver<W>>(world: &W, driver: &D, setup: Setup) -> io::Result<()> {
    played(world, &AnyDriver::new(driver), setup).await
}

async fn played<W: World>(world: &W, driver: &AnyDriver<'_, W>, setup: Setup) -> io::Result<()> {
    let setup = Arc::new(setup);
    let clock = world.start_clock();
    let unix_us = clock.unix_us();
    setup.recorder.record(Fact::TrialBegan { unix_us });
    for (op, because) in &setup.left_out {
        let (op, because) = (*op, because.clone());
        setup.recorder.record(Fact::LeftOut {
            op,
            because,
            at: None,
        });
    }
    let shared = Arc::new(Shared::new(
        clock,
        setup.recorder.clone(),
        setup.seed,
        setup.limits,
    ));
    if let Some(header) = &setup.key_header {
        // It was made just now: nobody has set it.
        let _ = shared.key_header.set(header.clone());
    }
    for planned in setup.trial.operations.iter().map(|group| &group.request) {
        shared.own_request(&planned.method, &planned.path);
    }
    let tmp = tempfile::Builder::new().prefix("retrial-").tempdir()?;
    let house = House::serve(world, &setup, &shared).await?;
    let taps = Taps::serve(world, driver.layers(), &shared).await?;
    let first = Brief {
        hello: hello(&setup, &house, driver.concurrency()),
        zone: setup.trial.zone.clone(),
        tmp: tmp.path().to_owned(),
        stations: taps.stations(),
        recorder: setup.recorder.clone(),
        clock,
    };
    let briefs = fleet::briefs(&setup.trial, &first)?;
    let trial = Running {
        setup: setup.clone(),
        shared: shared.clone(),
        clock,
    };
    let places = Places {
        authorities: house.authorities(),
        entry: taps.entry(),
        quiet: taps.quiet(),
    };
    let played = trial.run(driver, briefs, places).await;
    let at = clock.now();
    taps.down().await;
    house.down(clock, trial.down_within()).await;
    setup.recorder.record(Fact::WatchEnded { at });
    if let Some(worst_us) = played? {
        setup.recorder.record(Fact::Lagged { worst_us });
    }
    match shared.ran_out_of_files() {
        true => Err(io::Error::other(out_of_files())),
        false => Ok(()),
    }
}

fn hello(setup: &Setup, house: &House, concurrency: u32) -> Hello {
    Hello {
        retrial: VERSION,
        trial: setup.trial.id.clone(),
        // Each client is handed the policy with its own seed.
        given: None,
        concurrency,
        dependencies: house.bases(),
    }
}
