//! What this process holds, as the system tells it.

use std::fmt;
use std::fs;

/// Memory may grow by so much over what was held after the first rounds: an allocator does not give all of it back.
const GROWN_KIB: u64 = 64 * 1024;

/// A timer or a socket that is just being closed is no leak; as many are allowed.
const SLACK: usize = 8;

pub struct Held {
    descriptors: usize,
    threads: usize,
    children: usize,
    memory_kib: u64,
    temporary: usize,
}

impl Held {
    pub fn now() -> Self {
        let children = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).ok();
        let tasks = || fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        Held {
            descriptors: entries("/proc/self/fd"),
            threads: tasks().count(),
            children: tasks()
                .filter_map(children)
                .map(|line| line.split_whitespace().count())
                .sum(),
            memory_kib: memory_kib(),
            temporary: entries(&std::env::temp_dir().to_string_lossy()),
        }
    }

    /// Panics where more is held than was after the first rounds.
    pub fn assert_no_more_than(&self, settled: &Held) {
        assert_eq!((self.children, self.temporary), (0, 0), "{self}");
        assert!(
            self.descriptors <= settled.descriptors + SLACK,
            "{self}; before: {settled}"
        );
        // Threads for blocking work come and go; the runtime bounds them.
        assert!(
            self.memory_kib <= settled.memory_kib + GROWN_KIB,
            "{self}; before: {settled}"
        );
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} descriptors, {} threads, {} children, {} MiB, {} temporary files",
            self.descriptors,
            self.threads,
            self.children,
            self.memory_kib / 1024,
            self.temporary
        )
    }
}

fn entries(folder: &str) -> usize {
    fs::read_dir(folder).into_iter().flatten().count()
}

fn memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}
