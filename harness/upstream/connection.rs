//! One connection: hyper reads requests and writes answers until the script takes the connection from it.

use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::task::{Context, Poll};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::sync::watch;

use super::by_hand::{self, Takeover};
use super::exchange::{Line, exchange};
use super::served::Served;
use super::tap::{IdleCut, Tap};
use super::wire::Wire;
use crate::evidence::Fact;
use crate::term::{ConnId, CutBy};
use crate::world::{Clock, Socket};

/// The longest head of a request that is read: what common servers read, and a bound for a client that floods.
const HEAD_BYTES: usize = 64 * 1024;

/// How a connection left hyper.
enum Left {
    /// hyper is done with it, in order or not.
    Done(hyper::Result<()>),
    /// The script takes it over.
    Taken(Takeover),
    /// It was idle for as long as the script lets it be.
    Idle(IdleCut),
    /// The dependency begins to refuse connections.
    Refusing,
}

/// Serves a connection to its end. `refusing` tells when the dependency begins to refuse connections, if it ever does.
pub(super) async fn serve<S: Socket>(
    served: Arc<Served>,
    conn: ConnId,
    socket: S,
    mut refusing: Option<watch::Receiver<bool>>,
) {
    let tap = Arc::new(Tap::new(served.shared.clone()));
    let wire = Wire::new(socket, tap.clone());
    let line = Arc::new(Line {
        served: served.clone(),
        conn,
        tap: tap.clone(),
        requests: AtomicU32::new(0),
    });
    let service = service_fn(move |request| exchange(&line, request));
    let mut http = settings().serve_connection(TokioIo::new(wire.clone()), service);
    let left = loop {
        let driven = poll_fn(|cx| drive(&wire, &tap, cx, |cx| http.poll_without_shutdown(cx)));
        let left = tokio::select! {
            // hyper first: it is what arms the idle cut.
            biased;
            left = driven => left,
            () = becomes_true(&mut refusing) => Left::Refusing,
            idle = idled(&tap, &served.shared.clock) => Left::Idle(idle),
        };
        match left {
            Left::Refusing => Pin::new(&mut http).graceful_shutdown(),
            left => break left,
        }
    };
    drop(http);
    match left {
        Left::Done(result) => finish(&served, conn, wire, &tap, result).await,
        Left::Taken(takeover) => by_hand::play(&served.shared, wire, &tap, takeover).await,
        Left::Idle(idle) => by_hand::cut_idle(&served.shared, wire, idle).await,
        Left::Refusing => {}
    }
}

fn settings() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // The Date header is the trial's own: hyper would write the system's clock, in virtual time too.
    // A client may close its sending side after its request and still wait for the answer.
    builder
        .auto_date_header(false)
        .half_close(true)
        .header_read_timeout(None)
        .max_buf_size(HEAD_BYTES);
    builder
}

/// Drives hyper, until it is done or the connection is taken from it, and watches whether the client leaves.
fn drive<S: Socket>(
    wire: &Wire<S>,
    tap: &Tap,
    cx: &mut Context<'_>,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<hyper::Result<()>>,
) -> Poll<Left> {
    if let Poll::Ready(result) = poll(cx) {
        return Poll::Ready(Left::Done(result));
    }
    if let Some(takeover) = tap.takeover() {
        return Poll::Ready(Left::Taken(takeover));
    }
    wire.watch_peer(cx);
    Poll::Pending
}

/// Ready when it becomes true, each time anew; never where nothing is watched.
async fn becomes_true(watched: &mut Option<watch::Receiver<bool>>) {
    let Some(watched) = watched else {
        return pending().await;
    };
    while watched.changed().await.is_ok() {
        if *watched.borrow_and_update() {
            return;
        }
    }
    pending().await
}

/// Ready when a connection with an idle cut has been idle for long enough.
async fn idled(tap: &Tap, clock: &Clock) -> IdleCut {
    loop {
        // Woken together with hyper, whose flush arms it.
        let idle = poll_fn(|_| tap.idle().map_or(Poll::Pending, Poll::Ready)).await;
        clock.sleep_until(idle.since.plus(idle.after)).await;
        if tap.idle() == Some(idle) {
            return idle;
        }
    }
}

/// Ends a connection that hyper is done with.
async fn finish<S: Socket>(
    served: &Served,
    conn: ConnId,
    wire: Wire<S>,
    tap: &Tap,
    result: hyper::Result<()>,
) {
    let shared = &served.shared;
    if shared.is_over() {
        return wire.reset_on_drop();
    }
    let in_exchange = tap.hyper_gave_up();
    if let Err(error) = result
        && let Some(because) = unreadable(&error, in_exchange, tap)
    {
        shared.recorder.record(Fact::Unreadable {
            conn,
            point: served.dependency.name.clone(),
            at: shared.clock.now(),
            because,
        });
    }
    by_hand::end(shared, wire, CutBy::Fin, |_| {}).await;
}

/// What is wrong with a request, where it is that which ended the connection and not the client's leaving.
fn unreadable(error: &hyper::Error, in_exchange: bool, tap: &Tap) -> Option<String> {
    if in_exchange {
        return (!tap.peer_is_gone()).then(|| "its body is not framed as HTTP/1.1 wants it".to_owned());
    }
    if error.is_incomplete_message() {
        return Some("the connection ended in the middle of its head".to_owned());
    }
    error.is_parse().then(|| error.to_string())
}

/// Cuts a connection that was just accepted.
pub(super) async fn cut<S: Socket>(served: Arc<Served>, socket: S, by: CutBy) {
    let tap = Arc::new(Tap::new(served.shared.clone()));
    by_hand::end(&served.shared, Wire::new(socket, tap), by, |_| {}).await;
}

/// Ready when it is true, or nobody is left to say so.
pub(super) async fn is_true(watched: &mut watch::Receiver<bool>) {
    let _ = watched.wait_for(|value| *value).await;
}
