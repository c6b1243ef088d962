//! Known findings.

use super::super::raw;
use super::Check;
use crate::promise::{ExpectedEntry, ExpectedMatch};
use crate::source::Placed;

impl Check<'_> {
    pub(super) fn expected(&self, raw: &Placed<raw::Expected>) -> Option<ExpectedEntry> {
        let entry = &raw.value;
        self.not_empty(&entry.because, "a known finding needs a reason");
        Some(ExpectedEntry {
            matches: self.matches(raw)?,
            because: entry.because.value.clone(),
            see: entry.see.clone(),
            span: raw.span,
            place: self.problems.source().place(raw.span),
        })
    }

    fn matches(&self, raw: &Placed<raw::Expected>) -> Option<ExpectedMatch> {
        let entry = &raw.value;
        let scenario = entry.scenario.as_ref().map(|s| s.value.clone());
        match (&entry.check, &entry.verdict, scenario) {
            (Some(check), None, scenario) => {
                self.known_check(check);
                Some(ExpectedMatch::Finding {
                    check: check.value.clone(),
                    scenario,
                })
            }
            (None, Some(_), Some(scenario)) => Some(ExpectedMatch::Inconclusive { scenario }),
            (None, Some(verdict), None) => {
                let message = "which scenario is inconclusive?";
                self.problems
                    .say(verdict.span, message, "`scenario` belongs beside it");
                None
            }
            (Some(_), Some(verdict), _) => {
                let message = "an entry lists a finding or a trial, not both";
                self.problems.say(verdict.span, message, "`check` or `verdict`");
                None
            }
            (None, None, _) => {
                self.problems.say(
                    raw.span,
                    "this entry matches nothing",
                    "`check`, or `verdict: inconclusive`",
                );
                None
            }
        }
    }
}
