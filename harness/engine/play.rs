//! Handing operations over, each in its stage, and waiting for their ends.

use std::collections::BTreeSet;
use std::future::{Future, pending};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use super::Setup;
use super::fleet::Fleet;
use super::orders::Orders;
use super::patience::{COUNTS_AS_STARTED, Waiting};
use super::stages::{Moment, Operations, Stage, stages};
use crate::client::protocol::Order;
use crate::drive::{Brief, OperationEnd, Session, StartError};
use crate::evidence::Fact;
use crate::scenario::{Down, OperationGroup, Outage, Start};
use crate::term::{OperationId, ProcessId, Stamp};
use crate::upstream::Shared;

/// Why no further operation is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// Nothing more will come of the client.
    ClientBroke,
    /// The client did not report an end in time.
    NoResult,
}

/// How often the end of the waiting is worked out anew.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// How often it is looked whether a process made its first call.
const LOOK: Duration = Duration::from_millis(20);

/// For how long calls still on their way are waited for before the next operation, where it could be mistaken for theirs.
const QUIET_WITHIN: Duration = Duration::from_secs(10);

/// How operations are handed to a client.
pub(super) struct Manner {
    /// How many may be outstanding.
    pub(super) concurrency: u32,
    /// Whether each starts a process of its own.
    pub(super) starts_per_operation: bool,
    /// True while no call is on its way, where calls are known only by being the only operation's.
    pub(super) quiet: Option<watch::Receiver<bool>>,
}

/// A running client and what is asked of it.
pub(super) struct Play<S> {
    fleet: Fleet<S>,
    setup: Arc<Setup>,
    shared: Arc<Shared>,
    /// Those not handed over yet.
    orders: Orders,
    /// Those handed over that have no end yet.
    outstanding: Mutex<BTreeSet<OperationId>>,
    /// How many may be outstanding at each client.
    places: Vec<Semaphore>,
    starts_per_operation: bool,
    quiet: Option<watch::Receiver<bool>>,
    /// The trial's longest scripted wait.
    longest_wait: Duration,
    stop: OnceLock<Stop>,
}

impl<S: Session> Play<S> {
    pub(super) fn new(
        fleet: Fleet<S>,
        setup: Arc<Setup>,
        shared: Arc<Shared>,
        orders: Orders,
        manner: Manner,
    ) -> Self {
        let clients = setup.trial.clients();
        Play {
            longest_wait: setup.trial.longest_wait(),
            fleet,
            setup,
            shared,
            orders,
            outstanding: Mutex::default(),
            places: (0..clients)
                .map(|_| Semaphore::new(manner.concurrency.max(1) as usize))
                .collect(),
            starts_per_operation: manner.starts_per_operation,
            quiet: manner.quiet,
            stop: OnceLock::new(),
        }
    }

    /// Plays every stage, or until the client breaks or gives no result; operations that run side by side with such a
    /// one are still waited for. `start` starts a client in the place of another. Tasks are the caller's, so that it can
    /// end them when it drops this future.
    pub(super) async fn run<F, R>(self: &Arc<Self>, tasks: &mut JoinSet<()>, start: F) -> Option<Stop>
    where
        F: Fn(Brief) -> R,
        R: Future<Output = Result<S, StartError>>,
    {
        let started = self.shared.clock.now();
        if !self.starts_with_a_call() {
            self.shared.start_now();
        }
        for stage in stages(&self.setup.trial.operations) {
            self.start_anew(&stage, &start).await;
            match stage.operations {
                Operations::InSequence(lanes) => self.in_sequence(lanes, tasks).await,
                Operations::SideBySide(operations) => {
                    self.side_by_side(operations, started, tasks).await;
                }
            }
        }
        self.stop.get().copied()
    }

    /// Starts clients anew, if a stage begins with that and they live on from one operation to the next.
    async fn start_anew<F, R>(&self, stage: &Stage, start: F)
    where
        F: Fn(Brief) -> R,
        R: Future<Output = Result<S, StartError>>,
    {
        if stage.restarts == 0 || self.starts_per_operation || self.stop.get().is_some() {
            return;
        }
        let clock = self.shared.clock;
        let started = self.fleet.restart(stage.restarts, &self.setup, clock, start);
        if started.await.is_none() {
            // The first reason stands.
            let _ = self.stop.set(Stop::ClientBroke);
        }
    }

    /// The clients, when all is over.
    pub(super) fn into_fleet(self) -> Fleet<S> {
        self.fleet
    }

    /// Operations that were handed over and have no end.
    pub(super) fn outstanding(&self) -> Vec<OperationId> {
        lock(&self.outstanding).iter().copied().collect()
    }

    /// Operations that were not handed over.
    pub(super) fn unasked(&self) -> Vec<OperationId> {
        self.orders.left()
    }

    /// Whether the trial's time starts with the first call, which then starts it, and not with the handing over: a
    /// process takes its time to that call, and would sleep through an outage. Refused connections have no first call,
    /// and operations with a time of their own count from the handing over.
    fn starts_with_a_call(&self) -> bool {
        let trial = &self.setup.trial;
        let refuses = |outage: &Outage| matches!(outage.be, Down::Refused | Down::BlackHole);
        let refused = trial.dependencies.iter().flat_map(|d| &d.outages).any(refuses);
        let timed = trial.operations.iter().any(|g| matches!(g.start, Start::At(_)));
        self.starts_per_operation && !refused && !timed
    }

    /// Each client does its operations one after another, and the clients work side by side.
    async fn in_sequence(self: &Arc<Self>, lanes: Vec<Vec<OperationId>>, tasks: &mut JoinSet<()>) {
        for lane in lanes {
            let play = self.clone();
            tasks.spawn(async move {
                for op in lane {
                    play.operate(op).await;
                }
            });
        }
        while tasks.join_next().await.is_some() {}
    }

    async fn side_by_side(
        self: &Arc<Self>,
        operations: Vec<(OperationId, Moment)>,
        trial_began: Stamp,
        tasks: &mut JoinSet<()>,
    ) {
        let stage_began = self.shared.clock.now();
        for (op, moment) in operations {
            let when = match moment {
                Moment::InStage(after) => stage_began.plus(after),
                Moment::InTrial(after) => trial_began.plus(after),
            };
            let play = self.clone();
            tasks.spawn(async move {
                play.shared.clock.sleep_until(when).await;
                play.operate(op).await;
            });
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Hands an operation over, if it is to be asked, and waits for its end.
    async fn operate(&self, op: OperationId) {
        let Some(planned) = self.setup.trial.operation(op) else {
            return;
        };
        let Some(session) = self.fleet.session(&planned) else {
            return;
        };
        // Nobody closes these semaphores; a permit that is not had is one that is not needed.
        let _place = match self.places.get(planned.group.client_of(op) as usize - 1) {
            Some(places) => places.acquire().await.ok(),
            None => None,
        };
        let permit = match self.starts_per_operation {
            true => self.setup.starting.clone().acquire_owned().await.ok(),
            false => None,
        };
        self.until_quiet().await;
        if self.stop.get().is_some() {
            return;
        }
        let Some(order) = self.orders.take(planned) else {
            return;
        };
        self.shared.note_headers(&planned.request().headers, op);
        let asked = self.ask(&order, self.fleet.process_of(&planned, self.starts_per_operation));
        let end = tokio::select! {
            biased;
            end = session.operate(order) => Some(end),
            () = self.patience_ends(op, asked, planned.group) => None,
            () = self.let_others_start(op, asked, permit) => None,
            () = self.cancel_later(&session, op, planned.group.cancel_after) => None,
        };
        lock(&self.shared.running).remove(&op);
        lock(&self.outstanding).remove(&op);
        self.ended(op, end);
    }

    /// Waits for calls of the operation before, which would be taken for this one's.
    async fn until_quiet(&self) {
        if let Some(mut quiet) = self.quiet.clone() {
            let waited = async { quiet.wait_for(|quiet| *quiet).await.is_ok() };
            // One that never ends is not waited for longer than this.
            let _ = self.shared.clock.within(QUIET_WITHIN, waited).await;
        }
    }

    fn ask(&self, order: &Order, process: ProcessId) -> Stamp {
        let (op, at) = (order.op, self.shared.clock.now());
        lock(&self.outstanding).insert(op);
        if let Some(key) = &order.key {
            self.shared.note_key(key, op);
        }
        lock(&self.shared.running).insert(op);
        self.setup.recorder.record(Fact::Asked {
            op,
            at,
            deadline_ms: order.deadline_ms,
            key: order.key.clone(),
            process,
        });
        at
    }

    fn ended(&self, op: OperationId, end: Option<OperationEnd>) {
        let stop = match end {
            Some(OperationEnd::Reported(_) | OperationEnd::CouldNotRun) => return,
            Some(OperationEnd::ClientBroke) => Stop::ClientBroke,
            None => {
                let at = self.shared.clock.now();
                self.setup.recorder.record(Fact::GaveNoResult { op, at });
                Stop::NoResult
            }
        };
        // The first reason stands.
        let _ = self.stop.set(stop);
    }

    /// Waits until the result is not waited for any longer; calls that arrive meanwhile put that off.
    async fn patience_ends(&self, op: OperationId, asked: Stamp, group: &OperationGroup) {
        let recorder = &self.setup.recorder;
        loop {
            let until = self.setup.patience.gives_up(Waiting {
                asked,
                deadline: group.deadline,
                deadline_passed: self.setup.deadline_passed,
                starts: self.starts_per_operation,
                first_call: recorder.first_arrival(op),
                last_call: recorder.last_arrival(),
                longest_wait: self.longest_wait,
            });
            let now = self.shared.clock.now();
            if now >= until {
                return;
            }
            // Where a process is started, its first call brings the end nearer, and one long sleep would miss it. Else calls
            // only put it off, and a year is not to be slept through in quarters of a second.
            let look = match self.starts_per_operation {
                true => until.min(now.plus(LOOK_AGAIN)),
                false => until,
            };
            self.shared.clock.sleep_until(look).await;
        }
    }

    /// Gives the permit back when the operation's process counts as started; never ends.
    async fn let_others_start(&self, op: OperationId, asked: Stamp, permit: Option<OwnedSemaphorePermit>) {
        if permit.is_some() {
            let latest = asked.plus(COUNTS_AS_STARTED);
            while self.setup.recorder.first_arrival(op).is_none() && self.shared.clock.now() < latest {
                self.shared.clock.sleep(LOOK).await;
            }
        }
        drop(permit);
        pending().await
    }

    /// Gives up in the caller's stead, if the scenario says so; never ends.
    async fn cancel_later(&self, session: &S, op: OperationId, after: Option<Duration>) {
        if let Some(after) = after {
            self.shared.clock.sleep(after).await;
            let at = self.shared.clock.now();
            self.setup.recorder.record(Fact::Cancelled { op, at });
            session.cancel(op).await;
        }
        pending().await
    }
}

/// A panic while one of these locks is held cannot leave a half-changed set behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
