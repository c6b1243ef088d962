//! Turns: what one does with the calls that fall to it.

use std::time::Duration;

use super::super::{Turn, raw};
use super::{Check, Sent};
use crate::source::Placed;

impl Check<'_> {
    /// A turn.
    pub(super) fn turn(&self, raw: &Placed<raw::Turn>, sent: Sent) -> Turn {
        let written = &raw.value;
        let answer = written.answer.as_ref().map(|a| self.answer(a));
        let cut = written.cut.as_ref().map(|c| self.cut(&c.value));
        if let (Some(raw), Some(cut)) = (&written.cut, cut) {
            self.fits(written, raw, cut.at, sent);
            if let Some(answer) = &answer {
                self.within_answer(answer, cut.at, raw.value.at.span);
            }
        }
        self.does_something(raw);
        self.raw_alone(written);
        Turn {
            times: self.times(written),
            when: written.when.as_ref().map(|w| self.when(w)),
            takes: written
                .takes
                .as_ref()
                .map_or(Duration::ZERO, |d| self.problems.duration(d)),
            effect: written.effect.as_ref().map(|e| e.value).unwrap_or_default(),
            answer,
            cut,
            raw: written.raw.as_ref().map(|r| r.value.clone().into_bytes()),
            span: self.problems.source().snug(raw.span),
        }
    }

    fn times(&self, raw: &raw::Turn) -> Option<u32> {
        let times = raw.times.as_ref()?;
        if times.value == 0 {
            self.problems
                .say(times.span, "no call ever falls to this turn", "at least 1");
        }
        Some(times.value)
    }

    fn does_something(&self, raw: &Placed<raw::Turn>) {
        let turn = &raw.value;
        if turn.answer.is_none() && turn.cut.is_none() && turn.raw.is_none() {
            self.problems.add(
                self.problems
                    .at(raw.span, "this turn neither answers nor cuts")
                    .labelled("what does the client meet?")
                    .hint("add `answer: {status: 503}`, or `cut: {at: before_answer, by: hang}` for silence"),
            );
        }
    }

    /// Raw bytes stand in place of an answer, and end with the connection.
    fn raw_alone(&self, turn: &raw::Turn) {
        let Some(raw) = &turn.raw else { return };
        let others = [
            turn.answer
                .as_ref()
                .map(|a| (a.span, "`raw` stands in place of an answer")),
            turn.cut
                .as_ref()
                .map(|c| (c.span, "`raw` closes the connection after its bytes")),
        ];
        for (span, message) in others.into_iter().flatten() {
            self.problems.add(
                self.problems
                    .at(span, message)
                    .labelled("this or `raw`, not both")
                    .beside(raw.span, "raw bytes"),
            );
        }
        if raw.value.is_empty() {
            let label = "to close without a byte, cut at `before_answer`";
            self.problems.say(raw.span, "there are no bytes to send", label);
        }
    }
}
