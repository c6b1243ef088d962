//! Commands that are not there, fail, hang, die, or leave something behind.

use std::os::unix::fs::PermissionsExt;

use retrial::client::{Argument, DriverPlan, StdoutIs, SuccessIs};
use retrial::drive::Exec;
use retrial::evidence::{ClientEnd, Evidence, Outcome};
use retrial::scenario::{KeyPlan, RequestBody, Start};
use retrial::term::{Claim, OperationId};

use crate::leftovers::{alive, tag, tagged};
use crate::needed::is_here;
use crate::trial::{
    IMPATIENT, exec_client, gave_no_result, observe, patient, setup, short_bounds, trial, was_killed,
    with_body,
};

fn driver(command: &[&str]) -> Exec {
    driver_of(command, SuccessIs::Answered, StdoutIs::Talk)
}

fn driver_of(command: &[&str], success: SuccessIs, stdout: StdoutIs) -> Exec {
    let client = exec_client(command, success, stdout);
    Exec::new(&client)
        .expect("an exec client")
        .with_bounds(short_bounds())
}

fn outcome(evidence: &Evidence) -> &Outcome {
    let (_, outcome) = evidence.operations[&OperationId(1)]
        .outcome
        .as_ref()
        .expect("a result");
    outcome
}

#[tokio::test]
async fn a_command_that_cannot_be_run_breaks_the_trial_before_the_first_operation() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "#!/bin/sh\n").expect("a file");
    std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o644)).expect("its mode");
    for (command, says) in [
        (
            "no-such-command-anywhere",
            "the command `no-such-command-anywhere` was not found on PATH",
        ),
        (plain.to_str().expect("a path"), "is not executable"),
        ("/", "is a folder"),
    ] {
        let evidence = observe(
            &driver(&[command, "{url}"]),
            setup(trial(1, Start::InSequence), patient()),
        )
        .await;
        let broke = evidence.client.broke.unwrap_or_default();
        assert!(broke.contains(says), "{command} is told as: {broke}");
        assert!(evidence.operations.is_empty(), "{command} was asked something");
    }
}

#[tokio::test]
async fn an_exit_status_is_a_claim() {
    use Claim::{Answered, Failed, Ok};
    for (script, success, claim, error) in [
        ("exit 0", SuccessIs::Answered, Answered, None),
        ("exit 0", SuccessIs::ExitZero, Ok, None),
        (
            "echo boom >&2; exit 22",
            SuccessIs::ExitZero,
            Failed,
            Some("exit status 22: boom"),
        ),
        ("exit 1", SuccessIs::Answered, Failed, Some("exit status 1")),
        (
            "kill -TERM $$",
            SuccessIs::Answered,
            Failed,
            Some("signal 15 (SIGTERM)"),
        ),
    ] {
        let driver = driver_of(&["sh", "-c", script], success, StdoutIs::Talk);
        let evidence = observe(&driver, setup(trial(1, Start::InSequence), patient())).await;
        let outcome = outcome(&evidence);
        assert_eq!(
            (outcome.claim, outcome.error.as_deref()),
            (claim, error),
            "{script}"
        );
        assert_eq!(evidence.client.broke, None, "{script}");
    }
}

#[tokio::test]
async fn a_command_is_told_of_its_operation_and_given_no_input() {
    let script = r#"cat; printf '%s %s %s %s' "$1" "$RETRIAL_OP" "${RETRIAL_KEY-unset}" "$(cat "$RETRIAL_BODY_FILE")""#;
    let driver = driver(&["sh", "-c", script, "sh", "{method}"]);
    let trial = with_body(trial(1, Start::InSequence), RequestBody::Text("the body".into()));
    let evidence = observe(&driver, setup(trial, patient())).await;
    assert_eq!(evidence.client.talk, ["POST op-1 unset the body"]);
}

#[tokio::test]
async fn proxies_of_the_caller_do_not_reach_a_command() {
    let driver = driver(&["sh", "-c", r#"echo "${http_proxy-unset} $NO_PROXY""#]);
    let evidence = observe(&driver, setup(trial(1, Start::InSequence), patient())).await;
    assert_eq!(evidence.client.talk, ["unset *"]);
}

#[tokio::test]
async fn standard_output_that_is_the_body_is_digested_and_not_talk() {
    let driver = driver_of(&["sh", "-c", "printf abc"], SuccessIs::Answered, StdoutIs::Body);
    let evidence = observe(&driver, setup(trial(1, Start::InSequence), patient())).await;
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(outcome(&evidence).body_sha256.as_deref(), Some(abc));
    assert!(evidence.client.talk.is_empty());
}

#[tokio::test]
async fn a_body_that_no_argument_can_carry_is_not_run_and_not_blamed() {
    let trial = with_body(trial(1, Start::InSequence), RequestBody::Zeros(3));
    let evidence = observe(&driver(&["true", "{body}"]), setup(trial, patient())).await;
    let because = evidence.operations[&OperationId(1)]
        .could_not_run
        .as_deref()
        .unwrap_or_default();
    assert!(
        because.starts_with("an argument cannot hold a zero byte"),
        "{because}"
    );
    assert_eq!(evidence.client.broke, None);
}

#[tokio::test]
async fn a_command_that_hangs_gives_no_result_and_is_ended() {
    for script in ["sleep 300; true", "trap '' TERM; while :; do sleep 300; done"] {
        let tag = tag();
        let driver = driver(&["sh", "-c", &tagged(&tag, script)]);
        let evidence = observe(&driver, setup(trial(1, Start::InSequence), IMPATIENT)).await;
        assert!(gave_no_result(&evidence, 1), "{script}");
        assert!(was_killed(&evidence), "{script}");
        assert_eq!(alive(&tag), [""; 0], "{script}");
    }
}

#[tokio::test]
async fn a_child_that_holds_the_pipes_does_not_hold_up_the_result() {
    let escapes = if is_here("setsid") {
        "setsid sleep 300 & "
    } else {
        ""
    };
    let tag = tag();
    let driver = driver(&["sh", "-c", &tagged(&tag, &format!("sleep 300 & {escapes}exit 0"))]);
    let evidence = observe(&driver, setup(trial(2, Start::InSequence), patient())).await;
    assert_eq!(outcome(&evidence).claim, Claim::Answered);
    let ends = evidence.client.ends.iter().map(|(_, how)| how);
    assert!(ends.eq([&ClientEnd::Exited(0), &ClientEnd::Exited(0)]));
    assert_eq!(alive(&tag), [""; 0]);
}

#[tokio::test]
async fn a_real_command_calls_with_everything_it_was_told() {
    if !is_here("curl") {
        return;
    }
    let one = |word: &str| Argument::One(word.into());
    let group = |a: &str, b: &str| Argument::Group(vec![a.into(), b.into()]);
    let mut client = exec_client(&[], SuccessIs::ExitZero, StdoutIs::Talk);
    client.driver = DriverPlan::Exec {
        command: vec![
            one("curl"),
            one("-sS"),
            one("--fail"),
            group("-X", "{method}"),
            group("--data-binary", "@{body_file}"),
            group("-H", "Idempotency-Key: {key}"),
            one("{url}"),
        ],
        success: SuccessIs::ExitZero,
        stdout: StdoutIs::Talk,
    };
    let mut trial = with_body(trial(3, Start::AtOnce), RequestBody::Text("the body".into()));
    trial.operations[0].request.key = Some(KeyPlan::Own);
    let driver = Exec::new(&client).expect("an exec client");
    let evidence = observe(&driver, setup(trial, patient())).await;
    assert_eq!(evidence.calls.len(), 3);
    for call in &evidence.calls {
        let operation = &evidence.operations[&call.head.op.expect("a call of an operation")];
        assert_eq!(call.head.keys, [operation.key.clone().expect("a key")]);
        assert_eq!(
            (call.head.method.as_str(), call.head.path.as_str()),
            ("POST", "/thing")
        );
        assert_eq!(call.body.as_ref().map(|body| body.len), Some(8));
        let (reported, outcome) = operation.outcome.as_ref().expect("a result");
        assert_eq!(outcome.claim, Claim::Ok);
        assert!(*reported >= call.at());
    }
}
