//! The processes of one row, and one user's request to them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// Longer than a row takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A process that says on standard output what happens. Dropping it kills it.
pub struct Process {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a program.
    pub fn start(program: &Path, arguments: &[String]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program can be started");
        let stdout = child.stdout.take().expect("it is piped");
        Process {
            child,
            lines: BufReader::new(stdout),
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("it says where it listens");
        line
    }

    /// Ends it, and gives everything that it said since it was ready.
    pub fn end(mut self) -> Vec<String> {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).expect("a process id fits"));
        kill(pid, Signal::SIGINT).expect("it is running");
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).expect("text is UTF-8");
        rest.lines().map(str::to_owned).collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `retrial serve` with this scenario of the fixtures; what it says of its dependencies.
pub fn dependencies(scenario: &str) -> (Process, Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(scenario);
    let arguments = ["serve", "--calls", "-", &file.to_string_lossy()].map(str::to_owned);
    let mut process = Process::start(Path::new(env!("CARGO_BIN_EXE_retrial")), &arguments);
    let served: Value = serde_json::from_str(&process.line()).expect("a line of JSON");
    (process, served["serving"]["dependencies"].clone())
}

/// A layer of the fixture on a free port, and its URL.
pub fn layer(arguments: &[&str]) -> (Process, String) {
    let arguments: Vec<String> = arguments
        .iter()
        .chain(&["--port", "0"])
        .map(|a| (*a).to_owned())
        .collect();
    let mut process = Process::start(loan(), &arguments);
    let line = process.line();
    let url = line.trim().strip_prefix("listening on ");
    (process, url.expect("it says where it listens").to_owned())
}

/// The URL of a dependency, out of what is said of them.
pub fn url_of(dependencies: &Value, name: &str) -> String {
    let url = dependencies[name]["url"].as_str();
    url.expect("it is served").to_owned()
}

/// One request with a short body, such as `POST /loan`; the status of its answer.
pub fn request(url: &str, asked: &str, key: Option<&str>) -> u32 {
    let authority = url.strip_prefix("http://").expect("it is plain HTTP");
    let key = key.map_or_else(String::new, |key| format!("Idempotency-Key: {key}\r\n"));
    let mut socket = TcpStream::connect(authority).expect("it listens");
    socket
        .set_read_timeout(Some(LONG))
        .expect("a time that is not zero");
    let head = format!(
        "{asked} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n{key}Content-Length: 4\r\n\r\nbook"
    );
    socket.write_all(head.as_bytes()).expect("it reads");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).expect("it answers");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.expect("an answer has a status")
}

/// The fixture's program. A test that is built alone does not build it, so the same cargo is asked to.
pub fn loan() -> &'static Path {
    static LOAN: OnceLock<PathBuf> = OnceLock::new();
    LOAN.get_or_init(|| {
        let this = std::env::current_exe().expect("a test has a path");
        let profile = this.ancestors().nth(2).expect("it lies in target/PROFILE/deps");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .args(["build", "--quiet", "--example", "loan", "--target-dir"])
            .arg(profile.parent().expect("it lies in target"))
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(
            cargo.status().expect("cargo is here").success(),
            "the fixture is built"
        );
        profile.join("examples/loan")
    })
}
