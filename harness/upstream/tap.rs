//! What is known of one connection while it lives: stamps, answers on their way, and whether the client is there.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::HeaderMap;
use tokio::io::ReadBuf;

use super::by_hand::Takeover;
use super::capacity::Seat;
use super::head::{Latest, Told};
use super::rare::Rare;
use super::shared::Shared;
use crate::evidence::Fact;
use crate::term::{CallId, CutBy, Stamp, StampedBy};
use crate::world::Moment;

/// How much is read ahead of hyper at most, to see whether the client leaves.
const AHEAD: usize = 8 * 1024;

/// One connection's tap.
pub(super) struct Tap {
    shared: Arc<Shared>,
    /// Whether an exchange is not over, looked at as that is.
    is_at_work: AtomicBool,
    /// Rare is anything but requests and answers in turn: bytes read ahead, the client's leaving, a takeover, an idle cut.
    state: Rare<State>,
}

#[derive(Default)]
struct State {
    /// The first byte since the last request was read whole.
    first: Option<Came>,
    /// The latest byte.
    latest: Came,
    /// The latest head.
    head: Latest,
    /// Bytes read ahead of hyper.
    ahead: Vec<u8>,
    /// The client has said its last, or the connection has failed.
    gone: Option<Gone>,
    /// Answers that hyper is writing, in order.
    answers: VecDeque<Writing>,
    /// The call whose exchange is not over.
    exchange: Option<CallId>,
    /// Whether nothing more of its request will be read.
    request_read: bool,
    /// Whether a body is read beside its answer: then nobody can tell a next request's first byte from its last.
    beside: bool,
    /// Whether the client was recorded as having left.
    left: bool,
    takeover: Option<Box<Takeover>>,
    /// Places in the dependency's capacity that calls of this connection hold.
    seats: Vec<(CallId, Seat)>,
    idle: Option<IdleCut>,
}

/// When a byte came, and who says so.
#[derive(Clone, Copy, Default)]
pub(super) struct Came {
    pub at: Stamp,
    pub by: StampedBy,
}

#[derive(Clone, Copy)]
enum Gone {
    Ended,
    Failed(io::ErrorKind),
}

/// An answer that hyper is writing.
struct Writing {
    call: CallId,
    /// When hyper was given its last byte. Only then can the client have had it whole: what it does next may have arrived before
    /// the flush is seen.
    whole: Option<Stamp>,
    idle: Option<(Duration, CutBy)>,
}

/// A cut to be played when the connection has been idle for long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IdleCut {
    pub call: CallId,
    /// When the answer's last byte was given to hyper.
    pub ended: Stamp,
    /// When the answer was handed to the kernel.
    pub since: Stamp,
    pub after: Duration,
    pub by: CutBy,
}

impl State {
    /// A call gives its place in the dependency's capacity back.
    fn leaves(&mut self, call: CallId) {
        self.seats.retain(|(holder, _)| *holder != call);
    }
}

impl Tap {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Tap {
            shared,
            is_at_work: AtomicBool::new(false),
            state: Rare::default(),
        }
    }

    /// Notes that bytes were read, the latest of which had arrived at this moment by the kernel's stamp; false where that hits
    /// a ceiling.
    pub(super) fn read(&self, n: usize, arrived: Option<Moment>) -> bool {
        if n == 0 {
            let mut state = self.state.note();
            state.gone = state.gone.or(Some(Gone::Ended));
            return true;
        }
        let mut state = self.state.lock();
        let clock = &self.shared.clock;
        state.latest = match arrived.and_then(|moment| clock.stamp(moment)) {
            // Bytes do not overtake each other.
            Some(at) => Came {
                at: at.max(state.latest.at),
                by: StampedBy::Kernel,
            },
            None => Came {
                at: clock.now(),
                by: StampedBy::Program,
            },
        };
        if !state.beside {
            state.first = state.first.or(Some(state.latest));
        }
        state.idle = None;
        drop(state);
        self.shared.count_bytes(n)
    }

    /// When the request arrived whose head hyper has just read, and what that tells.
    pub(super) fn arrived(&self, headers: &HeaderMap) -> (Came, Told) {
        let mut state = self.state.lock();
        // A request that came in one read with the one before it has no first byte of its own, nor has one behind a
        // body that is read beside its answer. The latest byte is late enough to make nobody early.
        let came = state.first.unwrap_or(state.latest);
        (came, state.head.told(headers))
    }

    /// An exchange begins; `read` where the request has been read whole.
    pub(super) fn met(&self, call: CallId, seat: Option<Seat>, read: bool) {
        let mut state = self.state.lock();
        self.is_at_work.store(true, Ordering::Release);
        state.seats.extend(seat.map(|seat| (call, seat)));
        state.exchange = Some(call);
        state.request_read = read;
        state.beside = false;
        if read {
            state.first = None;
        }
    }

    /// From now on the request's body is read beside its answer.
    pub(super) fn read_beside(&self) {
        let mut state = self.state.lock();
        state.first = None;
        state.beside = true;
    }

    /// Nothing more of a call's request will be read: what comes next belongs to another.
    pub(super) fn request_read(&self, call: CallId) {
        let mut state = self.state.lock();
        // A body that was read beside its answer may be done with only when the next call is there.
        if state.exchange.is_none_or(|at_work| at_work == call) {
            state.first = None;
            state.beside = false;
            state.request_read = true;
        }
    }

    /// Whether it should be looked at whether the client is still there.
    pub(super) fn wants_to_watch(&self) -> bool {
        if !self.is_at_work.load(Ordering::Acquire) {
            return false;
        }
        let state = self.state.lock();
        state.exchange.is_some() && state.request_read && state.gone.is_none() && state.ahead.len() < AHEAD
    }

    pub(super) fn read_ahead(&self, bytes: &[u8], arrived: Option<Moment>) {
        self.state.note().ahead.extend_from_slice(bytes);
        if !self.read(bytes.len(), arrived) {
            self.failed(io::ErrorKind::ConnectionReset);
        } else if bytes.is_empty() {
            self.peer_left();
        }
    }

    pub(super) fn failed(&self, kind: io::ErrorKind) {
        self.state.note().gone = Some(Gone::Failed(kind));
        self.peer_left();
    }

    /// Hands over what was read ahead, or how the connection ended; `None` where the socket is to be asked.
    pub(super) fn take_ahead(&self, buf: &mut ReadBuf<'_>) -> Option<io::Result<()>> {
        let mut state = self.state.look()?;
        if !state.ahead.is_empty() {
            let n = state.ahead.len().min(buf.remaining());
            buf.put_slice(&state.ahead[..n]);
            state.ahead.drain(..n);
            return Some(Ok(()));
        }
        match state.gone? {
            Gone::Ended => Some(Ok(())),
            Gone::Failed(kind) => Some(Err(kind.into())),
        }
    }

    /// Whether the client has closed its side, or the connection has failed.
    pub(super) fn peer_is_gone(&self) -> bool {
        self.state.look().is_some_and(|state| state.gone.is_some())
    }

    /// Whether the connection has failed, so that nothing can be sent any more.
    pub(super) fn has_failed(&self) -> bool {
        self.state
            .look()
            .is_some_and(|state| matches!(state.gone, Some(Gone::Failed(_))))
    }

    /// hyper will be given an answer; all of it at once, where it is `whole`, no sooner than then.
    pub(super) fn answering(&self, call: CallId, whole: Option<Stamp>, idle: Option<(Duration, CutBy)>) {
        // A connection on which nothing is cut when it is idle need not be asked about it.
        let mut state = match idle {
            Some(_) => self.state.note(),
            None => self.state.lock(),
        };
        state.answers.push_back(Writing { call, whole, idle });
        if whole.is_some() {
            state.leaves(call);
        }
    }

    /// hyper has the last byte of an answer now.
    pub(super) fn answer_is_whole_now(&self, call: CallId) {
        let at = self.shared.clock.now();
        let mut state = self.state.lock();
        if let Some(answer) = state.answers.iter_mut().find(|a| a.call == call) {
            answer.whole = Some(at);
        }
        state.leaves(call);
    }

    /// A call is as good as over: its place in the dependency's capacity is free.
    pub(super) fn leaves(&self, call: CallId) {
        self.state.lock().leaves(call);
    }

    /// Everything that hyper had is with the kernel.
    pub(super) fn flushed(&self) {
        let mut state = self.state.lock();
        while let Some(at) = state.answers.front().and_then(|a| a.whole) {
            let Some(Writing { call, idle, .. }) = state.answers.pop_front() else {
                return;
            };
            state.idle = idle.map(|(after, by)| IdleCut {
                call,
                ended: at,
                since: self.shared.clock.now(),
                after,
                by,
            });
            if state.exchange == Some(call) {
                state.exchange = None;
                self.is_at_work.store(false, Ordering::Release);
            }
            self.shared.recorder.record_of_call(Fact::AnswerEnded {
                call,
                at,
                complete: true,
                cut: None,
            });
        }
    }

    /// Records, once, that the client left before the exchange was over.
    pub(super) fn peer_left(&self) {
        let mut state = self.state.lock();
        let call = state.exchange.or(state.answers.front().map(|a| a.call));
        if let Some(call) = call.filter(|_| !state.left) {
            state.left = true;
            let at = self.shared.clock.now();
            self.shared.recorder.record(Fact::PeerLeft { call, at });
        }
    }

    /// hyper has given the connection up: what it was at is not complete. Whether it was at anything is told.
    pub(super) fn hyper_gave_up(&self) -> bool {
        let mut state = self.state.lock();
        state.seats.clear();
        let mut unfinished: Vec<CallId> = state.answers.drain(..).map(|a| a.call).collect();
        unfinished.extend(state.exchange.filter(|call| !unfinished.contains(call)));
        state.exchange = unfinished.first().copied();
        let gone = state.gone.is_some();
        drop(state);
        if gone {
            self.peer_left();
        }
        for call in &unfinished {
            self.shared.recorder.record(Fact::AnswerEnded {
                call: *call,
                at: self.shared.clock.now(),
                complete: false,
                cut: None,
            });
        }
        !unfinished.is_empty()
    }

    /// The connection is to be taken from hyper, as soon as earlier answers are with the kernel.
    pub(super) fn take_over(&self, takeover: Takeover) {
        self.state.note().takeover = Some(Box::new(takeover));
    }

    pub(super) fn takeover(&self) -> Option<Takeover> {
        let mut state = self.state.look()?;
        if !state.answers.is_empty() {
            return None;
        }
        state.takeover.take().map(|t| *t)
    }

    /// The cut that is due when the connection stays idle.
    pub(super) fn idle(&self) -> Option<IdleCut> {
        self.state.look()?.idle
    }
}
