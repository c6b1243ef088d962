//! Several clients, or one under several policies, in the same trials: side by side, row by row.

mod markdown;
mod row;

use super::model::{SuiteReport, TrialReport};
use crate::judge::{Figures, Verdict};

pub use markdown::comparison_markdown;
#[cfg(feature = "cli")]
pub(super) use markdown::over;
pub(super) use row::{Row, over_all, rows_of};

/// Who is compared: a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The column's name; no two are alike.
    pub name: String,
    /// The file of the policy that it was handed, if it was handed one.
    pub policy: Option<String>,
}

/// The same trials under several subjects.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The columns, in order.
    pub subjects: Vec<Subject>,
    /// What each of them did, in the same order.
    pub reports: Vec<SuiteReport>,
}

/// One trial in every column.
pub(super) struct Side<'a> {
    /// What each subject did in it, in the order of the columns.
    pub each: Vec<&'a TrialReport>,
}

impl Comparison {
    /// The trials that every report holds, in the order of the first.
    pub(super) fn trials(&self) -> Vec<Side<'_>> {
        let first = self.reports.first().map_or(&[][..], |report| &report.trials);
        let side = |trial: &TrialReport| {
            let same = |report: &'_ SuiteReport| report.trials.iter().position(|t| t.trial == trial.trial);
            let each = self
                .reports
                .iter()
                .map(|report| same(report).map(|i| &report.trials[i]));
            Some(Side {
                each: each.collect::<Option<Vec<_>>>()?,
            })
        };
        first.iter().filter_map(side).collect()
    }

    /// The figures of each subject, over the trials that all of them played with as many operations; and how many
    /// trials those are. Sums over unlike trials would compare nothing.
    pub(super) fn figures(&self) -> (usize, Vec<Figures>) {
        let mut sums = vec![Figures::default(); self.reports.len()];
        let trials = self.trials();
        let alike = trials.iter().filter(|side| side.is_comparable());
        let mut n = 0;
        for side in alike {
            n += 1;
            for (sum, trial) in sums.iter_mut().zip(&side.each) {
                sum.add(&trial.figures);
            }
        }
        (n, sums)
    }
}

impl Side<'_> {
    /// What is the same in every column: the first's.
    pub(super) fn common(&self) -> Option<&TrialReport> {
        self.each.first().copied()
    }

    fn is_comparable(&self) -> bool {
        let asked = self.common().map_or(0, |first| first.counts.operations);
        let as_many = |trial: &&TrialReport| played(trial) && trial.counts.operations == asked;
        self.each.iter().all(as_many)
    }
}

/// Whether a trial was played to its end, so that what was counted in it can be held against another.
pub(super) fn played(trial: &TrialReport) -> bool {
    let judged = match trial.verdict {
        Verdict::Pass
        | Verdict::Noted
        | Verdict::Warn
        | Verdict::Fail
        | Verdict::ExpectedFail
        | Verdict::UnexpectedPass
        | Verdict::Inconclusive => true,
        Verdict::Skipped | Verdict::HarnessError => false,
    };
    judged && !trial.not_run && !trial.evidence.interrupted
}
