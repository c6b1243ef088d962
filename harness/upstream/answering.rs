//! The answer of an exchange: handed to hyper, or sent by hand where hyper would not write it so.

use hyper::body::Body;
use hyper::{HeaderMap, Method, Response, StatusCode};

use super::answer::{self, Head};
use super::arrival::Call;
use super::body::{AnswerStream, Pieces};
use super::by_hand::{Sending, Takeover};
use super::exchange::{Gone, Line, Played};
use super::served::Served;
use super::shared::lock;
use super::written::by_hand_answer;
use crate::evidence::Fact;
use crate::scenario::{Answer, Cut, Framing};
use crate::term::{OperationId, Place, Stamp};

/// Whether a cut there leaves any of the answer to be sent.
pub(super) fn begins(at: Place) -> bool {
    match at {
        Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer => false,
        Place::StatusLine(n) => n > 0,
        Place::Headers(_) | Place::Body(_) | Place::AfterAnswer | Place::Idle(_) => true,
    }
}

impl Line {
    /// Hands the answer to hyper, or has it sent by hand where hyper would not write it so. It is made at this moment, and its
    /// header section in this room, which is empty.
    pub(super) fn answer(
        &self,
        call: &Call,
        (answer, cut): (&Answer, Option<Cut>),
        at: Stamp,
        room: HeaderMap,
    ) -> Option<Played> {
        if self.tap.has_failed() {
            return Some(Err(Gone));
        }
        let shared = &self.served.shared;
        let head = Head::made(answer, call.op, (at, &shared.clock), &self.served.dates);
        let idle = match cut {
            Some(Cut {
                at: Place::Idle(after),
                by,
            }) => Some((after, by)),
            _ => None,
        };
        let by_hand = answer::is_by_hand(answer) || (cut.is_some() && idle.is_none());
        let ready = if by_hand { None } else { head.for_hyper(room) };
        let Some(ready) = ready else {
            let (sending, reached) = by_hand_answer(call, answer, &head, cut);
            self.begin(call, answer, &head, reached);
            return self.take_over(call, Some(sending), cut);
        };
        self.begin(call, answer, &head, true);
        let response = self.response(call, answer, ready);
        // Where its head is all there is of it, hyper will not ask for more.
        let whole = response.body().is_end_stream().then_some(at);
        self.tap.answering(call.id, whole, idle);
        Some(Ok(response))
    }

    /// The answer as hyper takes it.
    fn response(
        &self,
        call: &Call,
        answer: &Answer,
        (status, headers): (StatusCode, HeaderMap),
    ) -> Response<AnswerStream> {
        let bare = answer::is_bare(&call.method, answer);
        let clock = self.served.shared.clock;
        let stream = AnswerStream::new(answer, bare, call.id, self.tap.clone(), clock);
        let mut response = Response::new(stream);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        let tells_length = answer.framing == Framing::Sized && !answer::is_bodiless(answer);
        if call.method == Method::HEAD && tells_length {
            let length = answer.body.len().into();
            response
                .headers_mut()
                .insert(hyper::header::CONTENT_LENGTH, length);
        }
        response
    }

    /// Records that an answer is begun, and what it asks of the operation. A client that is gone is asked nothing.
    fn begin(&self, call: &Call, answer: &Answer, head: &Head<'_>, reached: bool) {
        let reached = reached && !self.tap.peer_is_gone();
        self.served
            .shared
            .recorder
            .record_of_call(head.begun(call.id, reached));
        if let (Some(op), true) = (call.op, reached) {
            self.served.told(op, head, answer);
        }
    }

    /// Sends bytes as they are in place of an answer.
    pub(super) fn send_raw(&self, call: &Call, raw: Vec<u8>, cut: Option<Cut>) -> Option<Played> {
        if cut.is_some_and(|c| !begins(c.at)) {
            return self.take_over(call, None, cut);
        }
        self.served.shared.recorder.record(Fact::AnswerBegan {
            call: call.id,
            at: self.served.shared.clock.now(),
            status: None,
            asked_wait_ms: None,
            asked_until: None,
            retry_after: None,
        });
        let sending = Sending {
            head: raw,
            body: Pieces::none(),
            body_cut: None,
            chunked: false,
            drip: None,
            complete: true,
        };
        self.take_over(call, Some(sending), cut)
    }

    /// Has the connection taken from hyper, which then gets no answer.
    pub(super) fn take_over(
        &self,
        call: &Call,
        sending: Option<Sending>,
        cut: Option<Cut>,
    ) -> Option<Played> {
        self.tap.take_over(Takeover {
            call: call.id,
            sending,
            cut: cut.map(played),
        });
        None
    }
}

/// The cut as it is played: a call on a connection that was accepted before meets an accept cut at its head.
fn played(cut: Cut) -> Cut {
    match cut.at {
        Place::Accept => Cut {
            at: Place::RequestHead,
            ..cut
        },
        _ => cut,
    }
}

impl Served {
    /// Remembers what an operation was told: to wait, or to go elsewhere.
    fn told(&self, op: OperationId, head: &Head<'_>, answer: &Answer) {
        if let Some(wait) = head.wait() {
            lock(&self.script).asked(op, head.at, wait);
        }
        if let Some(path) = answer::redirects_to(answer) {
            self.redirects.note().insert(op, path.to_owned());
        }
    }
}
