//! What hyper would not do: answers cut in the middle, raw bytes, connections that end by FIN, by RST or never.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::body::Pieces;
use super::shared::Shared;
use super::tap::{IdleCut, Tap};
use super::wire::Wire;
use crate::evidence::Fact;
use crate::scenario::{Cut, Drip};
use crate::term::{CallId, CutBy, Place, Stamp};
use crate::world::{Clock, Socket};

/// After a FIN, how long and how much is still read. A connection closed with bytes unread is reset by the kernel, and
/// the reset can overtake what was sent; a client that neither stops nor leaves is not waited for without end.
const LINGER: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 64 * 1024 * 1024;

/// What is to be done with a connection that is taken from hyper.
pub(super) struct Takeover {
    pub call: CallId,
    /// What is sent first.
    pub sending: Option<Sending>,
    /// The cut that is played, if any; without one the connection is closed in order.
    pub cut: Option<Cut>,
}

/// An answer, or as much of it as is sent.
pub(super) struct Sending {
    /// Status line and header section, or raw bytes.
    pub head: Vec<u8>,
    /// The body; only its length counts where none of it is sent.
    pub body: Pieces,
    /// How much of the body is sent; `None` is all of it, and its end.
    pub body_cut: Option<u64>,
    pub chunked: bool,
    pub drip: Option<Drip>,
    /// Whether this is a complete answer, once it is sent. Raw bytes count as one: what they are is not known.
    pub complete: bool,
}

/// Plays a takeover to its end. Records how the exchange ended.
pub(super) async fn play<S: Socket>(shared: &Shared, mut wire: Wire<S>, tap: &Tap, takeover: Takeover) {
    let Takeover { call, sending, cut } = takeover;
    if cut.is_none_or(|c| c.by != CutBy::Hang) {
        tap.leaves(call);
    }
    let mut complete = sending.as_ref().is_some_and(|s| s.complete);
    let mut cut = cut.map(|c| (c.at, c.by));
    let mut sent = None;
    if let Some(sending) = sending {
        match send(&mut wire, &shared.clock, sending).await {
            Ok(at) => sent = Some(at),
            Err(_) => {
                tap.peer_left();
                (complete, cut) = (false, None);
            }
        }
    }
    let by = cut.map_or(CutBy::Fin, |(_, by)| by);
    end(shared, wire, by, |at| {
        let at = sent.unwrap_or(at);
        shared.recorder.record(Fact::AnswerEnded {
            call,
            at,
            complete,
            cut,
        });
    })
    .await;
    if by == CutBy::Hang {
        tap.peer_left();
    }
}

/// Ends a connection that has been idle for as long as the script says.
pub(super) async fn cut_idle<S: Socket>(shared: &Shared, wire: Wire<S>, idle: IdleCut) {
    end(shared, wire, idle.by, |_| {
        shared.recorder.record(Fact::AnswerEnded {
            call: idle.call,
            at: idle.ended,
            complete: true,
            cut: Some((Place::Idle(idle.after), idle.by)),
        });
    })
    .await;
}

/// Ends a connection so; `ended` is called when the end is with the kernel, with the clock as it was just before: what the
/// client does next may arrive before this task goes on. A hang lasts until the client leaves.
pub(super) async fn end<S: Socket>(shared: &Shared, mut wire: Wire<S>, by: CutBy, ended: impl FnOnce(Stamp)) {
    let at = shared.clock.now();
    match by {
        CutBy::Fin => {
            let shut = wire.shutdown().await;
            ended(at);
            if shut.is_ok() {
                let _ = shared
                    .clock
                    .within(LINGER, read_away(&mut wire, LINGER_BYTES))
                    .await;
            }
        }
        CutBy::Rst => {
            wire.reset_on_drop();
            ended(at);
        }
        CutBy::Hang => {
            ended(at);
            read_away(&mut wire, usize::MAX).await;
        }
    }
}

/// Reads until the client closes or fails, or so many bytes were read.
async fn read_away<S: Socket>(wire: &mut Wire<S>, mut at_most: usize) {
    let mut room = vec![0; 8 * 1024];
    while at_most > 0 {
        match wire.read(&mut room).await {
            Ok(0) | Err(_) => return,
            Ok(n) => at_most = at_most.saturating_sub(n),
        }
    }
}

/// Sends, and tells when the last of it was about to be handed to the kernel.
async fn send<S: Socket>(wire: &mut Wire<S>, clock: &Clock, sending: Sending) -> io::Result<Stamp> {
    let mut body = sending.body;
    let mut allowed = sending.body_cut.unwrap_or(u64::MAX);
    let mut out = sending.head;
    let mut begun = false;
    while body.left() > 0 && allowed > 0 {
        if let Some(drip) = sending.drip.filter(|_| begun) {
            // What is there is sent before the wait.
            wire.write_all(&out).await?;
            wire.flush().await?;
            out.clear();
            clock.sleep(drip.every).await;
        }
        begun = true;
        let piece = body.next(sending.drip.map_or(u64::MAX, |d| d.bytes.max(1)));
        if sending.chunked {
            out.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        }
        let part = usize::try_from(allowed).unwrap_or(usize::MAX).min(piece.len());
        out.extend_from_slice(&piece[..part]);
        allowed -= part as u64;
        if sending.chunked && allowed > 0 {
            out.extend_from_slice(b"\r\n");
        }
        if out.len() > 32 * 1024 {
            wire.write_all(&out).await?;
            out.clear();
        }
    }
    if sending.chunked && sending.body_cut.is_none() {
        out.extend_from_slice(b"0\r\n\r\n");
    }
    let at = clock.now();
    wire.write_all(&out).await?;
    wire.flush().await?;
    Ok(at)
}
