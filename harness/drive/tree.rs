//! A process and its group: started together, signalled together, ended together, reaped.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use super::Bounds;
use crate::evidence::ClientEnd;
use crate::world::Clock;

/// For how long a killed process is waited for.
const REAPED_WITHIN: Duration = Duration::from_secs(5);

/// A process that leads a group of its own. Dropped, the whole group is killed.
pub(super) struct Tree {
    child: Child,
    /// The group, for as long as there may be somebody in it. A number is not given out again while a group uses it.
    group: Option<Pid>,
}

/// The ends of a process's pipes that are ours.
pub(super) struct Pipes {
    /// To write to; `None` where the process was given no standard input.
    pub(super) stdin: Option<ChildStdin>,
    /// To read from.
    pub(super) stdout: Option<ChildStdout>,
    /// To read from.
    pub(super) stderr: Option<ChildStderr>,
}

impl Tree {
    /// Starts the command as the leader of a new group.
    ///
    /// # Errors
    /// As the system gives them.
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Tree, Pipes)> {
        let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
        let pipes = Pipes {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
        };
        let group = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .map(Pid::from_raw);
        Ok((Tree { child, group }, pipes))
    }

    /// Waits for the leader. Cancel-safe.
    pub(super) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        // The leader is reaped: if nobody else is in its group, the number may soon belong to a stranger.
        if let Some(group) = self.group
            && killpg(group, None) == Err(Errno::ESRCH)
        {
            self.group = None;
        }
        status
    }

    /// Asks the group to leave, waits for the leader, then kills what is left of the group. Whether the leader left.
    pub(super) async fn end(&mut self, clock: Clock, bounds: Bounds) -> bool {
        self.signal(Signal::SIGTERM);
        // An error is as good as an exit: there is nothing to wait for.
        let left = clock.within(bounds.term_grace, self.wait()).await.is_ok();
        self.kill(clock).await;
        left
    }

    /// Kills the group and reaps the leader.
    pub(super) async fn kill(&mut self, clock: Clock) {
        self.signal(Signal::SIGKILL);
        // SIGKILL cannot be refused, but a process that the kernel holds up dies late; it is reaped all the same when
        // the child is dropped. An error means that the leader is reaped already.
        let _ = clock.within(REAPED_WITHIN, self.child.wait()).await;
        self.group = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // A group that is gone needs no signal.
            let _ = killpg(group, signal);
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
    }
}

/// How a process ended that retrial did not end.
pub(super) fn end_of(status: ExitStatus) -> ClientEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => ClientEnd::Exited(code),
        (None, signal) => ClientEnd::Signalled(signal.unwrap_or_default()),
    }
}

/// `exit status 3` or `signal 9`.
pub(super) fn describe(end: &ClientEnd) -> String {
    match end {
        ClientEnd::Exited(code) => format!("exit status {code}"),
        ClientEnd::Signalled(signal) => match Signal::try_from(*signal) {
            Ok(name) => format!("signal {signal} ({name})"),
            Err(_) => format!("signal {signal}"),
        },
        ClientEnd::Killed { why } => format!("being ended: {why}"),
    }
}

/// A task that does not outlive its owner.
pub(super) struct Owned<T>(pub(super) JoinHandle<T>);

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
