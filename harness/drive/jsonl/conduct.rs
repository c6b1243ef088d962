//! The end of an adapter, however it comes: it leaves, falls silent, breaks the protocol, or is dismissed.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinError;

use super::desk::Desk;
use crate::drive::mark::Sweeper;
use crate::drive::talk::Talk;
use crate::drive::tree::{Owned, Tree, describe, end_of};
use crate::drive::{Bounds, Brief, StartError};
use crate::evidence::{ClientEnd, Fact};

/// An adapter's process and the tasks at its pipes, standard output aside. Dropped, it is killed with all its
/// children: the group first, then whoever carries the mark.
pub(super) struct Process {
    pub(super) tree: Tree,
    pub(super) sweeper: Sweeper,
    pub(super) stderr: Owned<()>,
    pub(super) writer: Owned<()>,
}

impl Process {
    /// Ends a client that did not get as far as its hello. `did` is what it did; `None`: its output ended.
    pub(super) async fn fail(
        mut self,
        brief: Brief,
        bounds: Bounds,
        talk: &Talk,
        did: Option<String>,
    ) -> StartError {
        // Output ends at an exit, or a moment before it.
        let exited = match did {
            None => brief.clock.within(bounds.pipe_grace, self.tree.wait()).await.ok(),
            Some(_) => None,
        };
        let (did, how) = match exited {
            Some(status) => {
                let how = end_of_waited(status);
                (
                    Some(format!("left with {} before its hello", describe(&how))),
                    how,
                )
            }
            None => {
                self.tree.end(brief.clock, bounds).await;
                (did, killed("it did not get as far as its hello"))
            }
        };
        // Its last words may still be in the pipe.
        let _ = brief.clock.within(bounds.pipe_grace, &mut self.stderr.0).await;
        self.leave(&brief, how).await;
        let did = did.unwrap_or_else(|| "closed its standard output before its hello".to_owned());
        brief.broke(format!("the client {did}{}", talk.last_words()))
    }

    /// Sees to it that nothing is left, and records how it ended.
    async fn leave(self, brief: &Brief, how: ClientEnd) {
        let Process {
            mut tree,
            sweeper,
            stderr,
            writer,
        } = self;
        tree.kill(brief.clock).await;
        sweeper.sweep(brief.clock).await;
        drop((stderr, writer));
        let at = brief.clock.now();
        brief.recorder.record(Fact::ClientEnded { at, how });
    }
}

/// Waits for whatever ends the client.
pub(super) struct Conductor {
    process: Process,
    reading: Option<Owned<Result<(), String>>>,
    desk: Arc<Desk>,
    bounds: Bounds,
    dismissed: oneshot::Receiver<Duration>,
}

enum Event {
    /// Standard output ended, or the protocol was broken.
    Silent(Result<Result<(), String>, JoinError>),
    Exited(std::io::Result<ExitStatus>),
    Dismissed(Duration),
}

impl Conductor {
    pub(super) fn new(
        process: Process,
        reading: Owned<Result<(), String>>,
        desk: Arc<Desk>,
        bounds: Bounds,
        dismissed: oneshot::Receiver<Duration>,
    ) -> Self {
        Conductor {
            process,
            reading: Some(reading),
            desk,
            bounds,
            dismissed,
        }
    }

    /// Runs until no process of the client is left.
    pub(super) async fn run(mut self) {
        let how = loop {
            match self.next().await {
                Event::Exited(status) => break self.left(status).await,
                Event::Dismissed(grace) => break self.dismiss(grace).await,
                Event::Silent(said) => {
                    self.reading = None;
                    self.silent(said).await;
                }
            }
            if self.desk.is_broken() {
                self.process.tree.end(self.desk.brief().clock, self.bounds).await;
                break killed("it broke the protocol");
            }
        };
        self.desk.gone("was ended");
        self.process.leave(self.desk.brief(), how).await;
    }

    async fn next(&mut self) -> Event {
        let reading = self.reading.as_mut();
        let silent = async {
            match reading {
                Some(reading) => (&mut reading.0).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            said = silent => Event::Silent(said),
            status = self.process.tree.wait() => Event::Exited(status),
            grace = &mut self.dismissed => Event::Dismissed(grace.unwrap_or_default()),
        }
    }

    /// Its standard output ended, by itself or because reading stopped at a fault. Where it ended by itself the
    /// client is likely to be leaving: that tells more than the silence.
    async fn silent(&mut self, said: Result<Result<(), String>, JoinError>) {
        match said {
            Ok(Err(did)) => self.desk.broke(&did),
            Ok(Ok(())) | Err(_) => {
                let clock = self.desk.brief().clock;
                let exit = clock.within(self.bounds.pipe_grace, self.process.tree.wait());
                if exit.await.is_err() {
                    self.desk.gone("closed its standard output");
                }
            }
        }
    }

    /// It left: what it said before counts.
    async fn left(&mut self, status: std::io::Result<ExitStatus>) -> ClientEnd {
        let how = end_of_waited(status);
        self.drain().await;
        self.desk.gone(&format!("left with {}", describe(&how)));
        how
    }

    /// The trial is over: it may drain and leave, and is ended if it does not.
    async fn dismiss(&mut self, grace: Duration) -> ClientEnd {
        let clock = self.desk.brief().clock;
        if let Ok(status) = clock.within(grace, self.process.tree.wait()).await {
            return self.left(status).await;
        }
        self.process.tree.end(clock, self.bounds).await;
        match grace.is_zero() {
            true => killed("it was not waited for any longer"),
            false => killed(&format!(
                "it did not leave within {} ms after the end of its input",
                grace.as_millis()
            )),
        }
    }

    /// Waits a moment for what is still in the pipes: a grandchild may hold them open for ever.
    async fn drain(&mut self) {
        let (clock, grace) = (self.desk.brief().clock, self.bounds.pipe_grace);
        // Standard error first: the last words belong to a fault that standard output shows.
        let _ = clock.within(grace, &mut self.process.stderr.0).await;
        if let Some(mut reading) = self.reading.take()
            && let Ok(Ok(Err(did))) = clock.within(grace, &mut reading.0).await
        {
            self.desk.broke(&did);
        }
    }
}

fn killed(why: &str) -> ClientEnd {
    let why = why.to_owned();
    ClientEnd::Killed { why }
}

/// An exit that could not be waited for is told as one without a known status.
fn end_of_waited(status: std::io::Result<ExitStatus>) -> ClientEnd {
    match status {
        Ok(status) => end_of(status),
        Err(e) => killed(&format!("its exit could not be waited for: {e}")),
    }
}
