//! What is known of one connection while it lives: stamps, answers on their way, and whether the client is there.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::ReadBuf;

use super::by_hand::Takeover;
use super::capacity::Seat;
use super::shared::{Shared, lock};
use crate::evidence::Fact;
use crate::term::{CallId, CutBy, Stamp, StampedBy};

/// How much is read ahead of hyper at most, to see whether the client leaves.
const AHEAD: usize = 8 * 1024;

/// One connection's tap.
pub(super) struct Tap {
    shared: Arc<Shared>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The first byte since the last request was read whole.
    first: Option<Came>,
    /// The latest byte.
    latest: Came,
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

impl Tap {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Tap {
            shared,
            state: Mutex::default(),
        }
    }

    /// Notes that bytes were read, the latest of which had arrived so long ago by the kernel's stamp; false where that hits a
    /// ceiling.
    pub(super) fn read(&self, n: usize, ago: Option<Duration>) -> bool {
        let mut state = lock(&self.state);
        if n == 0 {
            state.gone = state.gone.or(Some(Gone::Ended));
            return true;
        }
        let (now, before) = (self.shared.clock.now(), state.latest.at);
        state.latest = match ago {
            // Bytes do not overtake each other.
            Some(ago) => Came {
                at: now.minus(ago).max(before),
                by: StampedBy::Kernel,
            },
            None => Came {
                at: now,
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

    /// When the request arrived whose head hyper has just read.
    pub(super) fn arrived(&self) -> Came {
        let state = lock(&self.state);
        // A request that came in one read with the one before it has no first byte of its own, nor has one behind a
        // body that is read beside its answer. The latest byte is late enough to make nobody early.
        state.first.unwrap_or(state.latest)
    }

    /// An exchange begins.
    pub(super) fn met(&self, call: CallId, seat: Option<Seat>) {
        let mut state = lock(&self.state);
        state.seats.extend(seat.map(|seat| (call, seat)));
        state.exchange = Some(call);
        state.request_read = false;
        state.beside = false;
    }

    /// From now on the request's body is read beside its answer.
    pub(super) fn read_beside(&self) {
        let mut state = lock(&self.state);
        state.first = None;
        state.beside = true;
    }

    /// Nothing more of a call's request will be read: what comes next belongs to another.
    pub(super) fn request_read(&self, call: CallId) {
        let mut state = lock(&self.state);
        // A body that was read beside its answer may be done with only when the next call is there.
        if state.exchange.is_none_or(|at_work| at_work == call) {
            state.first = None;
            state.beside = false;
            state.request_read = true;
        }
    }

    /// Whether it should be looked at whether the client is still there.
    pub(super) fn wants_to_watch(&self) -> bool {
        let state = lock(&self.state);
        state.exchange.is_some() && state.request_read && state.gone.is_none() && state.ahead.len() < AHEAD
    }

    pub(super) fn read_ahead(&self, bytes: &[u8], ago: Option<Duration>) {
        lock(&self.state).ahead.extend_from_slice(bytes);
        if !self.read(bytes.len(), ago) {
            self.failed(io::ErrorKind::ConnectionReset);
        } else if bytes.is_empty() {
            self.peer_left();
        }
    }

    pub(super) fn failed(&self, kind: io::ErrorKind) {
        lock(&self.state).gone = Some(Gone::Failed(kind));
        self.peer_left();
    }

    /// Hands over what was read ahead, or how the connection ended; `None` where the socket is to be asked.
    pub(super) fn take_ahead(&self, buf: &mut ReadBuf<'_>) -> Option<io::Result<()>> {
        let mut state = lock(&self.state);
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
        lock(&self.state).gone.is_some()
    }

    /// Whether the connection has failed, so that nothing can be sent any more.
    pub(super) fn has_failed(&self) -> bool {
        matches!(lock(&self.state).gone, Some(Gone::Failed(_)))
    }

    /// hyper will be given an answer.
    pub(super) fn answering(&self, call: CallId, idle: Option<(Duration, CutBy)>) {
        lock(&self.state).answers.push_back(Writing {
            call,
            whole: None,
            idle,
        });
    }

    /// hyper has the last byte of an answer now.
    pub(super) fn answer_is_whole_now(&self, call: CallId) {
        self.answer_is_whole(call, self.shared.clock.now());
    }

    /// hyper has the last byte of an answer, and had it no sooner than `at`.
    pub(super) fn answer_is_whole(&self, call: CallId, at: Stamp) {
        let mut state = lock(&self.state);
        if let Some(answer) = state.answers.iter_mut().find(|a| a.call == call) {
            answer.whole = Some(at);
        }
        state.seats.retain(|(holder, _)| *holder != call);
    }

    /// A call is as good as over: its place in the dependency's capacity is free.
    pub(super) fn leaves(&self, call: CallId) {
        lock(&self.state).seats.retain(|(holder, _)| *holder != call);
    }

    /// Everything that hyper had is with the kernel.
    pub(super) fn flushed(&self) {
        let mut state = lock(&self.state);
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
            }
            self.shared.recorder.record(Fact::AnswerEnded {
                call,
                at,
                complete: true,
                cut: None,
            });
        }
    }

    /// Records, once, that the client left before the exchange was over.
    pub(super) fn peer_left(&self) {
        let mut state = lock(&self.state);
        let call = state.exchange.or(state.answers.front().map(|a| a.call));
        if let Some(call) = call.filter(|_| !state.left) {
            state.left = true;
            let at = self.shared.clock.now();
            self.shared.recorder.record(Fact::PeerLeft { call, at });
        }
    }

    /// hyper has given the connection up: what it was at is not complete. Whether it was at anything is told.
    pub(super) fn hyper_gave_up(&self) -> bool {
        let mut state = lock(&self.state);
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
        lock(&self.state).takeover = Some(Box::new(takeover));
    }

    pub(super) fn takeover(&self) -> Option<Takeover> {
        let mut state = lock(&self.state);
        if !state.answers.is_empty() {
            return None;
        }
        state.takeover.take().map(|t| *t)
    }

    /// The cut that is due when the connection stays idle.
    pub(super) fn idle(&self) -> Option<IdleCut> {
        lock(&self.state).idle
    }
}
