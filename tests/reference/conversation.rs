//! A conversation with the reference client as the process that it is.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

/// A client that has said hello. Ends with its process.
pub struct Conversation {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    /// Its first line.
    pub hello: Value,
}

impl Conversation {
    /// Starts the client as it is.
    pub fn start() -> Conversation {
        Conversation::with(&[], "UTC")
    }

    /// Starts the client with those further arguments, in that time zone.
    pub fn with(arguments: &[&str], zone: &str) -> Conversation {
        let mut child = command(arguments).env("TZ", zone).spawn().unwrap();
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut started = Conversation {
            child,
            stdin,
            lines,
            hello: Value::Null,
        };
        started
            .say(&json!({"retrial": 1, "trial": "t", "given": null, "concurrency": 8, "dependencies": {}}));
        started.hello = started.report();
        started
    }

    /// Hands it a line.
    pub fn say(&mut self, line: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Its next line.
    pub fn report(&mut self) -> Value {
        let line = self.lines.next().expect("a line before the end").unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Hands it an operation and awaits its report.
    pub fn ask(&mut self, order: &Value) -> Value {
        self.say(order);
        self.report()
    }

    /// Ends its input and awaits its own end.
    pub fn end(&mut self) -> ExitStatus {
        self.stdin = None;
        self.child.wait().unwrap()
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // It may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The client with those further arguments, its input and output piped.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrial"));
    command.arg("client").args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// An operation, as the harness writes it.
pub fn order(op: &str, method: &str, url: &str) -> Value {
    json!({
        "op": op, "method": method, "url": url, "base_url": url, "urls": [url],
        "headers": [], "stream": false, "deadline_ms": 5000,
    })
}
