//! The program in a folder of its own.

use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use tempfile::TempDir;

/// One operation meets one 503, then success: quick, and every check on statuses bears on it.
pub const ONE_503: &str = "\
version: 1
title: One 503, then success
dependencies:
  quota:
    script:
      - {times: 1, answer: {status: 503}}
      - {effect: applied, answer: {status: 200}}
operations:
  - {deadline: 10s, request: {method: GET, to: [quota], path: /quota}}
";

/// Only a client that can POST can be asked this.
pub const ONLY_POST: &str = "\
version: 1
title: A POST meets a 503
dependencies:
  quota:
    script:
      - {times: 1, answer: {status: 503}}
      - {effect: applied, answer: {status: 200}}
operations:
  - {deadline: 10s, request: {method: POST, to: [quota], path: /quota, key: own}}
";

/// 503 for ever.
pub const OUTAGE: &str = "\
version: 1
title: 503 for ever
dependencies:
  quota: {script: [{answer: {status: 503}}]}
operations:
  - {deadline: 10s, request: {method: GET, to: [quota], path: /quota}}
";

/// A folder to run the program in.
pub struct Folder {
    dir: TempDir,
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Self {
        Folder {
            dir: TempDir::new().expect("a temporary folder can be made"),
        }
    }

    /// With this file in it.
    pub fn with(self, name: &str, text: &str) -> Self {
        fs::write(self.path(name), text).expect("a file can be written there");
        self
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The text of a file in it.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the program wrote it")
    }

    /// Runs the program in it.
    pub fn retrial(&self, arguments: &[&str]) -> Assert {
        settled(&mut self.command(arguments))
    }

    /// Runs the program in it as under CI.
    pub fn retrial_under_ci(&self, arguments: &[&str]) -> Assert {
        settled(self.command(arguments).env("CI", "true"))
    }

    /// Runs the program in it as at somebody's desk, wherever this test runs.
    pub fn retrial_outside_ci(&self, arguments: &[&str]) -> Assert {
        settled(self.command(arguments).env_remove("CI"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retrial"));
        command
            .current_dir(self.dir.path())
            .args(arguments)
            .write_stdin("");
        command
    }
}

/// Runs it, and again where the machine was so busy that the harness was late: then nobody is blamed, and the exit status says so.
fn settled(command: &mut Command) -> Assert {
    let is_late = |ended: &Assert| {
        let told = String::from_utf8_lossy(&ended.get_output().stdout).into_owned();
        told.contains("late, so counts and lateness")
    };
    let settled = (0..4).map(|_| command.assert()).find(|ended| !is_late(ended));
    settled.unwrap_or_else(|| command.assert())
}

/// What the program wrote to standard output.
pub fn stdout(ended: &Assert) -> String {
    String::from_utf8(ended.get_output().stdout.clone()).expect("text is UTF-8")
}

/// What the program wrote to standard error.
pub fn stderr(ended: &Assert) -> String {
    String::from_utf8(ended.get_output().stderr.clone()).expect("text is UTF-8")
}
