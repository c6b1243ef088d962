//! From the runs of all trials to the report.

use super::expected::{self, Elsewhere};
use super::rounds::fold;
use super::run::Suite;
use super::{conclude, snapshots};
use crate::report::{SuiteReport, TrialReport};

/// The report of a run; `rounds` hold the trials in the order of the suite, each round all of them.
pub(super) fn finish(suite: &Suite, mut rounds: Vec<Vec<TrialReport>>, interrupted: bool) -> SuiteReport {
    let client_versions = conclude::versions(rounds.iter().flatten());
    let listed = expected::mark(&suite.client.expected, rounds.iter_mut().flatten());
    if suite.strict {
        rounds.iter_mut().for_each(|round| conclude::be_strict(round));
    }
    let mut trials = folded(rounds);
    let elsewhere = Elsewhere {
        trials: &suite.deselected,
        others: false,
    };
    let stale = match interrupted {
        true => Vec::new(),
        false => expected::settle(&listed, &mut trials, elsewhere),
    };
    let snapshots = suite.snapshots.as_ref();
    let snapshots = snapshots.map_or_else(Vec::new, |kept| snapshots::compare(suite, kept, &trials));
    SuiteReport {
        harness: env!("CARGO_PKG_VERSION").to_owned(),
        client: suite.client.name.clone(),
        client_versions,
        seed: Some(suite.seed),
        trials,
        expected: listed,
        stale,
        deselected: suite.deselected.clone(),
        shard: suite.shard,
        missing: Vec::new(),
        snapshots,
        interrupted,
    }
}

/// One report a trial, whatever the number of rounds.
fn folded(rounds: Vec<Vec<TrialReport>>) -> Vec<TrialReport> {
    let mut runs: Vec<Vec<TrialReport>> = Vec::new();
    for round in rounds {
        runs.resize_with(round.len().max(runs.len()), Vec::new);
        for (of_trial, report) in runs.iter_mut().zip(round) {
            of_trial.push(report);
        }
    }
    runs.into_iter().filter_map(fold).collect()
}
