//! Judging saved evidence again: scenario and evidence determine the verdict.

use std::sync::Arc;

use super::conclude::{Frame, be_strict, conclude};
use crate::evidence::Fact;
use crate::record::Recorded;
use crate::report::TrialReport;
use crate::scenario;
use crate::source::Problem;
use crate::term::Stamp;

/// Judges a trial that was read back from its evidence file `path`.
///
/// # Errors
/// The scenario in the file is not valid for this version of retrial, or has no such trial.
pub fn judge_again(recorded: &Recorded, path: &str, strict: bool) -> Result<TrialReport, Vec<Problem>> {
    let header = &recorded.header;
    let source = Arc::new(header.source.clone());
    let trials = scenario::load(Arc::clone(&source), &header.scenario)?;
    let Some(trial) = trials.iter().find(|t| t.id == header.trial) else {
        let message = format!("the scenario in the evidence makes no trial {}", header.trial);
        return Err(vec![Problem::whole(&source, message)]);
    };
    let frame = Frame {
        trial,
        left_out: &header.left_out,
        repeat: header.repeat.clone(),
        took: end(&recorded.facts).since(Stamp::ZERO),
        evidence_file: Some(path.to_owned()),
    };
    let mut report = conclude(frame, &header.promises, &header.can, &recorded.facts);
    if recorded.broke_off {
        report
            .remarks
            .push("the trial broke off: its evidence ends before its end".to_owned());
    }
    if strict {
        be_strict(std::slice::from_mut(&mut report));
    }
    Ok(report)
}

/// When the watch for late calls ended; the epoch where it never did.
fn end(facts: &[Fact]) -> Stamp {
    let ended = facts.iter().rev().find_map(|fact| match fact {
        Fact::WatchEnded { at } => Some(*at),
        _ => None,
    });
    ended.unwrap_or_default()
}
