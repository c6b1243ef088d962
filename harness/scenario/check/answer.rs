//! Answers.

use std::time::Duration;

use super::super::raw;
use super::super::{Answer, AnswerBody, AnswerStatus, Drip, Framing};
use super::Check;
use crate::source::Placed;

/// The longest body that a dependency serves, in bytes.
const LONGEST_BODY: u64 = 1024 * 1024 * 1024;

/// The most pieces in which a body drips.
const MOST_PIECES: u64 = 1024 * 1024;

/// Answer headers that another key decides.
const DECIDED: [(&str, &str); 4] = [
    ("retry-after", "write it as `retry_after`"),
    ("content-length", "`body` and `framing` decide it"),
    ("transfer-encoding", "`framing` decides it"),
    ("connection", "`keep_alive` decides it"),
];

impl Check<'_> {
    /// An answer.
    pub(super) fn answer(&self, raw: &Placed<raw::Answer>) -> Answer {
        let written = &raw.value;
        let answer = Answer {
            status: self.status(raw),
            retry_after: written.retry_after.as_ref().and_then(|p| self.pushback(p)),
            headers: self.headers(&written.headers, &DECIDED),
            body: self.answer_body(written.body.as_ref()),
            framing: match written.framing.as_ref().map(|f| f.value) {
                None | Some(raw::Framing::Sized) => Framing::Sized,
                Some(raw::Framing::Chunked) => Framing::Chunked,
                Some(raw::Framing::Close) => Framing::Close,
            },
            after: written
                .after
                .as_ref()
                .map_or(Duration::ZERO, |d| self.problems.duration(d)),
            drip: written.drip.as_ref().map(|d| self.drip(d)),
            keep_alive: written.keep_alive.as_ref().map(|k| k.value),
            means: written.means,
            early: written.early.as_ref().is_some_and(|e| e.value),
            clock: written.clock.as_ref().map(|c| self.offset(&c.value)),
        };
        self.drips_to_an_end(&answer, written);
        self.bodiless(&answer, written);
        self.kept(&answer, written);
        self.one_date(&answer, written);
        answer
    }

    fn status(&self, raw: &Placed<raw::Answer>) -> AnswerStatus {
        let stored = raw.value.stored.as_ref().filter(|s| s.value);
        match (&raw.value.status, stored) {
            (Some(status), None) => AnswerStatus::Code(self.status_code(status)),
            (Some(_), Some(stored)) => {
                self.problems.say(
                    stored.span,
                    "a stored answer has its own status",
                    "`status` or `stored`",
                );
                AnswerStatus::Stored
            }
            (None, Some(_)) => AnswerStatus::Stored,
            (None, None) => {
                self.problems
                    .say(raw.span, "an answer needs a status", "such as {status: 503}");
                AnswerStatus::Code(200)
            }
        }
    }

    fn status_code(&self, raw: &Placed<raw::Status>) -> u16 {
        let (number, span) = match raw.value {
            raw::Status::Number(n) => (n, raw.span),
            raw::Status::Varied => {
                match self.varied(&self.uses.statuses, self.choice.status, "statuses", raw.span) {
                    Some(chosen) => (u64::from(chosen.value), chosen.span),
                    None => return 200,
                }
            }
        };
        match number {
            200..=999 => number as u16,
            100..=199 => {
                self.problems.add(
                    self.problems
                        .at(span, format!("{number} is not the status of a final answer"))
                        .labelled("1xx only announces one")
                        .hint("to send these bytes all the same, write them as `raw`"),
                );
                200
            }
            _ => {
                self.problems.add(
                    self.problems
                        .at(span, format!("{number} is not a status"))
                        .labelled("from 100 to 999")
                        .hint("to send a malformed status line, write it as `raw`"),
                );
                200
            }
        }
    }

    fn answer_body(&self, raw: Option<&Placed<raw::Body>>) -> AnswerBody {
        let Some(raw) = raw else { return AnswerBody::Empty };
        let body = match &raw.value {
            raw::Body::Text(text) => AnswerBody::Text(text.clone()),
            raw::Body::Zeros(n) => AnswerBody::Zeros(*n),
            raw::Body::File(path) => {
                if path.is_empty() {
                    self.problems
                        .say(raw.span, "this names no file", "the path is empty");
                }
                AnswerBody::Empty
            }
            raw::Body::Ranges(raw::Content::Text(text)) => AnswerBody::Text(text.clone()),
            raw::Body::Ranges(raw::Content::Zeros(n)) => AnswerBody::Zeros(*n),
        };
        if body.len() > LONGEST_BODY {
            self.problems
                .say(raw.span, "this body is too long", "at most 1 GiB");
        }
        body
    }

    fn drip(&self, raw: &Placed<raw::Drip>) -> Drip {
        if raw.value.bytes.value == 0 {
            self.problems.say(
                raw.value.bytes.span,
                "in pieces of 0 bytes nothing is ever sent",
                "at least 1",
            );
        }
        Drip {
            bytes: raw.value.bytes.value.max(1),
            every: self.problems.duration(&raw.value.every),
        }
    }

    fn drips_to_an_end(&self, answer: &Answer, raw: &raw::Answer) {
        if let (Some(drip), Some(written)) = (answer.drip, &raw.drip)
            && answer.body.len() / drip.bytes > MOST_PIECES
        {
            let message = format!("this body drips in more than {MOST_PIECES} pieces");
            self.problems
                .say(written.value.bytes.span, message, "more at a time");
        }
    }

    /// 204 and 304 have no body (RFC 9110 sections 15.3.5 and 15.4.5).
    fn bodiless(&self, answer: &Answer, raw: &raw::Answer) {
        let AnswerStatus::Code(code @ (204 | 304)) = answer.status else {
            return;
        };
        let body = raw
            .body
            .as_ref()
            .filter(|_| !answer.body.is_empty())
            .map(|b| b.span);
        let framing = raw.framing.as_ref().filter(|f| f.value != raw::Framing::Sized);
        let drip = raw.drip.as_ref().map(|d| d.span);
        for span in [body, framing.map(|f| f.span), drip].into_iter().flatten() {
            self.problems.add(
                self.problems
                    .at(span, format!("a {code} has no body"))
                    .labelled("nothing of this is sent")
                    .hint("to send these bytes all the same, write them as `raw`"),
            );
        }
    }

    /// A clock that is off writes the Date header itself.
    fn one_date(&self, answer: &Answer, raw: &raw::Answer) {
        let by_hand = |(name, _): &&(Placed<String>, Placed<String>)| name.value.eq_ignore_ascii_case("date");
        let by_hand = raw.headers.iter().find(by_hand);
        if let (Some(_), Some(clock), Some((name, _))) = (answer.clock, &raw.clock, by_hand) {
            self.problems.add(
                self.problems
                    .at(name.span, "`clock` writes this header")
                    .labelled("this or `clock`, not both")
                    .beside(clock.span, "the clock that is off"),
            );
        }
    }

    /// A body that ends with the connection leaves no connection to keep.
    fn kept(&self, answer: &Answer, raw: &raw::Answer) {
        if let (Framing::Close, Some(keep)) = (answer.framing, raw.keep_alive.as_ref().filter(|k| k.value)) {
            let label = "`framing: close` ends it";
            self.problems
                .say(keep.span, "this connection cannot be kept", label);
        }
    }
}
