//! What the author expects.

use std::sync::Arc;

use super::super::raw;
use super::super::{Counts, Expect, LayerExpect, StopExpect};
use super::Check;
use crate::source::Placed;
use crate::term::{LayerRole, StopReason};

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
            layers: raw
                .layers
                .iter()
                .filter_map(|(name, counts)| self.layer(name, counts))
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
                    .instead(self.problems.nearest(&word.value, words))
                    .hint(format!("expected one of: {}", words.join(", "))),
            );
        }
        found
    }

    /// `gateway` is the first gateway from the entry down, `gateway-2` the second.
    fn layer(&self, name: &Placed<String>, raw: &raw::Counts) -> Option<LayerExpect> {
        let bound = |b: &Option<Placed<raw::Bound>>| b.as_ref().map(|b| self.bound(b));
        for at_a_dependency in [&raw.delivered, &raw.peak_retries_per_tick].into_iter().flatten() {
            let message = "this is counted at a dependency, not at a layer";
            self.problems
                .say(at_a_dependency.span, message, "`calls` or `acknowledged`");
        }
        if raw.calls.is_none() && raw.acknowledged.is_none() {
            let label = "`calls` or `acknowledged`";
            self.problems.say(name.span, "nothing is expected here", label);
        }
        let Some((role, nth)) = layer_named(&name.value) else {
            let message = format!("`{}` is not a layer", name.value);
            let label = "`gateway` or `service`; `service-2` is the second from the entry down";
            self.problems.say(name.span, message, label);
            return None;
        };
        Some(LayerExpect {
            role,
            nth,
            calls: bound(&raw.calls),
            acknowledged: bound(&raw.acknowledged),
            span: name.span,
        })
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

fn layer_named(name: &str) -> Option<(LayerRole, usize)> {
    let (word, nth) = match name.split_once('-') {
        None => (name, 1),
        Some((word, nth)) => (word, nth.parse().ok().filter(|n| *n > 1)?),
    };
    let roles = [LayerRole::Gateway, LayerRole::Service];
    let role = roles.into_iter().find(|role| role.word() == word)?;
    Some((role, nth))
}
