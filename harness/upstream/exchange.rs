//! One exchange: a request arrives, its turn is decided, its body is read, its effect done, its answer made.

use std::fmt;
use std::future::{Future, pending};
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::task::{Context, Poll};

use hyper::body::{Body, Incoming};
use hyper::{HeaderMap, Request, Response};

use super::answering::begins;
use super::arrival::Call;
use super::body::AnswerStream;
use super::early::Upload;
use super::effect;
use super::keyed::{Decided, Treatment, Work};
use super::request_body::nothing;
use super::served::Served;
use super::tap::Tap;
use crate::scenario::Answer;
use crate::term::ConnId;

/// One connection of a dependency.
pub(super) struct Line {
    pub served: Arc<Served>,
    pub conn: ConnId,
    pub tap: Arc<Tap>,
    pub requests: AtomicU32,
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

/// What hyper is given in the end.
pub(super) type Played = Result<Response<AnswerStream>, Gone>;

/// An exchange under way.
pub(super) enum Exchange {
    /// Played already, as most are; `None` where the connection is taken over: then this is never ready.
    Played(Option<Played>),
    /// Something is waited for.
    Waiting(Pin<Box<dyn Future<Output = Played> + Send>>),
}

impl Future for Exchange {
    type Output = Played;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Played> {
        match &mut *self {
            Exchange::Played(played) => played.take().map_or(Poll::Pending, Poll::Ready),
            Exchange::Waiting(played) => played.as_mut().poll(cx),
        }
    }
}

/// Plays one request to its answer, which hyper writes. Where hyper cannot, the connection is taken over, and this
/// is never ready.
pub(super) fn exchange(line: &Arc<Line>, mut request: Request<Incoming>) -> Exchange {
    let Some((call, seat)) = line.arrive(&request) else {
        return Exchange::Played(Some(Err(Gone)));
    };
    let plain = line.plain(&call, request.body());
    line.tap.met(call.id, seat, plain.is_some());
    match plain {
        Some((answer, work)) => {
            // What the request's header section took serves its answer's.
            let mut room = mem::take(request.headers_mut());
            room.clear();
            Exchange::Played(line.answer_at_once(call, answer, work, room))
        }
        None => Exchange::Waiting(Box::pin(play(line.clone(), request, call))),
    }
}

/// Plays an exchange in which something is waited for, or whose answer is cut or raw.
async fn play(line: Arc<Line>, request: Request<Incoming>, mut call: Call) -> Played {
    let (parts, body) = request.into_parts();
    let share = call.share.take();
    let served = line.served.clone();
    let upload = Upload::of(call.told, body);
    let Treatment { ordered, work } = match &call.decided {
        Decided::AtHead(decision) => {
            let treatment = served.at_head(*decision);
            if !line.receive(&call, upload, &treatment.ordered).await {
                return Err(Gone);
            }
            treatment
        }
        Decided::AwaitsBody(awaiting) => {
            let body = line.read(call.id, upload.body, None).await.ok_or(Gone)?;
            line.by_key(&call, awaiting, &parts.headers, &body)
        }
    };
    match work.takes.is_zero() {
        true => {
            effect::at_once(&served, call.id, work, served.shared.clock.now());
            drop(share);
        }
        false => effect::work(&served, call.id, work, share).await,
    }
    let played = match (ordered.raw, ordered.answer, ordered.cut) {
        (Some(raw), _, cut) => line.send_raw(&call, raw.to_vec(), cut),
        (None, Some(answer), cut) if cut.is_none_or(|c| begins(c.at)) => {
            if !ordered.after.is_zero() {
                served.shared.clock.sleep(ordered.after).await;
            }
            let at = served.shared.clock.now();
            line.answer(&call, (answer, cut), at, HeaderMap::new())
        }
        (None, _, cut) => line.take_over(&call, None, cut),
    };
    match played {
        Some(played) => played,
        // The connection's task sees the takeover when this is pending, and drops it.
        None => pending().await,
    }
}

impl Line {
    /// The answer to a call in whose exchange nothing is waited for and nothing cut, and the work before it.
    fn plain(&self, call: &Call, body: &Incoming) -> Option<(&Answer, Work)> {
        let Decided::AtHead(decision) = call.decided else {
            return None;
        };
        let Treatment { ordered, work } = self.served.at_head(decision);
        let answer = ordered.answer.filter(|answer| !answer.early)?;
        let waits = !work.takes.is_zero() || !ordered.after.is_zero() || !body.is_end_stream();
        let is_plain = !waits && ordered.raw.is_none() && ordered.cut.is_none();
        is_plain.then_some((answer, work))
    }

    /// Plays an exchange that [`Line::plain`] knows.
    fn answer_at_once(&self, mut call: Call, answer: &Answer, work: Work, room: HeaderMap) -> Option<Played> {
        self.note_read(call.id, &nothing());
        let at = self.served.shared.clock.now();
        effect::at_once(&self.served, call.id, work, at);
        drop(call.share.take());
        self.answer(&call, (answer, None), at, room)
    }
}
