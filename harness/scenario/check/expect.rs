//! What the author expects.

use std::sync::Arc;

use super::super::raw;
use super::super::{Bound, Counts, Expect, LayerExpect, StopExpect, TicksExpect};
use super::Check;
use crate::source::{Entries, Placed};
use crate::term::{LayerRole, StopReason};

impl Check<'_> {
    pub(super) fn expect(&self, raw: &raw::Expect) -> Expect {
        Expect {
            stop: self.stops(&raw.stop),
            dependencies: self.all_counts(&raw.dependencies),
            layers: raw
                .layers
                .iter()
                .filter_map(|(name, counts)| self.layer(name, counts))
                .collect(),
            ticks: self.all_ticks(&raw.ticks),
            given: raw.given.as_ref().map(|g| Box::new(self.of_policy(g))),
        }
    }

    fn of_policy(&self, raw: &Placed<raw::OfPolicy>) -> Expect {
        if self.raw.given.is_none() {
            let message = "no policy is handed over in this scenario";
            self.problems
                .say(raw.span, message, "`given` above hands one over");
        }
        let expect = Expect {
            stop: self.stops(&raw.value.stop),
            dependencies: self.all_counts(&raw.value.dependencies),
            ticks: self.all_ticks(&raw.value.ticks),
            ..Expect::default()
        };
        if expect == Expect::default() {
            let label = "`stop`, `dependencies` or `ticks`";
            self.problems.say(raw.span, "nothing is expected here", label);
        }
        expect
    }

    fn stops(&self, raw: &Entries<Placed<raw::Bound>>) -> Vec<StopExpect> {
        let read = |(reason, bound): &(Placed<String>, Placed<raw::Bound>)| {
            Some(StopExpect {
                reason: self.stop_reason(reason)?,
                bound: self.bound(bound),
                span: reason.span,
            })
        };
        raw.iter().filter_map(read).collect()
    }

    fn all_ticks(&self, raw: &Entries<raw::Ticks>) -> Vec<TicksExpect> {
        raw.iter().map(|(name, ticks)| self.ticks(name, ticks)).collect()
    }

    fn all_counts(&self, raw: &Entries<raw::Counts>) -> Vec<Counts> {
        let all = raw.iter();
        all.map(|(name, counts)| self.counts(name, counts)).collect()
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
        if let Some(at_a_dependency) = &raw.delivered {
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

    fn ticks(&self, name: &Placed<String>, raw: &raw::Ticks) -> TicksExpect {
        self.known_dependency(&name.value, name.span);
        if raw.peak_calls.is_none() && raw.peak_retries.is_none() {
            let label = "`peak_calls` or `peak_retries`";
            self.problems.say(name.span, "nothing is expected here", label);
        }
        TicksExpect {
            name: Arc::from(name.value.as_str()),
            every: self.positive(&raw.every),
            peak_calls: self.peak(&raw.peak_calls),
            peak_retries: self.peak(&raw.peak_retries),
            span: name.span,
        }
    }

    fn peak(&self, raw: &Option<Placed<raw::Bound>>) -> Option<Bound> {
        let raw = raw.as_ref()?;
        let bound = self.bound(raw);
        if matches!(bound, Bound::Policy(_)) {
            let label = "a number, not a policy";
            self.problems
                .say(raw.span, "no client promises what comes in one tick", label);
        }
        Some(bound)
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
        let all = [&raw.calls, &raw.delivered, &raw.acknowledged];
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
