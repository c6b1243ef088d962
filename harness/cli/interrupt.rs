//! Ctrl-C: once to stop with a report, twice to leave at once.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::{output_file, print};
use crate::suite::Exit;

/// Signals, heard from the moment this is made: whatever is read before the run begins, none is lost.
pub(super) struct Interruptions {
    /// How many there were.
    heard: watch::Receiver<u32>,
    /// Whether clients may be running, which have to be ended before the program leaves.
    playing: Arc<AtomicBool>,
}

impl Interruptions {
    /// Listens on the runtime.
    ///
    /// # Errors
    /// The system does not let signals be handled.
    pub(super) fn of(runtime: &Runtime) -> io::Result<Interruptions> {
        let _inside = runtime.enter();
        let mut signals = Signals::watched()?;
        let (told, heard) = watch::channel(0);
        let playing = Arc::new(AtomicBool::new(false));
        let is_playing = Arc::clone(&playing);
        runtime.spawn(async move {
            loop {
                signals.next().await;
                told.send_modify(|n| *n += 1);
                match (*told.borrow(), is_playing.load(Ordering::SeqCst)) {
                    (1, _) => print::talk(
                        "interrupted: the clients are being ended; once more to leave without a report\n",
                    ),
                    // What is waited for is a file, and no client is there to be ended.
                    (_, false) => output_file::leave(Exit::Interrupted as i32),
                    (_, true) => {}
                }
            }
        });
        Ok(Interruptions { heard, playing })
    }

    /// Runs what `start` makes, which is told of the first interruption. `None` where a second one came before its
    /// end: then it was dropped.
    pub(super) async fn interrupting<F: Future>(
        &self,
        start: impl FnOnce(watch::Receiver<bool>) -> F,
    ) -> Option<F::Output> {
        self.playing.store(true, Ordering::SeqCst);
        let (told, interrupted) = watch::channel(false);
        let mut heard = self.heard.clone();
        let twice = async {
            // The listener lives as long as the runtime, so there is no end of it to wait for.
            let _ = heard.wait_for(|n| *n > 0).await;
            told.send_replace(true);
            let _ = heard.wait_for(|n| *n > 1).await;
        };
        tokio::select! {
            output = start(interrupted) => Some(output),
            () = twice => None,
        }
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
