//! Layers that do not start, do not become ready, leave, or do not end: exit status 3, what they said last, nothing left.

use super::stack::{Ran, front, loan, run};

fn error(ran: &Ran) -> &str {
    assert_eq!(ran.status, 3, "{}", ran.text);
    assert_eq!(ran.trial()["verdict"], "harness_error");
    ran.trial()["because"].as_str().unwrap()
}

#[test]
fn a_layer_that_leaves_before_it_is_ready() {
    let ran = run(&[loan(1, 1).with("CONDUCT", "leaves")], "", "layers-transient");
    let because = error(&ran);
    assert!(
        because.starts_with("the layer `loan` ended with exit status 7 before it was ready; it last said: "),
        "{because}"
    );
    assert!(because.ends_with("the stand-in is leaves"), "{because}");
}

#[test]
fn a_layer_that_is_never_ready_and_one_whose_health_is_bad() {
    let slow = loan(1, 1).with("CONDUCT", "never ready").ready("{within: 1s}");
    let ran = run(&[slow], "", "layers-transient");
    assert!(
        error(&ran).starts_with("the layer `loan` was not ready within 1s: its port "),
        "{}",
        ran.text
    );
    let ill = front(1).ready("{path: /loan, within: 1s}");
    let ran = run(&[loan(1, 1), ill], "", "layers-persistent");
    assert!(
        error(&ran).starts_with("the layer `front` was not ready within 1s: GET /loan is answered 503"),
        "{}",
        ran.text
    );
}

#[test]
fn a_layer_that_dies_in_the_middle() {
    let ran = run(
        &[loan(1, 1).with("CONDUCT", "dies"), front(1)],
        "",
        "layers-transient",
    );
    let because = error(&ran);
    assert!(
        because.starts_with("the layer `loan` ended by itself with exit status 3; it last said: "),
        "{because}"
    );
    assert!(because.ends_with("it was too much"), "{because}");
}

#[test]
fn a_layer_that_does_not_end_when_it_is_told_to() {
    let ran = run(&[loan(1, 1).with("CONDUCT", "stays")], "", "layers-transient");
    assert!(
        error(&ran).starts_with("the layer `loan` did not end within 10s of SIGTERM"),
        "{}",
        ran.text
    );
}

#[test]
fn a_layer_that_cannot_be_started() {
    let folder = tempfile::tempdir().unwrap();
    let client = "version: 1\nname: x\ndriver: {service: {processes: [{name: loan, role: service, command: [./nothing]}]}}\n";
    let ran = super::stack::run_client(folder, client, "layers-transient");
    assert!(
        error(&ran).starts_with("the layer `loan` did not start: the command `"),
        "{}",
        ran.text
    );
}

#[test]
fn what_a_layer_started_is_ended_with_it() {
    let mark = format!("{}-{}", std::process::id(), "child");
    let child = loan(1, 1).with("CONDUCT", "child").with("LAYERS_MARK", &mark);
    let ran = run(&[child], "", "layers-transient");
    assert_eq!(ran.status, 0, "{}", ran.text);
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return;
    };
    let wanted = format!("LAYERS_MARK={mark}");
    let left = processes.flatten().filter(|p| {
        let environment = std::fs::read(p.path().join("environ")).unwrap_or_default();
        environment.split(|b| *b == 0).any(|v| v == wanted.as_bytes())
    });
    assert_eq!(left.count(), 0);
}
