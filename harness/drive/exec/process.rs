//! One operation's process, from its command line to its exit status.

use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::sync::oneshot;

use super::placeholders::{Values, body_of};
use crate::client::protocol::Order;
use crate::client::{Argument, StdoutIs, SuccessIs};
use crate::drive::command::Program;
use crate::drive::mark::Mark;
use crate::drive::talk::Talk;
use crate::drive::tree::{Owned, Pipes, Tree, describe, end_of};
use crate::drive::{Bounds, Brief, OperationEnd};
use crate::evidence::{ClientEnd, Fact, Outcome};
use crate::term::{Claim, OperationId, Stamp, StopReason};

/// What all processes of a trial have in common.
pub(super) struct Plan {
    pub(super) program: Program,
    pub(super) arguments: Vec<Argument>,
    pub(super) success: SuccessIs,
    pub(super) stdout: StdoutIs,
    pub(super) talk: Talk,
    pub(super) bounds: Bounds,
    pub(super) mark: Mark,
    pub(super) brief: Brief,
}

/// Why a process is ended by retrial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The caller gave up on the operation.
    Cancelled,
    /// The trial is over.
    Finished,
}

impl Plan {
    /// Runs the operation's process, tells its end, and stays with the children that it leaves until `ending`.
    pub(super) async fn run(
        &self,
        order: Order,
        mut ending: oneshot::Receiver<Ending>,
        tell: impl FnOnce(OperationEnd),
    ) {
        let mut command = match self.command(&order).await {
            Ok(command) => command,
            Err(because) => return tell(self.could_not_run(order.op, because)),
        };
        let (mut tree, pipes) = match Tree::spawn(&mut command) {
            Ok(spawned) => spawned,
            Err(e) => return tell(self.not_started(order.op, &e)),
        };
        let mut ears = Ears::new(pipes, self.stdout, self.talk.of_one_process());
        tokio::select! {
            status = tree.wait() => {
                let at = self.brief.clock.now();
                let how = match status {
                    Ok(status) => end_of(status),
                    Err(e) => ClientEnd::Killed { why: format!("its exit could not be waited for: {e}") },
                };
                let body_sha256 = ears.drain(&self.brief, self.bounds).await;
                tell(self.exited(order.op, at, how, body_sha256, &ears.talk));
                // Children that it left may still make calls, and those are to be seen.
                let _ = ending.await;
                tree.kill(self.brief.clock).await;
            }
            why = &mut ending => {
                tree.end(self.brief.clock, self.bounds).await;
                if let Some(end) = self.ended(order.op, why.unwrap_or(Ending::Finished)).await {
                    tell(end);
                }
            }
        }
    }

    /// # Errors
    /// The operation cannot be put into a command line: a clause.
    async fn command(&self, order: &Order) -> Result<Command, String> {
        let body = body_of(order)?;
        let file = body
            .as_ref()
            .map(|_| self.brief.tmp.join(format!("{}.body", order.op)));
        if let (Some(file), Some(body)) = (&file, &body) {
            tokio::fs::write(file, body)
                .await
                .map_err(|e| format!("its body could not be written to a file: {e}"))?;
        }
        let (hello, tmp) = (&self.brief.hello, &self.brief.tmp);
        let values = Values::of(order, hello, body.as_deref(), file.as_deref(), tmp);
        let mut command = self.program.command(&self.brief, &self.mark);
        command
            .args(values.arguments(&self.arguments)?)
            .envs(values.environment());
        Ok(command)
    }

    fn could_not_run(&self, op: OperationId, because: String) -> OperationEnd {
        let at = self.brief.clock.now();
        self.brief.recorder.record(Fact::CouldNotRun { op, at, because });
        OperationEnd::CouldNotRun
    }

    fn not_started(&self, op: OperationId, e: &std::io::Error) -> OperationEnd {
        let at = self.brief.clock.now();
        let program = self.program.written();
        let because = format!("the command `{program}` could not be started for {op}: {e}");
        self.brief.recorder.record(Fact::ClientBroke { at, because });
        OperationEnd::ClientBroke
    }

    /// It ended by itself: its exit status is its result.
    fn exited(
        &self,
        op: OperationId,
        at: Stamp,
        how: ClientEnd,
        body_sha256: Option<String>,
        talk: &Talk,
    ) -> OperationEnd {
        let claim = match (&how, self.success) {
            (ClientEnd::Exited(0), SuccessIs::Answered) => Claim::Answered,
            (ClientEnd::Exited(0), SuccessIs::ExitZero) => Claim::Ok,
            _ => Claim::Failed,
        };
        let error = (claim == Claim::Failed).then(|| match talk.last_line() {
            Some(line) => format!("{}: {line}", describe(&how)),
            None => describe(&how),
        });
        let result = Outcome {
            claim,
            status: None,
            attempts: None,
            stop: StopReason::Unreported,
            body_sha256,
            error,
        };
        self.brief.recorder.record(Fact::ClientEnded { at, how });
        self.reported(op, at, result)
    }

    /// It was ended by retrial. An operation that was cancelled has an end; one that the trial gave up on has none.
    async fn ended(&self, op: OperationId, why: Ending) -> Option<OperationEnd> {
        let at = self.brief.clock.now();
        let (clause, cancelled) = match why {
            Ending::Cancelled => (format!("the caller gave up on {op}"), true),
            Ending::Finished => (format!("the trial was over before {op} ended"), false),
        };
        let how = ClientEnd::Killed { why: clause.clone() };
        self.brief.recorder.record(Fact::ClientEnded { at, how });
        if !cancelled {
            return None;
        }
        self.mark.sweep(self.brief.clock, Some(op)).await;
        let result = Outcome {
            claim: Claim::Failed,
            status: None,
            attempts: None,
            stop: StopReason::Cancelled,
            body_sha256: None,
            error: Some(clause),
        };
        Some(self.reported(op, at, result))
    }

    fn reported(&self, op: OperationId, at: Stamp, result: Outcome) -> OperationEnd {
        let end = OperationEnd::Reported(result.clone());
        self.brief.recorder.record(Fact::Reported { op, at, result });
        end
    }
}

/// What listens at a process's output.
struct Ears {
    talk: Talk,
    stderr: Option<Owned<()>>,
    stdout: Option<Owned<Option<String>>>,
}

impl Ears {
    fn new(pipes: Pipes, stdout_is: StdoutIs, talk: Talk) -> Self {
        let stderr = pipes
            .stderr
            .map(|pipe| Owned(tokio::spawn(talk.clone().listen(pipe))));
        let talk_of_stdout = talk.clone();
        let stdout = pipes.stdout.map(|pipe| {
            Owned(tokio::spawn(async move {
                match stdout_is {
                    StdoutIs::Body => digest(pipe).await,
                    StdoutIs::Talk => {
                        talk_of_stdout.listen(pipe).await;
                        None
                    }
                }
            }))
        });
        Ears { talk, stderr, stdout }
    }

    /// Waits a moment for what is still in the pipes; a grandchild may hold them open for ever. Returns the digest of
    /// the body, if standard output is one and came to its end.
    async fn drain(&mut self, brief: &Brief, bounds: Bounds) -> Option<String> {
        let (clock, grace) = (brief.clock, bounds.pipe_grace);
        if let Some(stderr) = &mut self.stderr {
            let _ = clock.within(grace, &mut stderr.0).await;
        }
        let stdout = self.stdout.as_mut()?;
        clock.within(grace, &mut stdout.0).await.ok()?.ok()?
    }
}

/// SHA-256 of everything that comes, in hexadecimal, in constant memory; `None` where reading fails.
async fn digest<R: AsyncRead + Unpin>(mut pipe: R) -> Option<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        match pipe.read(&mut buffer).await.ok()? {
            0 => return Some(format!("{:x}", hash.finalize())),
            n => hash.update(&buffer[..n]),
        }
    }
}
