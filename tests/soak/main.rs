//! The whole built-in suite in a loop, on processes and sockets, while every core is kept busy: no verdict against a client
//! that is right, and nothing left over: processes, descriptors, memory, temporary files.
//!
//! Two rounds here; an hour of them with `RETRIAL_LONG=1`, and another time with `RETRIAL_LONG=` and a number of minutes.

#![expect(
    clippy::print_stderr,
    reason = "the figures of a long run are what it is run for"
)]

mod left_over;
#[path = "../long/mod.rs"]
mod long;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use left_over::Held;
use retrial::judge::Verdict;
use retrial::report::{SuiteReport, TrialReport};
use retrial::scenario::{Trial, built_in, load};
use retrial::source::Source;
use retrial::suite::{Closures, Suite, Wanted, Watcher, reference, run};
use retrial::term::Time;
use retrial::upstream::Limits;
use tokio::sync::watch;

/// Set where this program runs as its own child, whose folder for temporary files nobody else writes to.
const INSIDE: &str = "RETRIAL_SOAK_INSIDE";

/// Rounds after which what is held has settled: pools are filled, threads are there.
const WARM: u32 = 2;

struct Nobody;

impl Watcher for Nobody {
    fn began(&self, _: &str) {}
    fn ended(&self, _: &TrialReport) {}
}

#[test]
fn the_suite_in_a_loop_blames_nobody_and_leaves_nothing_over() {
    if std::env::var_os(INSIDE).is_some() {
        return soak();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let status = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "--exact",
            "the_suite_in_a_loop_blames_nobody_and_leaves_nothing_over",
            "--nocapture",
        ])
        .env(INSIDE, "1")
        .env("TMPDIR", folder.path())
        .status()
        .expect("it starts");
    assert!(status.success(), "{status}");
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn soak() {
    let busy = Busy::every_core();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let trials = trials();
    let (begun, lasts) = (Instant::now(), long::minutes(60));
    let (mut settled, mut seen, mut rounds) = (None, BTreeMap::new(), 0);
    while rounds <= WARM || lasts.is_some_and(|lasts| begun.elapsed() < lasts) {
        let report = round(&runtime, &trials);
        count(&report, &mut seen);
        rounds += 1;
        let held = Held::now();
        eprintln!(
            "round {rounds}, {:.0?}: {held}; verdicts so far: {seen:?}",
            begun.elapsed()
        );
        if rounds == WARM {
            settled = Some(held);
        } else if let Some(settled) = &settled {
            held.assert_no_more_than(settled);
        }
    }
    drop(busy);
}

/// One round; its report is dropped with the runtime's tasks.
fn round(runtime: &tokio::runtime::Runtime, trials: &[Arc<Trial>]) -> SuiteReport {
    let (_keep, interrupted) = watch::channel(false);
    runtime.block_on(run(suite(trials), Arc::new(Nobody), interrupted))
}

/// Counts the verdicts, of which none may go against the reference client.
fn count(report: &SuiteReport, seen: &mut BTreeMap<Verdict, u32>) {
    for trial in &report.trials {
        let right = matches!(
            trial.verdict,
            Verdict::Pass | Verdict::Noted | Verdict::Skipped | Verdict::Inconclusive
        );
        assert!(
            right,
            "{}: {:?} {:?} {:?}",
            trial.trial, trial.verdict, trial.because, trial.findings
        );
        *seen.entry(trial.verdict).or_default() += 1;
    }
}

fn trials() -> Vec<Arc<Trial>> {
    let of = |(name, yaml): &(&str, &str)| {
        let source = Source::new(format!("{name}.yaml"), *yaml);
        load(Arc::new(source), name).expect("a sound scenario")
    };
    built_in().iter().flat_map(of).map(Arc::new).collect()
}

fn suite(trials: &[Arc<Trial>]) -> Suite {
    Suite {
        client: reference(env!("CARGO_BIN_EXE_retrial"), None).expect("its own file"),
        closures: Closures::default(),
        time: Wanted::Always(Time::Real),
        trials: trials.to_vec(),
        deselected: Vec::new(),
        shard: None,
        strict: false,
        seed: 1,
        jobs: NonZero::<usize>::MIN.saturating_add(63),
        rounds: NonZero::<u32>::MIN,
        max_time: None,
        snapshots: None,
        limits: Limits {
            calls: 1000,
            connections: 1000,
            bytes: 64 << 20,
            time: Duration::from_secs(120),
        },
        evidence: None,
        repeat: Box::new(|trial| trial.id.clone()),
    }
}

/// A thread for every core that does nothing but burn it, until this is dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn every_core() -> Self {
        let on = Arc::new(AtomicBool::new(true));
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        for _ in 0..cores {
            let on = Arc::clone(&on);
            std::thread::spawn(move || {
                while on.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Busy(on)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
