//! Promises.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::raw;
use super::Check;
use crate::promise::{
    Above, BackoffPromise, BudgetWords, OptOut, PROFILES, Profile, Promises, PushbackPromise, Retries,
    profile,
};
use crate::source::{Placed, Source, nearest, read_yaml};

/// The promises that can be documented under `from`.
const DOCUMENTED: [&str; 17] = [
    "attempts",
    "attempt_timeout",
    "retries",
    "pushback",
    "backoff",
    "budget",
    "breaker",
    "deadline",
    "key",
    "quotes_keys",
    "hedges",
    "one_at_a_time",
    "prompt",
    "never_repeats_unsafe",
    "claims_ok_on",
    "repeats_unsafe_on",
    "opts_out",
];

impl Check<'_> {
    pub(super) fn promises(&self, written: &raw::Promises) -> Promises {
        let raw = &self.with_profile(written);
        if let Some(attempts) = raw.attempts.as_ref().filter(|a| a.value == 0) {
            let label = "attempts in all, the first included";
            self.problems
                .say(attempts.span, "no client makes 0 attempts", label);
        }
        Promises {
            attempts: raw.attempts.as_ref().map(|a| a.value),
            attempt_timeout: raw
                .attempt_timeout
                .as_ref()
                .map(|t| self.problems.positive_duration(t)),
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
            backoff: raw.backoff.as_ref().map(|b| self.backoff(b)),
            budget: raw.budget.as_ref().map(|b| BudgetWords::read(b, self.problems)),
            breaker: raw.breaker.as_ref().map(|b| b.read(self.problems)),
            deadline: raw.deadline.unwrap_or(false),
            key: raw.key.unwrap_or(false),
            quotes_keys: raw.quotes_keys.unwrap_or(false),
            hedges: raw.hedges.unwrap_or(false),
            one_at_a_time: raw.one_at_a_time.unwrap_or(false),
            prompt: raw.prompt.unwrap_or(false),
            never_repeats_unsafe: raw.never_repeats_unsafe.unwrap_or(false),
            claims_ok_on: self.statuses(raw.claims_ok_on.as_deref().unwrap_or_default()),
            repeats_unsafe_on: self.statuses(raw.repeats_unsafe_on.as_deref().unwrap_or_default()),
            opts_out: raw.opts_out.iter().flatten().map(|o| self.opt_out(o)).collect(),
            from: self.from(raw),
        }
    }

    /// What is written, over the profile that it names.
    fn with_profile(&self, written: &raw::Promises) -> raw::Promises {
        let own = written.clone();
        let Some(name) = &written.profile else {
            return own;
        };
        let base = profile(&name.value).and_then(read);
        if base.is_none() {
            let names = || PROFILES.iter().map(|p| p.name);
            self.problems.add(
                self.problems
                    .at(name.span, format!("there is no profile `{}`", name.value))
                    .labelled("not a profile of promises")
                    .instead(nearest(&name.value, names()))
                    .hint(format!(
                        "expected one of: {}",
                        names().collect::<Vec<_>>().join(", ")
                    )),
            );
        }
        own.over(base.unwrap_or_default())
    }

    fn statuses(&self, all: &[Placed<u16>]) -> Vec<u16> {
        all.iter().map(|s| self.status(s)).collect()
    }

    fn backoff(&self, raw: &raw::Backoff) -> BackoffPromise {
        let factor = raw.factor.value;
        if !(1.0..=1_000.0).contains(&factor) {
            let because = format!("a wait does not grow by a factor of {factor}");
            self.problems.say(raw.factor.span, because, "from 1 to 1000");
        }
        BackoffPromise {
            at_once: raw.at_once,
            base: self.problems.duration(&raw.base),
            // Rounded down: less is promised. What is out of bounds was refused, and a cast of it ends at a bound.
            factor_per_mille: (factor * 1_000.0) as u32,
            cap: self.problems.duration(&raw.cap),
            jitter: raw.jitter,
        }
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
                        .instead(self.problems.nearest(whole, DOCUMENTED))
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

/// A profile's promises; `None` would be a mistake in this crate, which a test finds.
fn read(profile: &Profile) -> Option<raw::Promises> {
    let source = Source::new(format!("profile:{}", profile.name), profile.promises);
    read_yaml(&Arc::new(source), &[]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{Client, load};
    use crate::source::{Problem, render};

    fn client(promises: &str) -> Result<Client, Vec<Problem>> {
        let text = format!(
            "version: 1\nname: c\ndriver: {{exec: {{command: [c, '{{url}}']}}}}\npromises: {promises}\n"
        );
        load(Arc::new(Source::new("client.yaml", text)), None)
    }

    #[test]
    fn every_profile_can_be_named() {
        for profile in PROFILES {
            let named = client(&format!("{{profile: {}}}", profile.name)).expect("it is valid");
            let silent = named.promises == Promises::default();
            assert_eq!(silent, profile.promises == "{}\n", "{}", profile.name);
        }
    }

    #[test]
    fn own_lines_override_the_profile() {
        let promises = client("{profile: rfc-only, never_repeats_unsafe: false, attempts: 2}")
            .expect("it is valid")
            .promises;
        assert_eq!(
            (promises.attempts, promises.never_repeats_unsafe),
            (Some(2), false)
        );
        assert_eq!(
            promises.pushback.expect("from the profile").honours,
            [413, 429, 503]
        );
    }

    #[test]
    fn a_misspelt_profile_is_answered_with_the_nearest() {
        let problems = client("{profile: aws-standard-2062}").expect_err("there is none");
        let said = render(&problems, false);
        assert!(said.contains("there is no profile `aws-standard-2062`"), "{said}");
        assert!(said.contains("aws-standard-2026"), "{said}");
    }
}
