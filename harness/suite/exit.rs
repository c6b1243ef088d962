//! The exit status, exactly: it is part of the interface.

use crate::judge::Verdict;
use crate::report::{SuiteReport, TrialReport};

/// How the program ends. The numbers are a promise to scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// No trial failed.
    Fine = 0,
    /// A trial failed, passed unexpectedly or proved nothing, or an entry of `expected` matches nothing.
    Failed = 1,
    /// Wrong usage or a bad file; nothing ran.
    Usage = 2,
    /// The harness or the client could not run.
    CouldNotRun = 3,
    /// Nothing was selected, or everything was skipped.
    Nothing = 4,
    /// Interrupted by the user; the report is written.
    Interrupted = 130,
}

/// The exit status that a report deserves.
pub fn exit(report: &SuiteReport) -> Exit {
    if report.interrupted {
        return Exit::Interrupted;
    }
    let ran: Vec<_> = report.trials.iter().filter(|t| t.verdict != Verdict::Skipped).collect();
    if could_not_run(&ran) {
        return Exit::CouldNotRun;
    }
    if !report.stale.is_empty() || ran.iter().any(|trial| failed(trial)) {
        return Exit::Failed;
    }
    match ran.is_empty() {
        true => Exit::Nothing,
        false => Exit::Fine,
    }
}

/// A client that never made a call and never gave a result was not tried, whatever the verdicts say.
fn could_not_run(ran: &[&TrialReport]) -> bool {
    let silent = !ran.is_empty() && !ran.iter().any(|t| t.client_did_something());
    silent || ran.iter().any(|t| t.verdict == Verdict::HarnessError)
}

fn failed(trial: &TrialReport) -> bool {
    match trial.verdict {
        Verdict::Fail | Verdict::UnexpectedPass => true,
        Verdict::Inconclusive => trial.known.is_none(),
        Verdict::Pass
        | Verdict::Noted
        | Verdict::Warn
        | Verdict::Skipped
        | Verdict::ExpectedFail
        | Verdict::HarnessError => false,
    }
}
