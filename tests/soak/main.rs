//! The whole built-in suite in a loop, on processes and sockets, while every core is kept busy: no verdict against a client
//! that is right, and nothing left over: processes, descriptors, memory, temporary files.
//!
//! Three rounds here; an hour of them with `RETRIAL_LONG=1`, and another time with `RETRIAL_LONG=` and a number of minutes.

#![expect(
    clippy::print_stderr,
    reason = "the figures of a long run are what it is run for"
)]

mod left_over;
#[path = "../long/mod.rs"]
mod long;
#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../fixtures/reference/mod.rs"]
mod reference;
#[allow(
    dead_code,
    reason = "the tests in virtual time use all of it, this test a part"
)]
#[path = "../virtual_time/stand.rs"]
mod stand;
#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../harness/virtual_reference.rs"]
mod virtual_reference;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use left_over::Held;
use retrial::judge::Verdict;
use retrial::report::SuiteReport;
use retrial::scenario::Trial;
use retrial::suite::{Closures, Suite, Wanted};
use retrial::term::Time;

/// Set where this program runs as its own child, whose folder for temporary files nobody else writes to.
const INSIDE: &str = "RETRIAL_SOAK_INSIDE";

/// Rounds after which what is held has settled: pools are filled, threads are there.
const WARM: u32 = 2;

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
    let trials = stand::all();
    let (begun, lasts) = (Instant::now(), long::minutes(60));
    let (mut settled, mut seen, mut rounds) = (None, BTreeMap::new(), 0);
    while rounds <= WARM || lasts.is_some_and(|lasts| begun.elapsed() < lasts) {
        let report = stand::report(suite(&trials));
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

/// The reference client as a process, on sockets.
fn suite(trials: &[Arc<Trial>]) -> Suite {
    Suite {
        client: retrial::suite::reference(env!("CARGO_BIN_EXE_retrial"), None).expect("its own file"),
        closures: Closures::default(),
        time: Wanted::Always(Time::Real),
        ..stand::suite(None, trials.to_vec())
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
