//! Ctrl-C: once to stop with a report, twice to leave at once.

use std::future::Future;
use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::print;

/// Runs what `start` makes, which is told of the first interruption. `None` where a second one came before its end:
/// then it was dropped.
///
/// # Errors
/// The system does not let signals be handled.
pub(super) async fn interruptible<F: Future>(
    start: impl FnOnce(watch::Receiver<bool>) -> F,
) -> io::Result<Option<F::Output>> {
    let mut signals = Signals::watched()?;
    let (told, interrupted) = watch::channel(false);
    let twice = async {
        signals.next().await;
        print::talk("interrupted: the clients are being ended; once more to leave without a report\n");
        told.send_replace(true);
        signals.next().await;
    };
    tokio::select! {
        output = start(interrupted) => Ok(Some(output)),
        () = twice => Ok(None),
    }
}

/// The signals by which somebody ends the program.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// From now on they end the program no more by themselves.
    ///
    /// # Errors
    /// The system does not let signals be handled.
    pub(super) fn watched() -> io::Result<Self> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Ready when the next one comes.
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
