//! The mark in the environment of every process of a trial: by it a child is found that left its process group.
//!
//! A child that calls `setsid` cannot be reached by a signal to the group. It inherits the environment, though, and
//! on Linux `/proc/PID/environ` shows it. A child that also clears its environment is left to the orphanage.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};

use super::Brief;
use super::marked::{Marked, look, marked};
use crate::term::OperationId;
use crate::world::Clock;

/// The variable that carries the mark.
pub(super) const VARIABLE: &str = "RETRIAL_TRIAL";

/// How often the processes are looked through: a process that was killed may have forked in the meantime.
const ROUNDS: u32 = 40;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// A mark that no other trial on this machine carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    value: Arc<str>,
}

impl Mark {
    /// A new mark: this process, a count, and the name of the trial's own folder, which is random.
    pub(super) fn new(brief: &Brief) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = brief.tmp.file_name().unwrap_or_default().to_string_lossy();
        let value = format!("{}-{count}-{folder}", std::process::id()).into();
        Mark { value }
    }

    #[cfg(test)]
    pub(super) fn called(value: String) -> Self {
        Mark { value: value.into() }
    }

    /// What the variable says.
    pub(super) fn value(&self) -> &str {
        &self.value
    }

    /// Kills every process that carries the mark, until there is none, within bounds.
    pub(super) async fn sweep(&self, clock: Clock, op: Option<OperationId>) {
        for _ in 0..ROUNDS {
            // No answer: whoever was to look was stopped before it did.
            if look(self.clone(), op).await == Some(0) {
                return;
            }
            clock.sleep(PAUSE).await;
        }
    }

    /// The same at once, for a `Drop`: a few looks without a pause.
    pub(super) fn sweep_now(&self) {
        for _ in 0..5 {
            if self.kill_among(&marked(), None) == 0 {
                return;
            }
        }
    }

    /// Kills those that carry the mark (and belong to `op`); returns how many there were.
    pub(super) fn kill_among(&self, processes: &[Marked], op: Option<OperationId>) -> usize {
        let wanted = format!("{VARIABLE}={}", self.value);
        let of_op = op.map(|op| format!("RETRIAL_OP={op}"));
        let bears = |p: &&Marked| p.says(&wanted) && of_op.as_deref().is_none_or(|op| p.says(op));
        let mut killed = 0;
        for bearer in processes.iter().filter(bears) {
            // Gone in the meantime is as good.
            let _ = kill(bearer.pid, Signal::SIGKILL);
            killed += 1;
        }
        killed
    }
}

/// The marks of all trials that have a client now.
static LIVE: Mutex<BTreeSet<Arc<str>>> = Mutex::new(BTreeSet::new());

fn live() -> MutexGuard<'static, BTreeSet<Arc<str>>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills every process of every trial of this program at once, for a program that is about to exit without dropping
/// its trials (a second Ctrl-C). Where there is no /proc it finds none.
pub fn end_all_clients() {
    let values: Vec<Arc<str>> = live().iter().cloned().collect();
    for value in values {
        Mark { value }.sweep_now();
    }
}

/// Kills what still carries the mark when it is dropped: a trial that is given up or panics leaves nothing behind.
pub(super) struct Sweeper {
    mark: Mark,
    armed: bool,
}

impl Sweeper {
    pub(super) fn new(mark: Mark) -> Self {
        live().insert(mark.value.clone());
        Sweeper { mark, armed: true }
    }

    /// The mark it watches over.
    pub(super) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Sweeps in peace; nothing is left to do on drop.
    pub(super) async fn sweep(mut self, clock: Clock) {
        self.mark.sweep(clock, None).await;
        self.armed = false;
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        if self.armed {
            self.mark.sweep_now();
        }
        live().remove(&self.mark.value);
    }
}

/// A process that carries a mark and does nothing.
#[cfg(test)]
pub(super) fn bearer(mark: &str) -> std::process::Child {
    let mut command = std::process::Command::new("sleep");
    let child = command.arg("300").env(VARIABLE, mark).spawn().unwrap();
    // The system says that it is started a moment before its environment can be read.
    let environ = format!("/proc/{}/environ", child.id());
    while std::fs::read(&environ).unwrap().is_empty() {
        std::thread::yield_now();
    }
    child
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_program_that_exits_at_once_can_end_all_its_clients() {
        if !std::path::Path::new("/proc/self/environ").exists() {
            return;
        }
        let value: Arc<str> = format!("test-{}", std::process::id()).into();
        let _sweeper = Sweeper::new(Mark { value: value.clone() });
        let (mut ours, mut other) = (bearer(&value), bearer("no trial's"));
        end_all_clients();
        assert_eq!(ours.wait().unwrap().signal(), Some(9));
        assert_eq!(other.try_wait().unwrap(), None);
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
