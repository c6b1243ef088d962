//! Early answers: whether there is anything to be early for.

use super::super::raw;
use super::{Check, Sent};
use crate::term::{Effect, Place};

impl Check<'_> {
    /// Reports an early answer that does not fit its turn. It comes when the request's head was read: nothing can
    /// have had an effect, and there has to be a body that is still on its way.
    pub(super) fn early(&self, raw: &raw::Turn, cut: Option<Place>, sent: Sent) {
        let answer = raw.answer.as_ref();
        let Some(early) = answer.and_then(|a| a.value.early.as_ref()).filter(|e| e.value) else {
            return;
        };
        if let Some(effect) = raw.effect.as_ref().filter(|e| e.value != Effect::None) {
            self.problems.add(
                self.problems
                    .at(effect.span, "nothing was read that could have an effect")
                    .labelled("the whole request comes first")
                    .beside(early.span, "answered before that")
                    .hint("answer in time, or leave `effect` out"),
            );
        }
        if let Some(key) = raw.when.as_ref().and_then(|w| w.value.key.as_ref()) {
            self.problems.add(
                self.problems
                    .at(
                        key.span,
                        "what a key stands for is known when the whole request was read",
                    )
                    .labelled("this turn is not decided before")
                    .beside(early.span, "answered before that"),
            );
        }
        if sent.longest_body.is_none() {
            self.problems.say(
                early.span,
                "no operation sends a body here",
                "nothing to be early for",
            );
        }
        if let (Some(Place::Idle(_)), Some(cut)) = (cut, &raw.cut) {
            self.problems.add(
                self.problems
                    .at(cut.value.at.span, "a connection that uploads is not idle")
                    .labelled("never reached")
                    .beside(early.span, "answered while the body is on its way")
                    .hint("cut at `after_answer`"),
            );
        }
    }
}
