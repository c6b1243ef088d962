//! Bounds on counts.

use super::super::raw;
use super::super::{Bound, PolicyNumber};
use super::Check;
use crate::source::Placed;

/// The words that may stand behind `policy`.
const POLICY: [&str; 1] = ["attempts"];

impl Check<'_> {
    /// A bound on what was counted.
    pub(super) fn bound(&self, raw: &Placed<raw::Bound>) -> Bound {
        let within = match &raw.value {
            raw::Bound::Exactly(n) => return Bound::Exactly(*n),
            raw::Bound::Within(within) => within,
        };
        let numbers = (within.at_least, within.at_most);
        match (&within.policy, numbers) {
            (Some(policy), (None, None)) => return self.policy(policy),
            (Some(policy), _) => {
                let label = "the client's number, or yours";
                self.problems.say(policy.span, "`policy` stands alone", label);
            }
            (None, (None, None)) => {
                self.problems.say(
                    raw.span,
                    "this bound says nothing",
                    "`at_least`, `at_most` or `policy`",
                );
            }
            (None, (Some(least), Some(most))) if least > most => {
                self.problems.say(
                    raw.span,
                    format!("nothing is at least {least} and at most {most}"),
                    "no number is",
                );
            }
            (None, _) => {}
        }
        Bound::Between {
            at_least: within.at_least,
            at_most: within.at_most,
        }
    }

    /// A bound on an ordinal that counts from 1, known without any client's policy.
    pub(super) fn ordinal(&self, raw: &Placed<raw::Bound>) -> Bound {
        let bound = self.bound(raw);
        match bound {
            Bound::Policy(_) => self.problems.say(
                raw.span,
                "the script is played before any promise is known",
                "a number, not a policy",
            ),
            Bound::Exactly(0) | Bound::Between { at_most: Some(0), .. } => {
                self.problems
                    .say(raw.span, "this is counted from 1", "never holds");
            }
            Bound::Exactly(_) | Bound::Between { .. } => {}
        }
        bound
    }

    fn policy(&self, policy: &Placed<String>) -> Bound {
        if !POLICY.contains(&policy.value.as_str()) {
            self.problems.add(
                self.problems
                    .at(policy.span, format!("a policy has no number `{}`", policy.value))
                    .labelled("expected `attempts`")
                    .instead(self.problems.nearest(&policy.value, POLICY)),
            );
        }
        Bound::Policy(PolicyNumber::Attempts)
    }
}
