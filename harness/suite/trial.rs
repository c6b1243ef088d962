//! One trial of one client: engine, record, judge.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use super::ask::Asking;
use super::ceilings::ceilings;
use super::conclude::{Frame, conclude, unjudged};
use super::run::Suite;
use super::times::Home;
use crate::client::DriverPlan;
use crate::drive::{Exec, Jsonl, Service};
use crate::engine::{self, Patience, Setup};
use crate::evidence::{Evidence, Recorder};
use crate::judge::Verdict;
use crate::promise::{DeadlineCan, KeysCan};
use crate::record::{Header, Recording, RunOf, VERSION};
use crate::report::TrialReport;
use crate::scenario::Trial;
use crate::term::{Stamp, Time};
use crate::world::{Clock, RealWorld, VirtualWorld, World};

/// What one trial shares with the others.
#[derive(Clone)]
pub(super) struct Common {
    pub suite: Arc<Suite>,
    pub starting: Arc<Semaphore>,
    /// Since when the run lasts.
    pub clock: Clock,
    /// Of how many trials there will be evidence.
    pub with_evidence: usize,
    pub interrupted: watch::Receiver<bool>,
}

impl Common {
    /// Why no trial is begun any more, once that is so.
    pub(super) fn time_is_up(&self) -> Option<String> {
        let most = self.suite.max_time?;
        let up = self.clock.now().since(Stamp::ZERO) >= most;
        up.then(|| {
            format!(
                "not run: the {} of --max-time were over",
                humantime::format_duration(most)
            )
        })
    }
}

/// One trial with everything that it needs of its own.
pub(super) struct One {
    pub trial: Arc<Trial>,
    pub asking: Asking,
    /// Where its evidence goes.
    pub evidence_file: Option<PathBuf>,
}

impl One {
    /// Runs the trial and judges it.
    pub(super) async fn run(self: &Arc<Self>, common: &Common) -> TrialReport {
        let recording = match self.recording(common) {
            Ok(recording) => recording,
            Err(e) => return self.harness_error(common, format!("its evidence cannot be written: {e}")),
        };
        let recorder = match &recording {
            Some(recording) => Recorder::observed(recording.observer()),
            None => Recorder::new(),
        };
        let clock = RealWorld.start_clock();
        let played = self.play(common, recorder.clone()).await;
        let took = clock.now().since(Stamp::ZERO);
        let written = recording.map_or(Ok(()), |recording| recording.finish());
        if let Err(e) = played {
            return self.harness_error(common, format!("the harness could not run it: {e}"));
        }
        let evidence = Evidence::of(&recorder.take());
        // In virtual time what it took by the trial's own clock: the same in every run.
        let took = match self.asking.time {
            Time::Real => took,
            Time::Virtual => evidence.watch_ended.unwrap_or_default().since(Stamp::ZERO),
        };
        let mut report = self.judged(common, evidence, took);
        if let Err(e) = written {
            // Its findings stand, for whoever reads them; but who asked for evidence does not have it.
            report.verdict = Verdict::HarnessError;
            report.because = Some(format!("its evidence could not be written to its end: {e}"));
        }
        report
    }

    /// The trial, skipped.
    pub(super) fn skipped(&self, common: &Common, because: String) -> TrialReport {
        unjudged(self.frame(common, Duration::ZERO), Verdict::Skipped, because)
    }

    /// The trial that was not begun.
    pub(super) fn not_begun(&self, common: &Common, because: String) -> TrialReport {
        TrialReport {
            not_run: true,
            ..self.inconclusive(common, because)
        }
    }

    /// The trial that proves nothing.
    pub(super) fn inconclusive(&self, common: &Common, because: String) -> TrialReport {
        unjudged(self.frame(common, Duration::ZERO), Verdict::Inconclusive, because)
    }

    /// The trial that the harness could not run.
    pub(super) fn harness_error(&self, common: &Common, because: String) -> TrialReport {
        unjudged(self.frame(common, Duration::ZERO), Verdict::HarnessError, because)
    }

    async fn play(self: &Arc<Self>, common: &Common, recorder: Recorder) -> io::Result<()> {
        match self.asking.time {
            Time::Real => self.play_in_real_time(common, recorder).await,
            Time::Virtual => self.play_in_virtual_time(common, recorder).await,
        }
    }

    async fn play_in_real_time(&self, common: &Common, recorder: Recorder) -> io::Result<()> {
        let client = &common.suite.client;
        let setup = self.setup(common, recorder);
        match client.driver {
            DriverPlan::Jsonl { .. } => {
                let driver = Jsonl::new(client).map_err(io::Error::other)?;
                engine::run(&RealWorld, &driver, setup).await
            }
            DriverPlan::Exec { .. } => {
                let driver = Exec::new(client).map_err(io::Error::other)?;
                engine::run(&RealWorld, &driver, setup).await
            }
            DriverPlan::Service(_) => {
                let driver = Service::new(client).map_err(io::Error::other)?;
                engine::run(&RealWorld, &driver, setup).await
            }
            DriverPlan::InProcess { .. } => self.play_closure(common, &RealWorld, setup).await,
        }
    }

    /// On a thread, a paused clock and in a world of its own: nothing else can make its clock wait or jump.
    async fn play_in_virtual_time(self: &Arc<Self>, common: &Common, recorder: Recorder) -> io::Result<()> {
        let (one, common) = (Arc::clone(self), common.clone());
        let played = tokio::task::spawn_blocking(move || {
            let setup = Setup {
                // Its client starts in no time, and must not wait for those that take some.
                starting: Arc::new(Semaphore::new(1)),
                ..one.setup(&common, recorder)
            };
            in_virtual_time(|world| async move { one.play_closure(&common, &world, setup).await })
        });
        let panicked = |_| Err(io::Error::other("the harness panicked in it"));
        played.await.unwrap_or_else(panicked)
    }

    async fn play_closure<W: Home>(&self, common: &Common, world: &W, setup: Setup) -> io::Result<()> {
        let begin = W::closure(&common.suite.closures);
        let begin = begin
            .ok_or_else(|| io::Error::other(format!("the client is none in {} time", self.asking.time)))?;
        let driver = begin(world, common.suite.seed);
        engine::run(world, &driver, setup).await
    }

    fn setup(&self, common: &Common, recorder: Recorder) -> Setup {
        let can = &common.suite.client.can;
        Setup {
            trial: Arc::clone(&self.trial),
            asked: self.asking.asked.clone(),
            left_out: self.asking.left_out.clone(),
            deadline_passed: can.deadline == DeadlineCan::Passed,
            keys_given: can.keys == KeysCan::Given,
            key_header: common.suite.client.key_header.clone(),
            seed: common.suite.seed,
            limits: ceilings(&self.trial, common.suite.limits, self.asking.time),
            patience: Patience::in_time(self.asking.time),
            recorder,
            starting: Arc::clone(&common.starting),
            interrupted: common.interrupted.clone(),
        }
    }

    fn judged(&self, common: &Common, evidence: Evidence, took: Duration) -> TrialReport {
        let client = &common.suite.client;
        conclude(self.frame(common, took), &client.promises, &client.can, evidence)
    }

    fn frame(&self, common: &Common, took: Duration) -> Frame<'_> {
        Frame {
            trial: &self.trial,
            time: self.asking.time,
            left_out: &self.asking.left_out,
            repeat: (common.suite.repeat)(&self.trial),
            took,
            evidence_file: self.evidence_file.as_ref().map(|file| file.display().to_string()),
        }
    }

    fn recording(&self, common: &Common) -> io::Result<Option<Recording>> {
        let Some(file) = &self.evidence_file else {
            return Ok(None);
        };
        Recording::begin(file, &self.header(common)).map(Some)
    }

    fn header(&self, common: &Common) -> Header {
        let Suite { client, seed, .. } = &*common.suite;
        Header {
            retrial_evidence: VERSION,
            harness: env!("CARGO_PKG_VERSION").to_owned(),
            client: client.name.clone(),
            seed: *seed,
            time: self.asking.time,
            trial: self.trial.id.clone(),
            scenario: self.trial.scenario.clone(),
            source: (*self.trial.source).clone(),
            given: self.trial.given.clone(),
            promises: client.promises.clone(),
            can: client.can.clone(),
            expected: client.expected.clone(),
            run: RunOf {
                trials: common.with_evidence,
                whole: common.suite.deselected.is_empty()
                    && common.with_evidence == common.suite.trials.len(),
            },
            asked: self.asking.asked.clone(),
            left_out: self.asking.left_out.clone(),
            repeat: (common.suite.repeat)(&self.trial),
        }
    }
}

#[cfg(feature = "virtual-time")]
fn in_virtual_time<F: Future<Output = io::Result<()>>>(
    play: impl FnOnce(VirtualWorld) -> F,
) -> io::Result<()> {
    VirtualWorld::run(play)?
}

#[cfg(not(feature = "virtual-time"))]
fn in_virtual_time<F: Future<Output = io::Result<()>>>(_: impl FnOnce(VirtualWorld) -> F) -> io::Result<()> {
    Err(io::Error::other(
        "this retrial was built without the feature `virtual-time`",
    ))
}
