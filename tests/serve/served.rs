//! The program, serving, and a raw socket's view of it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// Each turn once, a reset among them; and a healthy dependency.
pub const NOTICE: &str = "\
version: 1
title: A notification that is delivered before it fails
dependencies:
  notification:
    script:
      - {times: 1, effect: applied, answer: {status: 503, retry_after: 2s}}
      - {times: 1, effect: applied, cut: {at: before_answer, by: rst}}
      - {effect: applied, answer: {status: 200, body: {text: sent}}}
  membership: {}
operations:
  - {deadline: 20s, request: {method: POST, to: [notification], path: /send, key: own}}
  - {request: {method: GET, to: [membership], path: /member}}
";

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(30);

/// `retrial serve`, running. Dropping it kills it.
pub struct Served {
    child: Child,
    lines: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl Served {
    /// Serves the file `notice.yaml` of this text, with these arguments and a line for each call.
    pub fn start(scenario: &str, arguments: &[&str]) -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        fs::write(folder.path().join("notice.yaml"), scenario).expect("a file can be written there");
        let mut child = Command::new(env!("CARGO_BIN_EXE_retrial"))
            .args(["serve", "notice.yaml", "--calls", "-"])
            .args(arguments)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let stdout = child.stdout.take().expect("it is piped");
        Served {
            child,
            lines: BufReader::new(stdout),
            _folder: folder,
        }
    }

    /// The next line of JSON.
    pub fn line(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("standard output is open");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    /// The next line, which says what is served: `host:port` of this dependency.
    pub fn authority(&mut self, dependency: &str) -> String {
        authority(&self.line()["serving"], dependency)
    }

    /// Sends it Ctrl-C and waits for its end: what was left on standard output, and the rest.
    pub fn interrupt(mut self) -> (String, Output) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).expect("a process id fits"));
        kill(pid, Signal::SIGINT).expect("the program is running");
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).expect("text is UTF-8");
        let mut stderr = Vec::new();
        let mut pipe = self.child.stderr.take().expect("it is piped");
        pipe.read_to_end(&mut stderr).expect("standard error is open");
        let status = self.child.wait().expect("the program ends");
        let output = Output {
            status,
            stdout: Vec::new(),
            stderr,
        };
        (rest, output)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a summary says that a dependency is served.
pub fn authority(summary: &Value, dependency: &str) -> String {
    let url = summary["dependencies"][dependency]["url"].as_str();
    let url = url.unwrap_or_else(|| panic!("no {dependency} in {summary}"));
    url.strip_prefix("http://").expect("it is plain HTTP").to_owned()
}

/// A port that nobody listens on at this moment.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

/// One request on a connection of its own, and everything that comes back.
pub fn ask(authority: &str, head: &str, body: &str) -> std::io::Result<String> {
    ask_under(authority, authority, head, body)
}

/// The same with another name in the header that says whom it is for.
pub fn ask_under(authority: &str, host: &str, head: &str, body: &str) -> std::io::Result<String> {
    let mut socket = TcpStream::connect(authority)?;
    socket.set_read_timeout(Some(LONG))?;
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    socket.write_all(request.as_bytes())?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer)?;
    Ok(answer)
}

/// The status of an answer.
pub fn status(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
    status.unwrap_or_else(|| panic!("not an answer: {answer:?}"))
}

/// The body of an answer, as JSON.
pub fn json(answer: &str) -> Value {
    let (_, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
    serde_json::from_str(body).unwrap_or_else(|e| panic!("{e}: {answer}"))
}

/// Asks until the endpoint is up.
pub fn control(port: u16, head: &str, body: &str) -> String {
    ask(&format!("127.0.0.1:{port}"), head, body).expect("the control endpoint answers")
}
