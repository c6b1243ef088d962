//! The order of one trial: dependencies up, client started, operations handed over, calls watched for, all down.
//!
//! It never sees a check or a verdict.

mod house;
mod lag;
mod order;
mod patience;
mod play;
mod stages;

use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::client::protocol::{Hello, VERSION};
use crate::drive::{Brief, Driver, Session};
use crate::evidence::{Ceiling, Fact, Recorder};
use crate::scenario::Trial;
use crate::term::{OperationId, Stamp};
use crate::upstream::{Limits, Shared};
use crate::world::{Clock, World};

use self::house::House;
use self::lag::LagProbe;
use self::patience::COUNTS_AS_STARTED;
pub use self::patience::Patience;
use self::play::{Play, Stop};

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

/// How the asking came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// Every operation has ended.
    Played,
    /// The client broke, or did not report an end.
    Stopped(Stop),
    /// A ceiling was hit.
    Ceiling,
    /// The user interrupted.
    Interrupted,
}

/// Runs one trial. Everything that was observed is in the setup's recorder, also where the client breaks.
///
/// Dropping the future ends the client and whatever it started.
///
/// # Errors
/// The harness itself could not run: no address, no folder, a plan that cannot be played.
pub async fn run<W: World, D: Driver<W>>(world: &W, driver: &D, setup: Setup) -> io::Result<()> {
    let setup = Arc::new(setup);
    let clock = world.start_clock();
    let unix_us = clock.unix_us();
    setup.recorder.record(Fact::TrialBegan { unix_us });
    for (op, because) in &setup.left_out {
        let (op, because) = (*op, because.clone());
        setup.recorder.record(Fact::LeftOut { op, because });
    }
    let shared = Arc::new(Shared::new(
        clock,
        setup.recorder.clone(),
        setup.seed,
        setup.limits,
    ));
    let tmp = tempfile::Builder::new().prefix("retrial-").tempdir()?;
    let house = House::serve(world, &setup, &shared).await?;
    let brief = Brief {
        hello: hello(&setup, &house, driver.concurrency()),
        zone: setup.trial.zone.clone(),
        tmp: tmp.path().to_owned(),
        recorder: setup.recorder.clone(),
        clock,
    };
    let trial = Running {
        setup: setup.clone(),
        shared,
        clock,
    };
    let played = trial.run(driver, brief, &house).await;
    let at = clock.now();
    house.down(clock, trial.down_within()).await;
    setup.recorder.record(Fact::WatchEnded { at });
    if let Some(worst_us) = played? {
        setup.recorder.record(Fact::Lagged { worst_us });
    }
    Ok(())
}

fn hello(setup: &Setup, house: &House, concurrency: u32) -> Hello {
    // A policy is plain data: it always serialises.
    let given = setup.trial.given.as_ref();
    Hello {
        retrial: VERSION,
        trial: setup.trial.id.clone(),
        given: given.and_then(|given| serde_json::to_value(given).ok()),
        concurrency,
        dependencies: house.bases(),
    }
}

/// A trial whose dependencies are up.
struct Running {
    setup: Arc<Setup>,
    shared: Arc<Shared>,
    clock: Clock,
}

impl Running {
    /// Starts the client, plays the operations, watches, and ends the client. Returns the worst lateness meanwhile, if
    /// time is real.
    async fn run<W: World, D: Driver<W>>(
        &self,
        driver: &D,
        brief: Brief,
        house: &House,
    ) -> io::Result<Option<u64>> {
        // Registered before the client starts: it may flood before it says hello.
        let mut ceiling = pin!(self.shared.ceiling_hit.notified());
        ceiling.as_mut().enable();
        let orders = house.orders(&self.setup)?;
        let Some(session) = self.start(driver, brief).await else {
            return Ok(None);
        };
        let play = Play::new(
            session,
            self.setup.clone(),
            self.shared.clone(),
            orders,
            driver.concurrency(),
            driver.starts_per_operation(),
        );
        let play = Arc::new(play);
        let lag = (!W::IS_VIRTUAL).then(|| LagProbe::start(self.clock));
        let mut tasks = JoinSet::new();
        let over = tokio::select! {
            biased;
            () = self.interrupted() => Over::Interrupted,
            () = ceiling.as_mut() => Over::Ceiling,
            () = self.time_is_over() => Over::Ceiling,
            stop = play.run(&mut tasks) => stop.map_or(Over::Played, Over::Stopped),
        };
        let lag_us = lag.map(LagProbe::stop);
        tasks.shutdown().await;
        let over = match over {
            Over::Played => tokio::select! {
                biased;
                () = self.interrupted() => Over::Interrupted,
                () = ceiling => Over::Ceiling,
                () = self.watch() => Over::Played,
            },
            other => other,
        };
        self.note(over, &play);
        // Every task that shared it is over.
        if let Some(play) = Arc::into_inner(play) {
            let grace = match over {
                Over::Played => self.setup.patience.leave,
                Over::Stopped(_) | Over::Ceiling | Over::Interrupted => Duration::ZERO,
            };
            play.into_session().finish(grace).await;
        }
        Ok(lag_us)
    }

    /// Starts the client while few others are starting. `None`: it could not be started, or the user interrupted;
    /// both are recorded.
    async fn start<W: World, D: Driver<W>>(&self, driver: &D, brief: Brief) -> Option<D::Session> {
        let start = async {
            let permit = match driver.starts_per_operation() {
                // Each operation takes its own.
                true => None,
                // Nobody closes the semaphore; if somebody did, starting without a permit is only slower.
                false => self.setup.starting.acquire().await.ok(),
            };
            let mut starting = pin!(driver.start(brief));
            // A client that hangs before its hello must not keep the others from starting.
            if let Ok(session) = self.clock.within(COUNTS_AS_STARTED, &mut starting).await {
                return session;
            }
            drop(permit);
            starting.await
        };
        tokio::select! {
            biased;
            () = self.interrupted() => {
                self.setup.recorder.record(Fact::Interrupted { at: self.clock.now() });
                None
            }
            session = start => session.ok(),
        }
    }

    async fn interrupted(&self) {
        let mut interrupted = self.setup.interrupted.clone();
        // Where nobody can interrupt any more, nobody will.
        if interrupted.wait_for(|yes| *yes).await.is_err() {
            pending().await
        }
    }

    async fn time_is_over(&self) {
        self.clock.sleep(self.setup.limits.time).await;
        let (at, ceiling) = (self.clock.now(), Ceiling::Time);
        self.setup.recorder.record(Fact::CeilingHit { at, ceiling });
    }

    async fn watch(&self) {
        let watch = self.setup.trial.watch.unwrap_or(self.setup.patience.watch);
        self.clock.sleep(watch).await;
    }

    /// Records what became of the operations that have no end, and of those that were not asked any more.
    fn note<S: Session>(&self, over: Over, play: &Play<S>) {
        let (recorder, at) = (&self.setup.recorder, self.clock.now());
        let because = match over {
            Over::Played => return,
            Over::Interrupted => {
                recorder.record(Fact::Interrupted { at });
                return;
            }
            Over::Stopped(Stop::ClientBroke) => "the client had broken before",
            Over::Stopped(Stop::NoResult) => "the client had not ended an operation before it",
            Over::Ceiling => {
                for op in play.outstanding() {
                    recorder.record(Fact::GaveNoResult { op, at });
                }
                "a ceiling of the trial had been hit before"
            }
        };
        for op in play.unasked() {
            let because = because.to_owned();
            recorder.record(Fact::LeftOut { op, because });
        }
    }

    /// How long the dependencies may take to come down: effects that are due are waited for, but not by a user who
    /// interrupts.
    fn down_within(&self) -> Duration {
        match *self.setup.interrupted.borrow() {
            true => Duration::from_secs(1),
            false => self.setup.limits.time,
        }
    }
}

/// The trial's time begins: with the first operation that is handed over, or that is planned for a moment.
fn begin(shared: &Shared) -> Stamp {
    let started = *shared.started.get_or_init(|| shared.clock.now());
    shared.start.notify_waiters();
    started
}
