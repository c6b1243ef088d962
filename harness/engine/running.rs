//! A trial whose dependencies are up: the client is started, asked, watched and ended.

use std::future::{Future, pending};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::task::JoinSet;

use super::Setup;
use super::fleet::Fleet;
use super::lag::LagProbe;
use super::layers::Places;
use super::orders::Orders;
use super::patience::HOLDS_ITS_PLACE;
use super::play::{Manner, Play, Stop};
use crate::drive::{Brief, Driver, Session, StartError};
use crate::evidence::{Ceiling, Fact};
use crate::upstream::Shared;
use crate::world::{Clock, World};

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

/// A trial whose dependencies are up.
pub(super) struct Running {
    pub(super) setup: Arc<Setup>,
    pub(super) shared: Arc<Shared>,
    pub(super) clock: Clock,
}

impl Running {
    /// Starts the client, plays the operations, watches, and ends the client. Returns the worst lateness meanwhile, if
    /// time is real.
    pub(super) async fn run<W: World, D: Driver<W>>(
        &self,
        driver: &D,
        briefs: Vec<Brief>,
        places: Places,
    ) -> io::Result<Option<u64>> {
        // Registered before the client starts: it may flood before it says hello.
        let mut ceiling = pin!(self.shared.ceiling_hit.notified());
        ceiling.as_mut().enable();
        let orders = Orders::new(
            self.setup.clone(),
            self.shared.clone(),
            places.authorities,
            places.entry,
        )?;
        let Some(fleet) = self.start(driver, briefs).await else {
            return Ok(None);
        };
        let play = Arc::new(Play::new(
            fleet,
            self.setup.clone(),
            self.shared.clone(),
            orders,
            Manner {
                concurrency: driver.concurrency(),
                starts_per_operation: driver.starts_per_operation(),
                quiet: places.quiet,
            },
        ));
        let lag = (!W::IS_VIRTUAL).then(|| LagProbe::start(self.clock));
        let restart = |brief| self.start_one(driver, brief);
        let asked = self.ask(&play, ceiling.as_mut(), restart).await;
        let lag_us = lag.map(LagProbe::stop);
        let over = match asked {
            Over::Played => self.watch(ceiling).await,
            other => other,
        };
        self.note(over, &play);
        self.end(over, play).await;
        Ok(lag_us)
    }

    /// Asks everything, or until something ends the trial before.
    async fn ask<S, F, R>(&self, play: &Arc<Play<S>>, ceiling: Pin<&mut Notified<'_>>, restart: F) -> Over
    where
        S: Session,
        F: Fn(Brief) -> R,
        R: Future<Output = Result<S, StartError>>,
    {
        let mut tasks = JoinSet::new();
        let over = tokio::select! {
            biased;
            () = self.interrupted() => Over::Interrupted,
            () = ceiling => Over::Ceiling,
            () = self.time_is_over() => Over::Ceiling,
            stop = play.run(&mut tasks, restart) => stop.map_or(Over::Played, Over::Stopped),
        };
        // They share the client, which can only be ended when nobody uses it any more.
        tasks.shutdown().await;
        over
    }

    /// Watches for calls that come after the last result, with the client still alive.
    async fn watch(&self, ceiling: Pin<&mut Notified<'_>>) -> Over {
        let watch = self.setup.trial.watch.unwrap_or(self.setup.patience.watch);
        tokio::select! {
            biased;
            () = self.interrupted() => Over::Interrupted,
            () = ceiling => Over::Ceiling,
            () = self.clock.sleep(watch) => Over::Played,
        }
    }

    /// Ends the client: in peace if it ended everything that it was asked.
    async fn end<S: Session>(&self, over: Over, play: Arc<Play<S>>) {
        let grace = match over {
            Over::Played => self.setup.patience.leave,
            Over::Stopped(_) | Over::Ceiling | Over::Interrupted => Duration::ZERO,
        };
        // Every task that shared it is over, so it is there; otherwise the last owner's drop ends the client.
        if let Some(play) = Arc::into_inner(play) {
            play.into_fleet().finish(grace).await;
        }
    }

    /// Starts the clients. `None`: one could not be started, or the user interrupted; both are recorded.
    async fn start<W: World, D: Driver<W>>(
        &self,
        driver: &D,
        briefs: Vec<Brief>,
    ) -> Option<Fleet<D::Session>> {
        let start = |brief| self.start_one(driver, brief);
        tokio::select! {
            biased;
            () = self.interrupted() => {
                self.setup.recorder.record(Fact::Interrupted { at: self.clock.now() });
                None
            }
            fleet = Fleet::start(briefs, start) => fleet,
        }
    }

    /// Starts a client while few others are starting.
    async fn start_one<W: World, D: Driver<W>>(
        &self,
        driver: &D,
        brief: Brief,
    ) -> Result<D::Session, StartError> {
        let permit = match driver.starts_per_operation() {
            // Each operation takes its own.
            true => None,
            // Nobody closes the semaphore; if somebody did, starting without a permit is only slower.
            false => self.setup.starting.acquire().await.ok(),
        };
        let mut starting = pin!(driver.start(brief));
        // A client that hangs before its hello must not keep the others from starting.
        if let Ok(session) = self.clock.within(HOLDS_ITS_PLACE, &mut starting).await {
            return session;
        }
        drop(permit);
        starting.await
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
            recorder.record(Fact::LeftOut {
                op,
                because,
                at: Some(at),
            });
        }
    }

    /// How long the dependencies may take to come down: effects that are due are waited for, but not by a user who
    /// interrupts.
    pub(super) fn down_within(&self) -> Duration {
        match *self.setup.interrupted.borrow() {
            true => Duration::from_secs(1),
            false => self.setup.limits.time,
        }
    }
}
