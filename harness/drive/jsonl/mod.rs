//! One process per trial, one line per operation: the jsonl driver.
//!
//! Four tasks stand around the process: one writes its standard input, one reads its standard output, one its
//! standard error, and one waits for its end. None of them waits for another, so a client that does not read, does
//! not stop writing or does not leave holds up nothing but itself.

mod conduct;
mod desk;
mod result;

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Semaphore, mpsc, oneshot};

use self::conduct::Conductor;
use self::desk::Desk;
use super::command::Program;
use super::lines::Lines;
use super::mark::{Mark, Sweeper};
use super::talk::Talk;
use super::tree::{Owned, Pipes, Tree};
use super::{Bounds, Brief, Driver, OperationEnd, Session, StartError};
use crate::client::protocol::{Cancel, HelloBack, MAX_LINE, Order, VERSION};
use crate::client::{Client, DriverPlan};
use crate::evidence::Fact;
use crate::term::OperationId;
use crate::world::RealWorld;

/// Starts an adapter and speaks jsonl with it.
#[derive(Debug, Clone)]
pub struct Jsonl {
    command: Vec<String>,
    folder: Option<std::path::PathBuf>,
    concurrency: u32,
    bounds: Bounds,
}

impl Jsonl {
    /// The driver of a client whose file says `jsonl`.
    ///
    /// # Errors
    /// The client is started in another way: a sentence without a full stop.
    pub fn new(client: &Client) -> Result<Self, String> {
        match &client.driver {
            DriverPlan::Jsonl { command, concurrency } => Ok(Jsonl {
                command: command.clone(),
                folder: client.folder.clone(),
                concurrency: (*concurrency).max(1),
                bounds: Bounds::default(),
            }),
            DriverPlan::Exec { .. } | DriverPlan::Service(_) | DriverPlan::InProcess { .. } => {
                Err(format!("the client `{}` does not speak jsonl", client.name))
            }
        }
    }

    /// The same with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Jsonl { bounds, ..self }
    }

    fn spawn(&self, brief: &Brief, mark: &Mark) -> Result<(Tree, Pipes), String> {
        let (program, arguments) = self
            .command
            .split_first()
            .ok_or("the client's command is empty")?;
        let program = Program::find(program, self.folder.as_deref())?;
        let tmp = brief.tmp.to_string_lossy();
        let mut command = program.command(brief, mark);
        command
            .args(arguments.iter().map(|a| a.replace("{tmp}", &tmp)))
            .stdin(std::process::Stdio::piped());
        Tree::spawn(&mut command)
            .map_err(|e| format!("the command `{}` could not be started: {e}", program.written()))
    }
}

impl Driver<RealWorld> for Jsonl {
    type Session = JsonlSession;

    fn concurrency(&self) -> u32 {
        self.concurrency
    }

    async fn start(&self, brief: Brief) -> Result<JsonlSession, StartError> {
        let sweeper = Sweeper::new(Mark::new(&brief));
        let (tree, pipes) = self
            .spawn(&brief, sweeper.mark())
            .map_err(|because| brief.broke(because))?;
        let Pipes {
            stdin: Some(stdin),
            stdout: Some(stdout),
            stderr: Some(stderr),
        } = pipes
        else {
            return Err(brief.broke("the client could not be given its pipes".to_owned()));
        };
        let talk = Talk::new(brief.clone(), self.bounds);
        let (lines, to_write) = mpsc::unbounded_channel();
        let process = conduct::Process {
            tree,
            sweeper,
            stderr: Owned(tokio::spawn(talk.clone().listen(stderr))),
            writer: Owned(tokio::spawn(write(stdin, to_write))),
        };
        let stdout = Lines::new(stdout, MAX_LINE);
        let pen = Pen(lines);
        pen.write(&brief.hello);
        self.greet(brief, process, stdout, talk, pen).await
    }
}

impl Jsonl {
    /// Waits for the client's hello, and puts the session together.
    async fn greet(
        &self,
        brief: Brief,
        process: conduct::Process,
        mut stdout: Lines<ChildStdout>,
        talk: Talk,
        pen: Pen,
    ) -> Result<JsonlSession, StartError> {
        let bound = self.bounds.start;
        let hello = match brief.clock.within(bound, hello(&mut stdout, &talk)).await {
            Ok(Ok(hello)) => hello,
            Ok(Err(did)) => return Err(process.fail(brief, self.bounds, &talk, did).await),
            Err(_) => {
                let did = format!("did not say hello within {} ms", bound.as_millis());
                return Err(process.fail(brief, self.bounds, &talk, Some(did)).await);
            }
        };
        brief.recorder.record(Fact::ClientReady {
            name: result::kept(hello.client),
            version: hello.version.map(result::kept),
            at: brief.clock.now(),
        });
        let desk = Arc::new(Desk::new(brief.clone(), talk));
        let reading = Owned(tokio::spawn(result::read(stdout, desk.clone())));
        let (dismiss, dismissed) = oneshot::channel();
        let conductor = Conductor::new(process, reading, desk.clone(), self.bounds, dismissed);
        Ok(JsonlSession {
            desk,
            pen,
            places: Arc::new(Semaphore::new(self.concurrency as usize)),
            dismiss,
            conductor: Owned(tokio::spawn(conductor.run())),
        })
    }
}

/// Reads until the client says hello. `Err(None)`: its standard output ended before.
async fn hello(stdout: &mut Lines<ChildStdout>, talk: &Talk) -> Result<HelloBack, Option<String>> {
    loop {
        let line = match stdout.next().await {
            Ok(Some(line)) => line,
            Ok(None) => return Err(None),
            Err(e) => return Err(Some(format!("could not be read from: {e}"))),
        };
        let Some(json) = result::json(&line, talk).map_err(Some)? else {
            continue;
        };
        let hello: HelloBack = serde_json::from_slice(json).map_err(|e| {
            Some(format!(
                "wrote a line that is no hello ({e}): {}",
                result::show(json)
            ))
        })?;
        if hello.retrial != VERSION {
            let version = hello.retrial;
            return Err(Some(format!(
                "speaks version {version} of the lines, and not {VERSION}"
            )));
        }
        return Ok(hello);
    }
}

/// Writes lines to the client until there are no more, then ends its input.
async fn write(mut stdin: ChildStdin, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        // A client that closed its input is noticed by its exit or by its silence.
        if stdin.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Writes lines for the writing task; dropped, the client's input ends.
struct Pen(mpsc::UnboundedSender<String>);

impl Pen {
    fn write<T: Serialize>(&self, what: &T) {
        // The lines are plain structs with string keys: they always serialise.
        if let Ok(mut line) = serde_json::to_string(what) {
            line.push('\n');
            // The writing task ends early only when the client closed its input.
            let _ = self.0.send(line);
        }
    }
}

/// An adapter, running.
pub struct JsonlSession {
    desk: Arc<Desk>,
    pen: Pen,
    places: Arc<Semaphore>,
    dismiss: oneshot::Sender<Duration>,
    conductor: Owned<()>,
}

impl Session for JsonlSession {
    async fn operate(&self, order: Order) -> OperationEnd {
        let Ok(place) = self.places.clone().acquire_owned().await else {
            return OperationEnd::ClientBroke;
        };
        let Some(end) = self.desk.hand_over(order.op, place) else {
            return OperationEnd::ClientBroke;
        };
        self.pen.write(&order);
        end.await.unwrap_or(OperationEnd::ClientBroke)
    }

    async fn cancel(&self, op: OperationId) {
        self.pen.write(&Cancel { cancel: op });
    }

    async fn finish(self, grace: Duration) {
        let JsonlSession {
            desk,
            pen,
            places: _,
            dismiss,
            mut conductor,
        } = self;
        desk.dismiss();
        drop(pen);
        // The conductor may be done already: the client had left.
        let _ = dismiss.send(grace);
        let _ = (&mut conductor.0).await;
    }
}
