//! The two worlds side by side: the same scenarios, client and judge give the same verdicts and counts in both.
//!
//! Real time is at the mercy of the machine. What differs is played there again, alone, before it counts.

use std::collections::BTreeMap;
use std::process::Command;

use retrial::judge::Verdict;
use retrial::report::{TrialReport, read_json, snapshot_body};
use retrial::scenario::{Need, Trial};

use crate::stand::{all, report, suite};

/// How often what differs is played again.
const AGAIN: usize = 4;

/// The verdict, and the counts as a snapshot pins them: without those that time or chance decides.
type Seen = (Verdict, String);

/// The reference over real sockets, a process a trial.
fn over_sockets(more: &[&str]) -> BTreeMap<String, Seen> {
    let output = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args(["run", "--seed", "1", "--time", "real", "-r", "json=-"])
        .args(more)
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let report = read_json(&text, env!("CARGO_PKG_VERSION")).expect("a report");
    seen(&report.trials)
}

fn seen(reports: &[TrialReport]) -> BTreeMap<String, Seen> {
    let trials = all();
    let one = |report: &TrialReport| {
        let trial = trials.iter().find(|trial| trial.id == report.trial)?;
        Some((
            report.trial.clone(),
            (report.verdict, snapshot_body(trial, report)),
        ))
    };
    reports.iter().filter_map(one).collect()
}

fn differing(real: &BTreeMap<String, Seen>, virtual_ones: &BTreeMap<String, Seen>) -> Vec<String> {
    let differs = |(trial, seen): &(&String, &Seen)| real.get(*trial) != Some(*seen);
    let differing = virtual_ones.iter().filter(differs);
    differing.map(|(trial, _)| trial.clone()).collect()
}

/// Whether this trial asks for a zone that only a process has, or for layers.
fn without_place(trial: &Trial) -> bool {
    let zone = trial.zone.as_deref();
    zone.is_some_and(|zone| zone != "UTC") || trial.needs.iter().any(|need| matches!(need, Need::Layers(_)))
}

#[test]
fn the_reference_is_judged_alike_in_both_worlds() {
    let mut in_virtual_time = seen(&report(suite(None, all())).trials);
    let all_trials = in_virtual_time.len();
    in_virtual_time.retain(|_, (verdict, _)| *verdict != Verdict::Skipped);
    // The zones of processes have no place in virtual time, and the reference has no layers in any.
    assert_eq!(
        all_trials - in_virtual_time.len(),
        all().iter().filter(|trial| without_place(trial)).count()
    );
    let mut real = over_sockets(&[]);
    for _ in 0..AGAIN {
        let differing = differing(&real, &in_virtual_time);
        if differing.is_empty() {
            return;
        }
        let mut alone = vec!["--jobs", "1"];
        alone.extend(differing.iter().map(String::as_str));
        real.extend(over_sockets(&alone));
    }
    for trial in differing(&real, &in_virtual_time) {
        assert_eq!(
            in_virtual_time[&trial], real[&trial],
            "{trial}: virtual, then real"
        );
    }
}
