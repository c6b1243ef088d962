//! What the author expects.

use std::sync::Arc;

use super::super::raw;
use super::super::{Counts, Expect, StopExpect};
use super::Check;
use crate::source::{Placed, nearest};
use crate::term::StopReason;

impl Check<'_> {
    pub(super) fn expect(&self, raw: &raw::Expect) -> Expect {
        Expect {
            stop: raw
                .stop
                .iter()
                .filter_map(|(reason, bound)| {
                    Some(StopExpect {
                        reason: self.stop_reason(reason)?,
                        bound: self.bound(bound),
                        span: reason.span,
                    })
                })
                .collect(),
            dependencies: raw
                .dependencies
                .iter()
                .map(|(name, counts)| self.counts(name, counts))
                .collect(),
        }
    }

    fn stop_reason(&self, word: &Placed<String>) -> Option<StopReason> {
        let words = StopReason::ALL.map(StopReason::word);
        let found = StopReason::ALL.into_iter().find(|r| r.word() == word.value);
        if found.is_none() {
            self.problems.add(
                self.problems
                    .at(word.span, format!("unknown stop reason `{}`", word.value))
                    .labelled("not a reason to stop")
                    .instead(nearest(&word.value, words))
                    .hint(format!("expected one of: {}", words.join(", "))),
            );
        }
        found
    }

    fn counts(&self, name: &Placed<String>, raw: &raw::Counts) -> Counts {
        self.known_dependency(&name.value, name.span);
        let bound = |b: &Option<Placed<raw::Bound>>| b.as_ref().map(|b| self.bound(b));
        let counts = Counts {
            name: Arc::from(name.value.as_str()),
            calls: bound(&raw.calls),
            delivered: bound(&raw.delivered),
            acknowledged: bound(&raw.acknowledged),
            span: name.span,
        };
        let all = [
            &raw.calls,
            &raw.delivered,
            &raw.acknowledged,
            &raw.peak_retries_per_tick,
        ];
        if all.iter().all(|b| b.is_none()) {
            let label = "`calls`, `delivered` or `acknowledged`";
            self.problems.say(name.span, "nothing is expected here", label);
        }
        counts
    }
}
