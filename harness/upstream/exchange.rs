//! One exchange: a request arrives, its turn is decided, its body is read, its effect done, its answer made.

use std::convert::Infallible;
use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, HeaderMap};
use hyper::{Method, Request, Response, Version};
use sha2::{Digest as _, Sha256};

use super::answer::{self, Head};
use super::attribution::{Attributed, attribute};
use super::body::{AnswerStream, Pieces};
use super::by_hand::{Sending, Takeover};
use super::effect;
use super::head;
use super::served::{Ordered, Served};
use super::shared::lock;
use super::tap::Tap;
use crate::evidence::{Arrival, Digest, Fact};
use crate::scenario::{Answer, Cut, Framing};
use crate::script::{Asking, Decision, Falls};
use crate::term::{CallId, ConnId, CutBy, OperationId, Place, Role};

/// SHA-256 of nothing.
const EMPTY_SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

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

/// What is remembered of a call between its head and its answer.
struct Call {
    id: CallId,
    op: Option<OperationId>,
    method: Method,
    decision: Decision,
    /// Whether its connection can be kept, as far as the client says.
    closes: bool,
    is_http_10: bool,
}

/// Plays one request to its answer, which hyper writes. Where hyper cannot, the connection is taken over, and this
/// never returns.
pub(super) async fn exchange(
    line: Arc<Line>,
    request: Request<Incoming>,
) -> Result<Response<AnswerStream>, Gone> {
    let call = line.arrive(&request).ok_or(Gone)?;
    let served = line.served.clone();
    let ordered = served.ordered(call.decision.falls);
    if !line.read(&call, request.into_body(), ordered.cut).await {
        return Err(Gone);
    }
    effect::work(&served, call.id, ordered.takes, ordered.effect).await;
    if let Some(raw) = ordered.raw {
        return line.send_raw(&call, raw.to_vec(), ordered.cut).await;
    }
    match (ordered.answer, ordered.cut) {
        (Some(answer), cut) if cut.is_none_or(|c| begins(c.at)) => {
            if !answer.after.is_zero() {
                served.shared.clock.sleep(answer.after).await;
            }
            line.answer(&call, answer, cut).await
        }
        (_, cut) => line.take_over(&call, None, cut).await,
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
    /// Numbers, attributes, decides and records a call whose head was read; `None` where a ceiling is hit.
    fn arrive(&self, request: &Request<Incoming>) -> Option<Call> {
        let (served, headers) = (&self.served, request.headers());
        let at = self.tap.arrived();
        let keys = head::keys(headers);
        let Attributed { op, by, path } = attribute(&served.shared, request.uri().path(), &keys);
        let nth_on_conn = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let asking = Asking {
            op,
            conn: self.conn,
            nth_on_conn,
            at,
            since_start: served.shared.since_start(served.shared.clock.now()),
            method: request.method().as_str(),
            path,
            header: &|name| head::values(headers, name),
        };
        let role = served.role(op, path);
        let head_sha256 = head::digest(headers);
        let (id, decision) = served.shared.number_call(|call| {
            let decision = lock(&served.script).decide(&asking);
            let (turn, outage) = match decision.falls {
                Falls::Turn(turn) => (Some(turn), None),
                Falls::Outage(outage) => (None, Some(outage)),
            };
            served.shared.recorder.record(Fact::Arrived(Box::new(Arrival {
                call,
                op,
                by,
                role,
                point: served.dependency.name.clone(),
                conn: self.conn,
                nth_on_conn,
                protocol: protocol(request.version()).to_owned(),
                method: request.method().as_str().to_owned(),
                path: path.to_owned(),
                query: request.uri().query().map(str::to_owned),
                keys,
                head_sha256,
                at,
                turn,
                outage,
                effect: served.ordered(decision.falls).effect,
            })));
            (call, decision)
        })?;
        self.tap.met(id);
        Some(Call {
            id,
            op,
            method: request.method().clone(),
            decision,
            closes: wants_close(headers),
            is_http_10: request.version() == Version::HTTP_10,
        })
    }

    /// Reads the request's body as far as the script lets it; false where the client left in the middle.
    async fn read(&self, call: &Call, body: Incoming, cut: Option<Cut>) -> bool {
        let stop = match cut.map(|c| c.at) {
            Some(Place::Accept | Place::RequestHead) => Some(0),
            Some(Place::RequestBody(n)) => Some(n),
            None
            | Some(
                Place::BeforeAnswer
                | Place::StatusLine(_)
                | Place::Headers(_)
                | Place::Body(_)
                | Place::AfterAnswer
                | Place::Idle(_),
            ) => None,
        };
        let (digest, broken) = read_body(body, stop).await;
        self.tap.request_read();
        self.served.shared.recorder.record(Fact::BodyRead {
            call: call.id,
            body: digest,
        });
        !broken
    }

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
        let head = Head::made(answer, call.op, &shared.clock);
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
            return self.take_over(call, Some(sending), cut).await;
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

/// What is sent of an answer by hand, and whether its pushback can be relied on to have reached the client: the head
/// is sent whole, and no reset can overtake it.
fn by_hand_answer(call: &Call, answer: &Answer, head: &Head<'_>, cut: Option<Cut>) -> (Sending, bool) {
    let bare = answer::is_bare(&call.method, answer);
    let chunked = answer.framing == Framing::Chunked && !call.is_http_10;
    let framing = framing_lines(call, answer, chunked);
    let mut bytes = head.status_line();
    let section = head.section(&framing);
    let (of_status, of_section, body_cut) = match cut.map(|c| c.at) {
        Some(Place::StatusLine(n)) => (n, 0, Some(0)),
        Some(Place::Headers(n)) => (u64::MAX, n, Some(0)),
        Some(Place::Body(n)) => (u64::MAX, u64::MAX, Some(n)),
        None | Some(Place::AfterAnswer | Place::Idle(_)) => (u64::MAX, u64::MAX, None),
        Some(Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer) => {
            (0, 0, Some(0))
        }
    };
    let within = |n: u64, len: usize| usize::try_from(n).unwrap_or(usize::MAX).min(len);
    let whole_head = matches!(
        cut.map(|c| c.at),
        None | Some(Place::Body(_) | Place::AfterAnswer)
    ) || within(of_section, section.len()) == section.len();
    bytes.truncate(within(of_status, bytes.len()));
    bytes.extend_from_slice(&section[..within(of_section, section.len())]);
    let by = cut.map_or(CutBy::Fin, |c| c.by);
    let body = if bare {
        Pieces::none()
    } else {
        Pieces::of(&answer.body)
    };
    let whole_body = match body_cut {
        None => true,
        Some(_) if bare => true,
        Some(_) if chunked => false,
        // A body that ends with its connection is complete wherever the connection ends in order.
        Some(_) if answer.framing == Framing::Close => by == CutBy::Fin,
        Some(n) => n >= body.left(),
    };
    let sending = Sending {
        head: bytes,
        body,
        body_cut,
        chunked: chunked && !bare,
        drip: answer.drip,
        complete: whole_head && whole_body,
    };
    (sending, whole_head && by != CutBy::Rst)
}

fn framing_lines(call: &Call, answer: &Answer, chunked: bool) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let by_author = answer::has(answer, "content-length") || answer::has(answer, "transfer-encoding");
    let bodiless = matches!(answer::code(answer), 204 | 304);
    if !by_author && !bodiless {
        match answer.framing {
            Framing::Sized => lines.push(("content-length", answer.body.len().to_string())),
            Framing::Chunked if chunked => lines.push(("transfer-encoding", "chunked".to_owned())),
            Framing::Chunked | Framing::Close => {}
        }
    }
    let says_close = call.closes || answer.framing == Framing::Close;
    if says_close && answer.keep_alive.is_none() && !answer::has(answer, "connection") {
        lines.push(("connection", "close".to_owned()));
    }
    lines
}

/// Reads a body to its end, or until so many bytes were read; whether it broke off is told beside its digest.
async fn read_body(mut body: Incoming, stop: Option<u64>) -> (Digest, bool) {
    if body.is_end_stream() {
        let sha256 = EMPTY_SHA256.to_owned();
        return (
            Digest {
                len: 0,
                sha256,
                complete: true,
            },
            false,
        );
    }
    let (mut hash, mut len, mut broken, mut kept_whole) = (Sha256::new(), 0_u64, false, true);
    let stop = stop.unwrap_or(u64::MAX);
    while len < stop && !broken {
        let Some(frame) = body.frame().await else { break };
        let data = frame.map(|f| f.into_data().unwrap_or_default());
        broken = data.is_err();
        let data = data.unwrap_or_default();
        let n = usize::try_from(stop - len).unwrap_or(usize::MAX).min(data.len());
        kept_whole = n == data.len();
        hash.update(&data[..n]);
        len += n as u64;
    }
    let complete = !broken && kept_whole && (stop == u64::MAX || body.is_end_stream());
    let sha256 = head::hexadecimal(&hash.finalize());
    (
        Digest {
            len,
            sha256,
            complete,
        },
        broken,
    )
}

fn wants_close(headers: &HeaderMap) -> bool {
    let tokens = headers.get_all(CONNECTION).iter().filter_map(|v| v.to_str().ok());
    tokens
        .flat_map(|v| v.split(','))
        .any(|t| t.trim().eq_ignore_ascii_case("close"))
}

fn protocol(version: Version) -> &'static str {
    match version {
        Version::HTTP_09 => "HTTP/0.9",
        Version::HTTP_10 => "HTTP/1.0",
        Version::HTTP_2 => "HTTP/2",
        Version::HTTP_3 => "HTTP/3",
        _ => "HTTP/1.1",
    }
}

impl Served {
    /// What a call to this path is to its operation.
    fn role(&self, op: Option<OperationId>, path: &str) -> Role {
        let Some(op) = op else { return Role::Side };
        let mut redirects = lock(&self.redirects);
        match redirects.get(&op).is_some_and(|to| to == path) {
            true => {
                redirects.remove(&op);
                Role::Redirect
            }
            false => Role::Attempt,
        }
    }

    /// Remembers what an operation was told: to wait, or to go elsewhere.
    fn told(&self, op: OperationId, head: &Head<'_>, answer: &Answer) {
        if let Some(wait) = head.wait() {
            lock(&self.script).asked(op, head.at, wait);
        }
        if let Some(path) = answer::redirects_to(answer) {
            lock(&self.redirects).insert(op, path.to_owned());
        }
    }

    /// What the script orders for this.
    fn ordered(&self, falls: Falls) -> Ordered<'_> {
        Ordered::of(&self.dependency, falls)
    }
}
