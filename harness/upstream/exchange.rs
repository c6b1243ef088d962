//! One exchange: a request arrives, its turn is decided, its body is read, its effect done, its answer made.

use std::convert::Infallible;
use std::fmt;
use std::future::pending;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use hyper::body::Incoming;
use hyper::{Method, Request, Response};

use super::answer::{self, Head};
use super::arrival::Call;
use super::body::{AnswerStream, Pieces};
use super::by_hand::{Sending, Takeover};
use super::early::Upload;
use super::effect;
use super::head::Digests;
use super::keyed::{Decided, Treatment};
use super::served::Served;
use super::shared::lock;
use super::tap::Tap;
use super::written::by_hand_answer;
use crate::evidence::Fact;
use crate::scenario::{Answer, Cut, Framing};
use crate::term::{ConnId, OperationId, Place};

/// One connection of a dependency.
pub(super) struct Line {
    pub served: Arc<Served>,
    pub conn: ConnId,
    pub tap: Arc<Tap>,
    pub requests: AtomicU32,
    pub digests: Mutex<Digests>,
}

/// The exchange ends without an answer by hyper, and the connection with it.
#[derive(Debug)]
pub(super) struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the exchange ends without an answer")
    }
}

impl std::error::Error for Gone {}

/// Plays one request to its answer, which hyper writes. Where hyper cannot, the connection is taken over, and this
/// never returns.
///
/// What few requests need is awaited in boxes of its own: this future is allocated for every request.
pub(super) async fn exchange(
    line: Arc<Line>,
    request: Request<Incoming>,
) -> Result<Response<AnswerStream>, Gone> {
    let (parts, body) = request.into_parts();
    let mut call = line.arrive(&parts).ok_or(Gone)?;
    let share = call.share.take();
    let served = line.served.clone();
    let upload = Upload::of(&parts, body);
    let Treatment { ordered, work } = match &call.decided {
        Decided::AtHead(decision) => {
            let ordered = served.ordered(decision.falls);
            if !line.receive(&call, upload, &ordered).await {
                return Err(Gone);
            }
            Treatment::at_head(ordered).after_queue(decision.queued)
        }
        Decided::AwaitsBody(awaiting) => {
            let read = Box::pin(line.read(call.id, upload.body, None));
            let body = read.await.ok_or(Gone)?;
            line.by_key(&call, awaiting, &parts, &body)
        }
    };
    match work.takes.is_zero() {
        true => {
            effect::at_once(&served, call.id, work);
            drop(share);
        }
        false => Box::pin(effect::work(&served, call.id, work, share)).await,
    }
    if let Some(raw) = ordered.raw {
        return Box::pin(line.send_raw(&call, raw.to_vec(), ordered.cut)).await;
    }
    match (ordered.answer, ordered.cut) {
        (Some(answer), cut) if cut.is_none_or(|c| begins(c.at)) => {
            if !ordered.after.is_zero() {
                Box::pin(served.shared.clock.sleep(ordered.after)).await;
            }
            line.answer(&call, answer, cut).await
        }
        (_, cut) => Box::pin(line.take_over(&call, None, cut)).await,
    }
}

/// Whether a cut there leaves any of the answer to be sent.
fn begins(at: Place) -> bool {
    match at {
        Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer => false,
        Place::StatusLine(n) => n > 0,
        Place::Headers(_) | Place::Body(_) | Place::AfterAnswer | Place::Idle(_) => true,
    }
}

impl Line {
    /// Hands the answer to hyper, or sends it by hand where hyper would not write it so.
    async fn answer(
        &self,
        call: &Call,
        answer: &Answer,
        cut: Option<Cut>,
    ) -> Result<Response<AnswerStream>, Gone> {
        if self.tap.has_failed() {
            return Err(Gone);
        }
        let shared = &self.served.shared;
        let head = Head::made(answer, call.op, &shared.clock, &self.served.dates);
        let bare = answer::is_bare(&call.method, answer);
        let idle = match cut {
            Some(Cut {
                at: Place::Idle(after),
                by,
            }) => Some((after, by)),
            _ => None,
        };
        let by_hand = answer::is_by_hand(answer) || (cut.is_some() && idle.is_none());
        let Some((status, headers)) = head.for_hyper().filter(|_| !by_hand) else {
            let (sending, reached) = by_hand_answer(call, answer, &head, cut);
            self.begin(call, answer, &head, reached);
            return Box::pin(self.take_over(call, Some(sending), cut)).await;
        };
        self.begin(call, answer, &head, true);
        self.tap.answering(call.id, idle);
        let stream = AnswerStream::new(answer, bare, call.id, self.tap.clone(), shared.clock);
        let mut response = Response::new(stream);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        if call.method == Method::HEAD && answer.framing == Framing::Sized {
            let length = answer.body.len().into();
            response
                .headers_mut()
                .insert(hyper::header::CONTENT_LENGTH, length);
        }
        Ok(response)
    }

    /// Records that an answer is begun, and what it asks of the operation. A client that is gone is asked nothing.
    fn begin(&self, call: &Call, answer: &Answer, head: &Head<'_>, reached: bool) {
        let reached = reached && !self.tap.peer_is_gone();
        self.served.shared.recorder.record(head.begun(call.id, reached));
        if let (Some(op), true) = (call.op, reached) {
            self.served.told(op, head, answer);
        }
    }

    /// Sends bytes as they are in place of an answer.
    async fn send_raw<T>(&self, call: &Call, raw: Vec<u8>, cut: Option<Cut>) -> Result<T, Gone> {
        if cut.is_some_and(|c| !begins(c.at)) {
            return self.take_over(call, None, cut).await;
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
        self.take_over(call, Some(sending), cut).await
    }

    async fn take_over<T>(&self, call: &Call, sending: Option<Sending>, cut: Option<Cut>) -> Result<T, Gone> {
        self.tap.take_over(Takeover {
            call: call.id,
            sending,
            cut: cut.map(played),
        });
        // The connection's task sees the takeover when this is pending, and drops it.
        match pending::<Infallible>().await {}
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
            lock(&self.redirects).insert(op, path.to_owned());
        }
    }
}
