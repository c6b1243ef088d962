//! The whole program with a hostile client, seen from outside: how long, how much memory, what it wrote, what it left.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::leftovers::{alive, tag};

/// What one run showed.
pub struct Ran {
    pub folder: TempDir,
    /// The program's exit status; `None` where a signal ended it.
    pub code: Option<i32>,
    pub took: Duration,
    /// The most memory that the program itself held, in KiB, where the system tells.
    pub peak_kib: u64,
    /// The command lines of processes that it left behind.
    pub left: Vec<String>,
    /// What is left in its folder for temporary files.
    pub temporary: Vec<PathBuf>,
}

impl Ran {
    /// The text of a file that the run wrote.
    pub fn read(&self, name: &str) -> String {
        let bytes = fs::read(self.folder.path().join(name)).unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_else(|e| panic!("{name} is no UTF-8: {e}"))
    }
}

/// Runs the program with these arguments in a folder of its own with these files.
pub fn program(files: &[(&str, &str)], arguments: &[&str]) -> Ran {
    started(files, env!("CARGO_BIN_EXE_retrial"), arguments)
}

/// The same with whatever starts the program.
pub fn started(files: &[(&str, &str)], starter: &str, arguments: &[&str]) -> Ran {
    meanwhile(files, starter, arguments, |_| {})
}

/// The same, and something is done to the process with this id as soon as it was started.
pub fn signalled(files: &[(&str, &str)], arguments: &[&str], doing: impl FnOnce(i32)) -> Ran {
    meanwhile(files, env!("CARGO_BIN_EXE_retrial"), arguments, doing)
}

fn meanwhile(files: &[(&str, &str)], starter: &str, arguments: &[&str], doing: impl FnOnce(i32)) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let tmp = folder.path().join("tmp");
    fs::create_dir(&tmp).expect("a folder");
    let (tag, begun) = (tag(), Instant::now());
    let mut child = command(starter, folder.path(), &tmp, &tag, arguments)
        .spawn()
        .expect("the program starts");
    doing(i32::try_from(child.id()).expect("a process id fits"));
    let (status, peak_kib) = watched(&mut child, begun);
    Ran {
        code: status.code(),
        took: begun.elapsed(),
        peak_kib,
        left: alive(&tag),
        temporary: entries(&tmp),
        folder,
    }
}

fn command(starter: &str, folder: &Path, tmp: &Path, tag: &str, arguments: &[&str]) -> Command {
    let out = |name: &str| fs::File::create(folder.join(name)).expect("a file");
    let mut command = Command::new(starter);
    command
        .args(arguments)
        .current_dir(folder)
        .env("TMPDIR", tmp)
        .env("HOSTILE", tag)
        .stdin(Stdio::null())
        .stdout(out("stdout"))
        .stderr(out("stderr"))
        // A client that signals its parent's group means the program, and not this test.
        .process_group(0);
    command
}

/// Waits for the program's end, and looks at its memory meanwhile.
fn watched(child: &mut Child, begun: Instant) -> (ExitStatus, u64) {
    let mut peak = 0;
    loop {
        peak = peak.max(peak_kib(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return (status, peak);
        }
        if begun.elapsed() > Duration::from_secs(150) {
            // Seen as an end by a signal, which no row of any table allows.
            child.kill().expect("it is running");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn peak_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}
