//! All trials of a run: side by side, and once more alone where the harness itself was late.

use std::cmp::Reverse;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::finish::finish;
use super::longest::least;
use super::plan::{askings, plans};
use super::snapshots::Snapshots;
use super::times::{Closures, Wanted};
use super::trial::{Common, One};
use crate::client::Client;
use crate::judge::Verdict;
use crate::report::{Shard, SuiteReport, TrialReport};
use crate::scenario::Trial;
use crate::term::Time;
use crate::upstream::Limits;
use crate::world::{RealWorld, World};

/// How late the harness may have been before a trial is run once more alone, in microseconds. On an idle machine
/// the probe is some 2 ms late, with both cores burnt some 19 ms: above 50 ms counts and gaps cannot be trusted.
pub(super) const LATE_US: u64 = 50_000;

/// A client and the trials it is put through.
pub struct Suite {
    /// The client.
    pub client: Client,
    /// The trials, in the order of the report.
    pub trials: Vec<Arc<Trial>>,
    /// Trials that exist and were deselected, by id: while there are any, an entry of `expected` may mean one of them.
    pub deselected: Vec<String>,
    /// The client as closures in this process, for the times in which it is one.
    pub closures: Closures,
    /// Which time the trials are played in.
    pub time: Wanted,
    /// Which part of a run this is.
    pub shard: Option<Shard>,
    /// Whether a warning fails its trial.
    pub strict: bool,
    /// The seed.
    pub seed: u64,
    /// How many trials run side by side.
    pub jobs: NonZero<usize>,
    /// How often each trial runs.
    pub rounds: NonZero<u32>,
    /// For how long trials are begun; those that run then are let end.
    pub max_time: Option<Duration>,
    /// Where snapshots are kept, if they are.
    pub snapshots: Option<Snapshots>,
    /// The ceilings of a usual trial; one whose scenario asks for more has higher ones.
    pub limits: Limits,
    /// The folder for evidence files; it must exist.
    pub evidence: Option<PathBuf>,
    /// The command that repeats one trial.
    pub repeat: Box<dyn Fn(&Trial) -> String + Send + Sync>,
}

/// Is told how a run gets on.
pub trait Watcher: Send + Sync {
    /// A trial begins.
    fn began(&self, trial: &str);
    /// A trial has ended, and will not be run again.
    fn ended(&self, report: &TrialReport);
}

/// Puts the client through its trials. `interrupted` becomes true when the user wants to stop: trials that run are
/// ended, the others are not begun, and the report says so.
pub async fn run(suite: Suite, watcher: Arc<dyn Watcher>, interrupted: watch::Receiver<bool>) -> SuiteReport {
    let askings = askings(&suite).await;
    let common = Common {
        with_evidence: askings.iter().filter(|asking| asking.skipped.is_none()).count(),
        suite: Arc::new(suite),
        starting: Arc::new(Semaphore::new(cores())),
        clock: RealWorld.start_clock(),
        interrupted,
    };
    let mut rounds = Vec::new();
    for plan in plans(&common, &askings) {
        rounds.push(all_trials(&common, &plan, &watcher).await);
    }
    let interrupted = *common.interrupted.borrow();
    finish(&common.suite, rounds, interrupted)
}

async fn all_trials(common: &Common, plan: &[Arc<One>], watcher: &Arc<dyn Watcher>) -> Vec<TrialReport> {
    let mut reports = side_by_side(common, plan, watcher).await;
    for (one, report) in plan.iter().zip(&mut reports) {
        if is_worth_repeating(report) && !*common.interrupted.borrow() {
            *report = alone(common, one, report).await;
            watcher.ended(report);
        }
    }
    reports
}

async fn side_by_side(common: &Common, plan: &[Arc<One>], watcher: &Arc<dyn Watcher>) -> Vec<TrialReport> {
    let mut reports: Vec<Option<TrialReport>> = plan.iter().map(|_| None).collect();
    // Virtual time first, and by itself: it does nothing but compute, which would make the harness late in real time.
    for time in [Time::Virtual, Time::Real] {
        let mut tasks = begun(common, plan, watcher, time);
        while let Some(ended) = tasks.join_next().await {
            // A task that panicked leaves its place empty, and is reported below.
            if let Ok((i, report)) = ended {
                if !is_worth_repeating(&report) {
                    watcher.ended(&report);
                }
                reports[i] = Some(report);
            }
        }
    }
    let or_panicked = |(report, one): (Option<TrialReport>, &Arc<One>)| {
        report.unwrap_or_else(|| one.harness_error(common, "the harness panicked in it".to_owned()))
    };
    reports.into_iter().zip(plan).map(or_panicked).collect()
}

/// The trials of one time, each in a task of its own, with its place in the plan.
fn begun(
    common: &Common,
    plan: &[Arc<One>],
    watcher: &Arc<dyn Watcher>,
    time: Time,
) -> JoinSet<(usize, TrialReport)> {
    let jobs = common.suite.jobs.get();
    let places = Arc::new(Semaphore::new(match time {
        Time::Virtual => jobs.min(cores()),
        Time::Real => jobs,
    }));
    let mut of_time: Vec<(usize, &Arc<One>)> = plan.iter().enumerate().collect();
    of_time.retain(|(_, one)| one.asking.time == time);
    // One after another the order makes nothing shorter, and is left as it is read.
    if time == Time::Real && jobs > 1 {
        of_time.sort_by_key(|(_, one)| Reverse(least(&one.trial)));
    }
    let mut tasks = JoinSet::new();
    for (i, one) in of_time {
        let (one, common, watcher) = (Arc::clone(one), common.clone(), Arc::clone(watcher));
        let places = Arc::clone(&places);
        tasks.spawn(async move { (i, in_its_place(&one, common, &places, &*watcher).await) });
    }
    tasks
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Waits for a place among the trials that run side by side, and runs the trial there.
async fn in_its_place(
    one: &Arc<One>,
    mut common: Common,
    places: &Semaphore,
    watcher: &dyn Watcher,
) -> TrialReport {
    if let Some(because) = &one.asking.skipped {
        return one.skipped(&common, because.clone());
    }
    let mut interrupted = common.interrupted.clone();
    let place = tokio::select! {
        place = places.acquire() => place,
        () = until_true(&mut interrupted) => return one.not_begun(&common, INTERRUPTED.to_owned()),
    };
    if place.is_err() || *common.interrupted.borrow_and_update() {
        return one.not_begun(&common, INTERRUPTED.to_owned());
    }
    if let Some(because) = common.time_is_up() {
        return one.not_begun(&common, because);
    }
    watcher.began(&one.trial.id);
    one.run(&common).await
}

const INTERRUPTED: &str = "interrupted before it began";

/// Pending for ever where nobody is left to interrupt.
async fn until_true(flag: &mut watch::Receiver<bool>) {
    if flag.wait_for(|interrupted| *interrupted).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// A verdict that the harness's own lateness may have spoilt. A pass stands: lateness does not make calls right.
fn is_worth_repeating(report: &TrialReport) -> bool {
    let spoilt = matches!(
        report.verdict,
        Verdict::Warn | Verdict::Fail | Verdict::Inconclusive
    );
    let evidence = &report.evidence;
    // More calls than a trial is judged by would be as many another time.
    let in_vain = report.verdict == Verdict::Inconclusive && !evidence.beyond.is_empty();
    spoilt && !in_vain && evidence.worst_lag_us > LATE_US && !evidence.interrupted
}

async fn alone(common: &Common, one: &Arc<One>, first: &TrialReport) -> TrialReport {
    let late_ms = first.evidence.worst_lag_us / 1000;
    if common.time_is_up().is_some() {
        // What lateness may have spoilt is not held against the client.
        let because =
            format!("the harness had been {late_ms} ms late, and no time was left to run it once more");
        return one.inconclusive(common, because);
    }
    let mut report = one.run(common).await;
    let remark = format!("run once more alone, because the harness had been {late_ms} ms late");
    report.remarks.push(remark);
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::report::example;

    fn late(verdict: Verdict, worst_lag_us: u64, interrupted: bool) -> TrialReport {
        TrialReport {
            verdict,
            evidence: Arc::new(Evidence {
                worst_lag_us,
                interrupted,
                ..Evidence::default()
            }),
            ..example::trial()
        }
    }

    #[test]
    fn only_what_lateness_may_have_spoilt_is_run_again() {
        let again = |verdict, lag| is_worth_repeating(&late(verdict, lag, false));
        for verdict in [Verdict::Fail, Verdict::Warn, Verdict::Inconclusive] {
            assert!(again(verdict, LATE_US + 1), "{verdict:?}");
            assert!(!again(verdict, LATE_US), "{verdict:?}");
        }
        for verdict in [
            Verdict::Pass,
            Verdict::Noted,
            Verdict::Skipped,
            Verdict::HarnessError,
        ] {
            assert!(!again(verdict, LATE_US + 1), "{verdict:?}");
        }
    }

    #[test]
    fn a_trial_with_more_calls_than_are_judged_is_run_again_only_where_the_client_is_blamed() {
        for (verdict, again) in [(Verdict::Inconclusive, false), (Verdict::Fail, true)] {
            let mut report = late(verdict, LATE_US + 1, false);
            Arc::make_mut(&mut report.evidence).beyond.calls = 1;
            assert_eq!(is_worth_repeating(&report), again, "{verdict:?}");
        }
    }

    #[test]
    fn an_interrupted_trial_is_never_run_again() {
        assert!(!is_worth_repeating(&late(
            Verdict::Inconclusive,
            LATE_US + 1,
            true
        )));
    }
}
