//! How it ends.

use std::io::Write;
use std::net::TcpStream;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::served::{NOTICE, Served, ask, control, free_port, json};

#[test]
fn ctrl_c_ends_it_with_the_counts_and_it_is_no_failure() {
    let mut served = Served::start(NOTICE, &[]);
    let notification = served.authority("notification");
    for _ in 0..4 {
        let _ = ask(&notification, "POST /send", "hello");
    }
    let (rest, ended) = served.interrupt();
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(rest.lines().count(), 4, "{rest}");
    let talk = String::from_utf8(ended.stderr).expect("text is UTF-8");
    let table = talk
        .split_once("dependency ")
        .map(|(_, table)| format!("dependency {table}"));
    insta::assert_snapshot!(table.unwrap_or(talk), @r"
    dependency    calls  delivered  answers
    membership        0          0
    notification      4          4  200 x2, 503 x1
    ");
}

#[test]
fn a_call_that_is_not_over_is_told_at_the_end() {
    let slow = NOTICE.replace(
        "    script:\n",
        "    script:\n      - {when: {path: /slow}, takes: 60s, effect: applied, answer: {status: 200}}\n",
    );
    let port = free_port();
    let mut served = Served::start(&slow, &["--control", &port.to_string()]);
    let notification = served.authority("notification");
    let mut waiting = TcpStream::connect(&notification).expect("it listens");
    let head = b"POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
    waiting.write_all(head).expect("it reads");
    let arrived = || json(&control(port, "GET /", ""))["dependencies"]["notification"]["calls"] == 1;
    while !arrived() {}
    let (rest, _) = served.interrupt();
    let last: serde_json::Value = serde_json::from_str(&rest).expect("one line of JSON");
    let call = &last["call"];
    assert_eq!(
        (&call["path"], &call["ended"], &call["effect"]),
        (&"/slow".into(), &"open".into(), &"due".into())
    );
}

#[test]
fn without_lines_the_counts_are_data_and_the_calls_are_talk() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args(["serve", "outage-endless"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut talk = std::io::BufReader::new(child.stderr.take().expect("it is piped"));
    let line = |talk: &mut dyn std::io::BufRead| {
        let mut line = String::new();
        talk.read_line(&mut line).expect("standard error is open");
        line
    };
    let first = line(&mut talk);
    assert!(first.starts_with("serving outage-endless: "), "{first}");
    let inbox = line(&mut talk);
    let inbox = inbox
        .trim()
        .strip_prefix("inbox  http://")
        .expect("its address")
        .to_owned();
    let _membership = line(&mut talk);
    let _ = ask(&inbox, "GET /x", "");
    let call = line(&mut talk);
    assert!(call.contains("inbox  GET /x  "), "{call}");
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id fits"));
    kill(pid, Signal::SIGTERM).expect("the program is running");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    let table = String::from_utf8(output.stdout).expect("text is UTF-8");
    assert!(table.contains("\ninbox           1"), "{table}");
}
