//! Promises.

use std::collections::BTreeMap;

use super::super::raw;
use super::Check;
use crate::promise::{Above, BudgetPromise, OptOut, Promises, PushbackPromise, Retries};
use crate::source::{Placed, nearest};

/// The promises that can be documented under `from`.
const DOCUMENTED: [&str; 13] = [
    "attempts",
    "retries",
    "pushback",
    "budget",
    "deadline",
    "key",
    "hedges",
    "one_at_a_time",
    "prompt",
    "never_repeats_unsafe",
    "claims_ok_on",
    "repeats_unsafe_on",
    "opts_out",
];

impl Check<'_> {
    pub(super) fn promises(&self, raw: &raw::Promises) -> Promises {
        if let Some(attempts) = raw.attempts.as_ref().filter(|a| a.value == 0) {
            let label = "attempts in all, the first included";
            self.problems
                .say(attempts.span, "no client makes 0 attempts", label);
        }
        Promises {
            attempts: raw.attempts.as_ref().map(|a| a.value),
            retries: raw.retries.as_ref().map(|r| Retries {
                statuses: r.statuses.as_ref().map(|all| self.statuses(all)),
                failures: r.failures.clone(),
                methods: r
                    .methods
                    .as_ref()
                    .map(|all| all.iter().map(|m| self.method(m)).collect()),
            }),
            pushback: raw.pushback.as_ref().map(|p| PushbackPromise {
                honours: self.statuses(&p.honours.value),
                forms: p.forms.value.clone(),
                above: p.above.as_ref().map(|a| Above {
                    limit: self.problems.duration(&a.limit),
                    then: a.then,
                }),
            }),
            budget: raw.budget.as_ref().map(|b| BudgetPromise {
                initial: b.initial,
                cap: b.cap,
                earn_per_mille: b.earn_per_mille,
            }),
            deadline: raw.deadline,
            key: raw.key,
            hedges: raw.hedges,
            one_at_a_time: raw.one_at_a_time,
            prompt: raw.prompt,
            never_repeats_unsafe: raw.never_repeats_unsafe,
            claims_ok_on: self.statuses(&raw.claims_ok_on),
            repeats_unsafe_on: self.statuses(&raw.repeats_unsafe_on),
            opts_out: raw.opts_out.iter().map(|o| self.opt_out(o)).collect(),
            from: self.from(raw),
        }
    }

    fn statuses(&self, all: &[Placed<u16>]) -> Vec<u16> {
        all.iter().map(|s| self.status(s)).collect()
    }

    fn opt_out(&self, raw: &raw::OptOut) -> OptOut {
        self.known_check(&raw.check);
        self.not_empty(&raw.because, "opting out needs a reason");
        OptOut {
            check: raw.check.value.clone(),
            because: raw.because.value.clone(),
            see: raw.see.clone(),
        }
    }

    /// Where promises are documented: `attempts`, or a part such as `retries.statuses`.
    fn from(&self, raw: &raw::Promises) -> BTreeMap<String, String> {
        for (name, _) in raw.from.iter() {
            let whole = name.value.split('.').next().unwrap_or_default();
            if !DOCUMENTED.contains(&whole) {
                self.problems.add(
                    self.problems
                        .at(name.span, format!("there is no promise `{}`", name.value))
                        .labelled("not a promise that could be documented")
                        .instead(nearest(whole, DOCUMENTED))
                        .hint(format!("expected one of: {}", DOCUMENTED.join(", "))),
                );
            }
        }
        raw.from
            .iter()
            .map(|(name, url)| (name.value.clone(), url.value.clone()))
            .collect()
    }
}
