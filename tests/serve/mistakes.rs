//! What is wrong is said at once, with exit status 2, and nothing is served.

use std::fs;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::served::NOTICE;

/// What the program says on standard error, having exited with 2.
fn refused(arguments: &[&str]) -> String {
    let folder = TempDir::new().expect("a temporary folder can be made");
    fs::write(folder.path().join("notice.yaml"), NOTICE).expect("a file can be written there");
    fs::write(folder.path().join("bad.yaml"), "version: 1\ntitel: x\n").expect("and another");
    let ended = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .current_dir(folder.path())
        .arg("serve")
        .args(arguments)
        .timeout(std::time::Duration::from_secs(30))
        .assert()
        .code(2);
    assert!(ended.get_output().stdout.is_empty());
    String::from_utf8(ended.get_output().stderr.clone()).expect("text is UTF-8")
}

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    let said = refused(arguments);
    assert!(said.contains(expected), "{said}");
}

#[test]
fn a_taken_port_is_said() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("it is bound").port();
    check(
        &["notice.yaml", "--port", &format!("membership={port}")],
        &format!("membership cannot be served on 127.0.0.1:{port}: the port is taken"),
    );
    check(
        &["notice.yaml", "--control", &port.to_string()],
        &format!("the control endpoint cannot listen on 127.0.0.1:{port}: the port is taken"),
    );
}

#[test]
fn a_port_belongs_to_one_dependency_of_the_scenario() {
    check(
        &["notice.yaml", "--port", "notificaton=8081"],
        "notice has no dependency notificaton; it has notification, membership",
    );
    check(
        &["notice.yaml", "-p", "notification=8081", "-p", "membership=8081"],
        "membership and notification cannot share port 8081",
    );
    check(
        &[
            "notice.yaml",
            "-p",
            "notification=8081",
            "-p",
            "notification=8082",
        ],
        "notification is given two ports",
    );
    check(&["notice.yaml", "-p", "notification"], "it is written NAME=PORT");
    check(&["notice.yaml", "-p", "notification=http"], "is not a port");
}

#[test]
fn an_address_that_is_not_this_machines_is_said() {
    // A range that is kept for documentation (RFC 5737).
    check(
        &["notice.yaml", "--bind", "192.0.2.7"],
        "this machine has no such address",
    );
    check(
        &["notice.yaml", "--control", "loopback"],
        "it is a port, such as 9000",
    );
}

#[test]
fn what_is_advertised_is_a_host() {
    for host in ["a/b", "http://a", "a:80", "", "a b", "a@b", "[::1", "a?b"] {
        check(
            &["notice.yaml", "--advertise", host],
            "it is a host and nothing more",
        );
    }
}

#[test]
fn a_scenario_that_is_wrong_or_unknown_or_many_is_said() {
    check(&["bad.yaml"], "did you mean `title`?");
    check(&["missing.yaml"], "missing.yaml");
    check(&["outage-endles"], "did you mean `outage-endless`?");
    check(
        &["retry-after"],
        "retry-after makes 6 trials, and one can be served",
    );
    check(
        &["retry-after", "retry-after[503,Mars]"],
        "no scenario is called retry-after[503,Mars]",
    );
    check(
        &["healthy", "retry-after[503,UTC]"],
        "retry-after[503,UTC] is no trial of healthy",
    );
    check(&[], "<SCENARIO>");
}
