//! Scripts: the one rule for turns.
//!
//! A call takes the first turn whose `when` holds and whose `times` is not used up. The last turn has neither, so the
//! end is explicit, and every turn before it has one of them, so each can be reached.

use std::time::Duration;

use super::super::raw;
use super::super::{Turn, plain_success};
use super::{Check, Sent};
use crate::source::{Placed, Span};
use crate::term::Effect;

impl Check<'_> {
    /// The turns of a written script.
    pub(super) fn script(&self, raw: &Placed<Vec<Placed<raw::Turn>>>, sent: Sent) -> Vec<Turn> {
        let turns = &raw.value;
        let Some((last, before)) = turns.split_last() else {
            self.problems.add(
                self.problems
                    .at(raw.span, "a script without a turn says nothing")
                    .labelled("no turn")
                    .hint("leave `script` out: the dependency then answers 200 and counts"),
            );
            return Vec::new();
        };
        for (turn, next) in before.iter().zip(&turns[1..]) {
            self.can_be_passed(turn, next);
        }
        self.has_no_end(last);
        turns.iter().map(|t| self.turn(t, sent)).collect()
    }

    fn can_be_passed(&self, turn: &Placed<raw::Turn>, next: &Placed<raw::Turn>) {
        if turn.value.times.is_none() && turn.value.when.is_none() {
            self.problems.add(
                self.problems
                    .at(turn.span, "every call falls to this turn")
                    .labelled("neither `times` nor `when`")
                    .beside(next.span, "never reached")
                    .hint("say how often: `times: 1`"),
            );
        }
    }

    fn has_no_end(&self, last: &Placed<raw::Turn>) {
        let times = last.value.times.as_ref().map(|t| t.span);
        let when = last.value.when.as_ref().map(|w| w.span);
        if let Some(span) = times.or(when) {
            self.problems.add(
                self.problems
                    .at(span, "what after this turn?")
                    .labelled("some calls do not fall to it")
                    .hint("the last turn has neither `times` nor `when`: every further call falls to it"),
            );
        }
    }
}

/// The one turn of a dependency without a script: it answers at once, and counts.
pub(super) fn healthy(span: Span) -> Turn {
    Turn {
        times: None,
        when: None,
        takes: Duration::ZERO,
        effect: Effect::Applied,
        answer: Some(plain_success().clone()),
        cut: None,
        raw: None,
        span,
    }
}
