//! Judging saved evidence again: scenario and evidence determine the verdict.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::conclude::{Frame, be_strict, conclude, versions};
use super::expected::{self, Elsewhere};
use super::rounds::fold;
use crate::evidence::Evidence;
use crate::record::{Header, Recorded};
use crate::report::{SuiteReport, TrialReport};
use crate::scenario::{self, Trial};
use crate::source::Problem;
use crate::term::Stamp;

/// Judges the trials of one run that were read back from their evidence, each with the path of its file.
///
/// Evidence of one trial's several runs is folded as the run itself does it. The client's list of known findings is
/// applied as far as the evidence tells what the run was made of.
///
/// # Errors
/// The scenario in a file is not valid for this version of retrial, or has no such trial.
pub fn judge_again(recorded: &[(String, Recorded)], strict: bool) -> Result<SuiteReport, Vec<Problem>> {
    let (mut reports, mut siblings) = (Vec::new(), BTreeSet::new());
    for (path, recorded) in recorded {
        let trials = trials_of(&recorded.header)?;
        siblings.extend(trials.iter().map(|t| t.id.clone()));
        reports.push(one(recorded, path, &trials)?);
    }
    let client_versions = versions(reports.iter());
    let header = recorded.first().map(|(_, recorded)| &recorded.header);
    let entries = header.map_or(&[][..], |header| &header.expected);
    let listed = expected::mark(entries, reports.iter_mut());
    if strict {
        be_strict(&mut reports);
    }
    let mut trials = by_trial(reports);
    // Trials of the same scenarios without evidence: deselected, skipped, or their files are not among these.
    let there: BTreeSet<_> = trials.iter().map(|t| t.trial.clone()).collect();
    let deselected: Vec<_> = siblings.difference(&there).cloned().collect();
    let all_there = header.is_some_and(|header| header.run.whole && header.run.trials == there.len());
    let elsewhere = Elsewhere {
        trials: &deselected,
        others: !all_there,
    };
    let stale = expected::settle(&listed, &mut trials, elsewhere);
    Ok(SuiteReport {
        harness: env!("CARGO_PKG_VERSION").to_owned(),
        client: header.map_or_else(String::new, |header| header.client.clone()),
        client_versions,
        seed: header.map(|header| header.seed),
        trials,
        expected: listed,
        stale,
        deselected: Vec::new(),
        shard: None,
        missing: Vec::new(),
        snapshots: Vec::new(),
        // The run may have been interrupted; its judging was not.
        interrupted: false,
    })
}

/// One report a trial, in the order in which trials first appear.
fn by_trial(reports: Vec<TrialReport>) -> Vec<TrialReport> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut runs: Vec<Vec<TrialReport>> = Vec::new();
    for report in reports {
        let place = *places.entry(report.trial.clone()).or_insert(runs.len());
        if place == runs.len() {
            runs.push(Vec::new());
        }
        runs[place].push(report);
    }
    runs.into_iter().filter_map(fold).collect()
}

fn trials_of(header: &Header) -> Result<Vec<Trial>, Vec<Problem>> {
    let mut trials = scenario::load(Arc::new(header.source.clone()), &header.scenario)?;
    // A policy that was tried stands in no scenario.
    if let Some(given) = &header.given {
        trials = trials
            .into_iter()
            .map(|trial| trial.under(given.clone()))
            .collect();
    }
    Ok(trials)
}

fn one(recorded: &Recorded, path: &str, trials: &[Trial]) -> Result<TrialReport, Vec<Problem>> {
    let header = &recorded.header;
    let Some(trial) = trials.iter().find(|t| t.id == header.trial) else {
        let message = format!("the scenario in the evidence makes no trial {}", header.trial);
        return Err(vec![Problem::whole(&Arc::new(header.source.clone()), message)]);
    };
    let mut evidence = Evidence::of(&recorded.facts);
    // What is missing may be what would clear the client.
    evidence.interrupted |= recorded.broke_off;
    let frame = Frame {
        trial,
        time: header.time,
        left_out: &header.left_out,
        repeat: header.repeat.clone(),
        took: evidence.watch_ended.unwrap_or_default().since(Stamp::ZERO),
        evidence_file: Some(path.to_owned()),
    };
    let mut report = conclude(frame, &header.promises, &header.can, evidence);
    if recorded.broke_off {
        report
            .remarks
            .push("the trial broke off: its evidence ends before its end".to_owned());
    }
    Ok(report)
}
