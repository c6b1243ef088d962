//! The body of an answer, as hyper takes it: in one piece, in large pieces, or slowly.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::tap::Tap;
use crate::scenario::{Answer, AnswerBody, Drip, Framing};
use crate::term::CallId;
use crate::world::Clock;

/// Zeros are sent from here, a piece at a time.
static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];

/// The bytes of an answer's body that are still to be sent.
pub(super) struct Pieces {
    text: Bytes,
    left: u64,
}

impl Pieces {
    /// All of this body.
    pub(super) fn of(body: &AnswerBody) -> Self {
        let text = match body {
            AnswerBody::Empty | AnswerBody::Zeros(_) => Bytes::new(),
            AnswerBody::Text(text) => Bytes::copy_from_slice(text.as_bytes()),
        };
        Pieces {
            text,
            left: body.len(),
        }
    }

    /// No bytes: what HEAD, 204 and 304 are answered.
    pub(super) fn none() -> Self {
        Pieces::of(&AnswerBody::Empty)
    }

    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// The next piece, of at most so many bytes; empty at the end.
    pub(super) fn next(&mut self, at_most: u64) -> Bytes {
        let n = self.left.min(at_most).min(ZEROS.len() as u64);
        self.left -= n;
        // Never more than ZEROS has.
        let n = n as usize;
        match self.text.is_empty() {
            true => Bytes::from_static(&ZEROS[..n]),
            false => self.text.split_to(n.min(self.text.len())),
        }
    }
}

/// The body of an answer that hyper writes.
pub(super) struct AnswerStream {
    pieces: Pieces,
    /// Whether its length is told before it.
    sized: bool,
    /// Whether hyper was told that it has ended.
    ended: bool,
    slow: Option<Box<Slow>>,
    call: CallId,
    tap: Arc<Tap>,
}

struct Slow {
    drip: Drip,
    clock: Clock,
    begun: bool,
    wait: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl AnswerStream {
    /// The body of this answer to this call; `bare` where the method or the status allows none.
    pub(super) fn new(answer: &Answer, bare: bool, call: CallId, tap: Arc<Tap>, clock: Clock) -> Self {
        let pieces = if bare {
            Pieces::none()
        } else {
            Pieces::of(&answer.body)
        };
        let sized = bare || answer.framing != Framing::Chunked;
        let slow = answer.drip.map(|drip| {
            Box::new(Slow {
                drip,
                clock,
                begun: false,
                wait: None,
            })
        });
        AnswerStream {
            ended: false,
            pieces,
            sized,
            slow,
            call,
            tap,
        }
    }
}

impl Body for AnswerStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let at_most = match this.slow.as_mut().filter(|_| this.pieces.left() > 0) {
            Some(slow) => ready!(slow.poll_next(cx)),
            None => u64::MAX,
        };
        let piece = this.pieces.next(at_most);
        if this.pieces.left() == 0 {
            this.ended = true;
            this.tap.answer_is_whole_now(this.call);
        }
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.ended || (self.sized && self.pieces.left() == 0)
    }

    fn size_hint(&self) -> SizeHint {
        if self.sized {
            SizeHint::with_exact(self.pieces.left())
        } else {
            SizeHint::default()
        }
    }
}

impl Slow {
    /// Ready with the size of the next piece when it is due.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<u64> {
        if self.begun && !self.drip.every.is_zero() {
            let (clock, every) = (self.clock, self.drip.every);
            let wait = self
                .wait
                .get_or_insert_with(|| Box::pin(async move { clock.sleep(every).await }));
            ready!(wait.as_mut().poll(cx));
            self.wait = None;
        }
        self.begun = true;
        Poll::Ready(self.drip.bytes.max(1))
    }
}
