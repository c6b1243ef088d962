//! Turns: what one does with the calls that fall to it.

use std::time::Duration;

use super::super::{AnswerStatus, Cut, Turn, raw};
use super::{Check, Sent};
use crate::source::{Placed, Span};
use crate::term::Place;

impl Check<'_> {
    /// A turn.
    pub(super) fn turn(&self, raw: &Placed<raw::Turn>, sent: Sent) -> Turn {
        let written = &raw.value;
        let answer = written.answer.as_ref().map(|a| self.answer(a));
        let cut = written.cut.as_ref().map(|c| self.cut(&c.value));
        if let (Some(raw), Some(cut)) = (&written.cut, cut) {
            self.fits(written, raw, cut.at, sent);
            if let Some(answer) = answer.as_ref().filter(|a| a.status != AnswerStatus::Stored) {
                self.within_answer(answer, cut.at, raw.value.at.span);
            }
        }
        self.early(written, cut.map(|c| c.at), sent);
        self.does_something(raw);
        self.raw_alone(written, cut);
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

    /// Raw bytes stand in place of an answer, are sent whole, and end with the connection.
    fn raw_alone(&self, turn: &raw::Turn, cut: Option<Cut>) {
        let Some(raw) = &turn.raw else { return };
        if raw.value.is_empty() {
            let label = "to close without a byte, cut at `before_answer`";
            self.problems.say(raw.span, "there are no bytes to send", label);
        }
        if let Some(answer) = &turn.answer {
            self.against_raw(answer.span, "`raw` stands in place of an answer", raw.span);
        }
        let (Some(written), Some(cut)) = (&turn.cut, cut) else {
            return;
        };
        match cut.at {
            Place::AfterAnswer | Place::Idle(_) => {}
            Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer => {
                self.against_raw(written.span, "after this cut no bytes are sent", raw.span);
            }
            Place::StatusLine(_) | Place::Headers(_) | Place::Body(_) => {
                self.against_raw(
                    written.span,
                    "raw bytes have no parts: write fewer of them",
                    raw.span,
                );
            }
        }
    }

    fn against_raw(&self, span: Span, message: &str, raw: Span) {
        self.problems.add(
            self.problems
                .at(span, message)
                .labelled("this or `raw`, not both")
                .beside(raw, "raw bytes"),
        );
    }
}
