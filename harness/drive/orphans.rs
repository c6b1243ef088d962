//! Processes that escaped from their trial: they left their group and cleared their environment, so that neither the
//! group nor the mark leads to them. On Linux this program can have itself made their parent, and so find them.

use std::collections::BTreeSet;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

use crate::world::Clock;

/// How often the processes are looked through: the children of one that was killed come to us in the next round.
const ROUNDS: u32 = 100;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Makes this program the parent of whatever its clients leave behind. For a program whose children are all clients;
/// where the system has no such thing it finds nothing.
pub struct Orphanage {
    /// Children that were there before: a shell that starts jobs and then becomes this program hands them over.
    strangers: BTreeSet<Pid>,
}

impl Orphanage {
    /// From now on orphans come to this program.
    pub fn open() -> Self {
        let strangers = children().into_iter().collect();
        #[cfg(target_os = "linux")]
        // Refused only by kernels before 3.4: then there are no orphans to be found.
        let _ = nix::sys::prctl::set_child_subreaper(true);
        Orphanage { strangers }
    }

    /// Ends every orphan. To be called when the last trial is over: whoever is left belongs to no trial any more.
    pub async fn close(self, clock: Clock) {
        for _ in 0..ROUNDS {
            let orphans = self.orphans();
            if orphans.is_empty() {
                return;
            }
            for pid in &orphans {
                // Gone in the meantime is as good.
                let _ = kill(*pid, Signal::SIGKILL);
            }
            let gone = orphans.iter().filter(|pid| is_reaped(**pid)).count();
            if gone < orphans.len() {
                // What was killed takes a moment to die.
                clock.sleep(PAUSE).await;
            }
        }
    }

    fn orphans(&self) -> Vec<Pid> {
        let all = children().into_iter();
        all.filter(|pid| !self.strangers.contains(pid)).collect()
    }
}

/// Whether a killed child is gone, its remains included.
fn is_reaped(pid: Pid) -> bool {
    waitpid(pid, Some(WaitPidFlag::WNOHANG)).map_or(true, |status| status.pid().is_some())
}

/// The children of this program, dead ones that nobody waited for included. Without /proc there are none to be found.
fn children() -> Vec<Pid> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .flatten()
        .filter_map(|entry| {
            let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read(entry.path().join("stat")).ok()?;
            (parent(&stat)? == Pid::this()).then(|| Pid::from_raw(pid))
        })
        .collect()
}

/// The parent in the text of `/proc/PID/stat`: the second word behind the name, which may hold anything, brackets too.
fn parent(stat: &[u8]) -> Option<Pid> {
    let end = stat.iter().rposition(|b| *b == b')')?;
    let rest = std::str::from_utf8(&stat[end + 1..]).ok()?;
    let parent = rest.split_whitespace().nth(1)?.parse().ok()?;
    Some(Pid::from_raw(parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_hide_the_parent() {
        assert_eq!(parent(b"7 (a) R 1) S 42 7 7 0"), Some(Pid::from_raw(42)));
        assert_eq!(parent(b"7 (a"), None);
    }
}
