//! Looking for the processes that carry a mark.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::unistd::Pid;
use tokio::sync::oneshot;

use super::mark::{Mark, VARIABLE};
use crate::term::OperationId;

/// A living process whose environment carries a mark, of whichever trial.
pub(super) struct Marked {
    pub(super) pid: Pid,
    environment: Vec<u8>,
}

impl Marked {
    pub(super) fn says(&self, what: &str) -> bool {
        self.environment.split(|b| *b == 0).any(|v| v == what.as_bytes())
    }
}

/// The living processes that carry a mark. Without /proc there are none to be found.
pub(super) fn marked() -> Vec<Marked> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let carries = |v: &[u8]| {
        let rest = v.strip_prefix(VARIABLE.as_bytes());
        rest.is_some_and(|rest| rest.starts_with(b"="))
    };
    let marked = processes.flatten().filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        let is_marked = environment.split(|b| *b == 0).any(carries);
        is_marked.then(|| Marked {
            pid: Pid::from_raw(pid),
            environment,
        })
    });
    marked.collect()
}

/// A mark that is looked for, and who is told how many processes carried it.
struct Wanted {
    mark: Mark,
    op: Option<OperationId>,
    found: oneshot::Sender<usize>,
}

/// What the next look is for. Each look reads the environment of every process of the machine, so those who want one while
/// another is under way share the next: a hundred trials that end together would look a hundred times.
static WANTED: Mutex<Vec<Wanted>> = Mutex::new(Vec::new());

/// Held by who looks.
static LOOKING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Kills those that carry the mark, by a look that begins after this is called, and tells how many there were; `None` where
/// that look was given up.
pub(super) async fn look(mark: Mark, op: Option<OperationId>) -> Option<usize> {
    let (found, told) = oneshot::channel();
    wanted().push(Wanted { mark, op, found });
    let turn = LOOKING.lock().await;
    // Empty where who looked before took this one along.
    let together = mem::take(&mut *wanted());
    if !together.is_empty() {
        // Looking through /proc takes milliseconds in which the trial's dependencies must not stand still.
        let looked = tokio::task::spawn_blocking(move || kill_all(together)).await;
        // Who waits is told, or sees that nobody will tell.
        drop(looked);
    }
    drop(turn);
    told.await.ok()
}

fn kill_all(together: Vec<Wanted>) {
    let processes = marked();
    for Wanted { mark, op, found } in together {
        // Who waited may have been given up.
        let _ = found.send(mark.kill_among(&processes, op));
    }
}

fn wanted() -> MutexGuard<'static, Vec<Wanted>> {
    WANTED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;
    use crate::drive::mark::bearer;

    #[tokio::test]
    async fn trials_that_end_together_each_find_their_own() {
        if !std::path::Path::new("/proc/self/environ").exists() {
            return;
        }
        let mark = |n: u32| Mark::called(format!("together-{}-{n}", std::process::id()));
        let mut children: Vec<_> = (0..4).map(|n| bearer(mark(n).value())).collect();
        let looks: Vec<_> = (0..3).map(|n| tokio::spawn(look(mark(n), None))).collect();
        for asked in looks {
            assert_eq!(asked.await.unwrap(), Some(1));
        }
        for child in &mut children[..3] {
            assert_eq!(child.wait().unwrap().signal(), Some(9));
        }
        assert_eq!(children[3].try_wait().unwrap(), None, "nobody looked for it");
        children[3].kill().unwrap();
        children[3].wait().unwrap();
    }
}
