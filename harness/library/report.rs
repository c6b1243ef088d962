//! What a test sees of a run, and asserts.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::judge::{Grade, Level, Verdict};
use crate::report::{ReportedFinding, SuiteReport, TrialReport};
use crate::term::{CallId, StopReason, Time};

/// A run's report: in virtual time the same, byte for byte, whenever it is made.
///
/// It serialises without anything that differs from day to day, so that `insta::assert_json_snapshot!(report)` pins it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The client's name.
    pub client: String,
    /// Its trials, in the order of the scenario.
    pub trials: Vec<TrialSeen>,
}

/// One trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrialSeen {
    /// Its id.
    pub trial: String,
    /// The time it was played in.
    pub time: Time,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why, where no finding says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// How many operations ended for which reason.
    pub stop_reasons: BTreeMap<StopReason, u64>,
    /// What was counted at each dependency.
    pub dependencies: BTreeMap<String, DependencySeen>,
    /// What is not as it should be: notes, warnings and failures.
    pub findings: Vec<FindingSeen>,
}

/// What was counted at a dependency.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DependencySeen {
    /// Calls that arrived.
    pub calls: u64,
    /// Effects applied.
    pub delivered: u64,
    /// Calls that were acknowledged.
    pub acknowledged: u64,
    /// Calls for each operation.
    pub multiplier: f64,
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FindingSeen {
    /// The check's id; `retrial explain` says more of it.
    pub check: String,
    /// What it is worth.
    pub verdict: Grade,
    /// Where the requirement comes from.
    pub level: Level,
    /// What was found, in a sentence.
    pub because: String,
    /// The line of the scenario that asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The calls that show it.
    pub calls: Vec<CallId>,
    /// Where it is written.
    pub cites: Vec<String>,
}

impl Report {
    pub(super) fn of(report: &SuiteReport) -> Self {
        Report {
            client: report.client.clone(),
            trials: report.trials.iter().map(TrialSeen::of).collect(),
        }
    }

    pub(super) fn could_not_run(client: &str, because: &str) -> Self {
        let trial = TrialSeen {
            trial: "every trial".to_owned(),
            time: Time::Real,
            verdict: Verdict::HarnessError,
            because: Some(because.to_owned()),
            stop_reasons: BTreeMap::new(),
            dependencies: BTreeMap::new(),
            findings: Vec::new(),
        };
        Report {
            client: client.to_owned(),
            trials: vec![trial],
        }
    }

    /// Whether no trial failed, proved nothing, or could not be run, and not all were skipped. Warnings pass.
    pub fn passed(&self) -> bool {
        let skipped = |trial: &TrialSeen| trial.verdict == Verdict::Skipped;
        !self.trials.iter().all(skipped) && self.trials.iter().all(|trial| trial.passed() || skipped(trial))
    }

    /// What is not as it should be by this check, over all trials.
    pub fn findings_of(&self, check: &str) -> Vec<&FindingSeen> {
        let all = self.trials.iter().flat_map(|trial| &trial.findings);
        all.filter(|finding| finding.check == check).collect()
    }

    /// Fails the test where the client did not pass, and says why.
    ///
    /// # Panics
    /// Not every trial [passed](Report::passed).
    #[track_caller]
    pub fn assert_pass(&self) {
        assert!(self.passed(), "{self}");
    }
}

impl TrialSeen {
    fn of(report: &TrialReport) -> Self {
        let dependencies = report.counts.dependencies.iter().map(|(name, counts)| {
            let seen = DependencySeen {
                calls: counts.calls,
                delivered: counts.delivered,
                acknowledged: counts.acknowledged,
                multiplier: counts.multiplier_per_mille as f64 / 1000.0,
            };
            (name.clone(), seen)
        });
        let findings = report.findings.iter();
        let findings = findings.filter(|reported| reported.finding.grade > Grade::Pass);
        TrialSeen {
            trial: report.trial.clone(),
            time: report.time,
            verdict: report.verdict,
            because: report.because.clone(),
            stop_reasons: report.counts.stop_reasons.clone(),
            dependencies: dependencies.collect(),
            findings: findings.map(FindingSeen::of).collect(),
        }
    }

    fn passed(&self) -> bool {
        match self.verdict {
            Verdict::Pass | Verdict::Noted | Verdict::Warn | Verdict::ExpectedFail => true,
            Verdict::Fail
            | Verdict::Inconclusive
            | Verdict::Skipped
            | Verdict::UnexpectedPass
            | Verdict::HarnessError => false,
        }
    }
}

impl FindingSeen {
    fn of(reported: &ReportedFinding) -> Self {
        let finding = &reported.finding;
        FindingSeen {
            check: finding.check.clone(),
            verdict: finding.grade,
            level: finding.level,
            because: finding.because.clone(),
            place: reported.asked.as_ref().map(|asked| asked.place.clone()),
            calls: finding.calls.clone(),
            cites: finding.cites.clone(),
        }
    }
}

impl fmt::Display for Report {
    /// A line a trial, and one for each thing that is not as it should be.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} on trial:", self.client)?;
        for trial in &self.trials {
            writeln!(
                f,
                "  {} {} ({} time)",
                word(&trial.verdict),
                trial.trial,
                trial.time
            )?;
            if let Some(because) = &trial.because {
                writeln!(f, "    {because}")?;
            }
            for finding in &trial.findings {
                let place = finding.place.as_ref();
                let place = place.map_or_else(String::new, |place| format!(" ({place})"));
                let (grade, check) = (word(&finding.verdict), &finding.check);
                writeln!(f, "    {grade} {check}: {}{place}", finding.because)?;
            }
        }
        Ok(())
    }
}

/// The word that stands for it in every format.
fn word(of: &impl Serialize) -> String {
    let word = serde_json::to_value(of).unwrap_or_default();
    word.as_str().unwrap_or_default().to_owned()
}
