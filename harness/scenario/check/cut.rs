//! Cuts: whether what is cut is there to be cut.

use super::super::raw::{self, By, PlaceAt};
use super::super::{Answer, AnswerStatus, Cut, Framing};
use super::{Check, Sent};
use crate::source::{Placed, Span};
use crate::term::{CutBy, Effect, Place};

impl Check<'_> {
    /// A cut.
    pub(super) fn cut(&self, raw: &raw::Cut) -> Cut {
        let at = match &raw.at.value {
            PlaceAt::Accept => Place::Accept,
            PlaceAt::RequestHead => Place::RequestHead,
            PlaceAt::RequestBody(n) => Place::RequestBody(*n),
            PlaceAt::BeforeAnswer => Place::BeforeAnswer,
            PlaceAt::StatusLine(n) => Place::StatusLine(*n),
            PlaceAt::Headers(n) => Place::Headers(*n),
            PlaceAt::Body(n) => Place::Body(*n),
            PlaceAt::AfterAnswer => Place::AfterAnswer,
            PlaceAt::Idle(d) => Place::Idle(self.problems.duration(d)),
        };
        Cut {
            at,
            by: self.cut_by(&raw.by),
        }
    }

    fn cut_by(&self, raw: &Placed<By>) -> CutBy {
        let chosen = match raw.value {
            By::Varied => self
                .varied(&self.uses.cuts, self.choice.cut, "cuts", raw.span)
                .map_or(By::Fin, |c| c.value),
            written => written,
        };
        match chosen {
            By::Fin | By::Varied => CutBy::Fin,
            By::Rst => CutBy::Rst,
            By::Hang => CutBy::Hang,
        }
    }

    /// Reports a cut that does not fit its turn.
    pub(super) fn fits(&self, raw: &raw::Turn, cut: &Placed<raw::Cut>, at: Place, sent: Sent) {
        let span = cut.value.at.span;
        match at {
            Place::Accept | Place::RequestHead => {
                self.nothing_was_done(raw, span);
                self.nothing_is_answered(raw, span);
                self.nothing_is_known(raw, at, span);
            }
            Place::RequestBody(n) => {
                self.nothing_was_done(raw, span);
                self.nothing_is_answered(raw, span);
                self.within_request(n, span, sent);
            }
            Place::BeforeAnswer => self.nothing_is_answered(raw, span),
            Place::StatusLine(_)
            | Place::Headers(_)
            | Place::Body(_)
            | Place::AfterAnswer
            | Place::Idle(_) => {
                if raw.answer.is_none() && raw.raw.is_none() {
                    self.problems.add(
                        self.problems
                            .at(span, "there is no answer to cut here")
                            .labelled("this turn has no `answer`")
                            .hint("add one, or cut at `before_answer`"),
                    );
                }
            }
        }
    }

    fn nothing_was_done(&self, raw: &raw::Turn, cut: Span) {
        if let Some(effect) = raw.effect.as_ref().filter(|e| e.value != Effect::None) {
            self.problems.add(
                self.problems
                    .at(effect.span, "nothing was read that could have an effect")
                    .labelled("the whole request comes first")
                    .beside(cut, "cut before that")
                    .hint("cut at `before_answer`, or leave `effect` out"),
            );
        }
    }

    fn nothing_is_answered(&self, raw: &raw::Turn, cut: Span) {
        if let Some(answer) = &raw.answer {
            self.problems.add(
                self.problems
                    .at(answer.span, "this answer is never sent")
                    .labelled("leave it out")
                    .beside(cut, "cut before its first byte"),
            );
        }
    }

    /// At accept no request was read: no condition can be told.
    fn nothing_is_known(&self, raw: &raw::Turn, at: Place, cut: Span) {
        if let (Place::Accept, Some(when)) = (at, &raw.when) {
            self.problems.add(
                self.problems
                    .at(when.span, "at `accept` nothing is known of any call")
                    .labelled("no condition can be told")
                    .beside(cut, "cut before the request is read"),
            );
        }
    }

    fn within_request(&self, n: u64, span: Span, sent: Sent) {
        match sent.longest_body {
            None => self
                .problems
                .say(span, "no operation sends a body here", "never reached"),
            Some(longest) if n > longest => {
                let message = format!("the longest body that is sent here has {longest} bytes");
                self.problems.say(span, message, "never reached");
            }
            Some(_) => {}
        }
    }

    /// Reports a cut beyond what its answer holds.
    pub(super) fn within_answer(&self, answer: &Answer, at: Place, span: Span) {
        let length = answer.body.len();
        match at {
            Place::StatusLine(n) if n >= status_line(answer) => {
                let message = format!("the status line has {} bytes", status_line(answer));
                self.problems
                    .say(span, message, "nothing is left to cut; `headers: 0` comes next");
            }
            Place::Body(n) if n > length => {
                self.problems
                    .say(span, format!("the body has {length} bytes"), "never reached");
            }
            Place::Body(n) if n == length && answer.framing == Framing::Sized => {
                let message = format!("the body has {length} bytes, and then the answer is whole");
                self.problems
                    .say(span, message, "nothing is left to cut; write `after_answer`");
            }
            Place::Idle(_) if answer.keep_alive == Some(false) || answer.framing == Framing::Close => {
                let label = "the answer ends it";
                self.problems.say(span, "this connection is never idle", label);
            }
            Place::Accept
            | Place::RequestHead
            | Place::RequestBody(_)
            | Place::BeforeAnswer
            | Place::StatusLine(_)
            | Place::Headers(_)
            | Place::Body(_)
            | Place::AfterAnswer
            | Place::Idle(_) => {}
        }
    }
}

/// The length of `HTTP/1.1 503 Service Unavailable` with its line end, in bytes.
fn status_line(answer: &Answer) -> u64 {
    let reason = match answer.status {
        AnswerStatus::Code(code) => http::StatusCode::from_u16(code)
            .ok()
            .and_then(|s| s.canonical_reason()),
        AnswerStatus::Stored => None,
    };
    // A status without a registered reason is sent with `<none>`.
    "HTTP/1.1 999 \r\n".len() as u64 + reason.unwrap_or("<none>").len() as u64
}
