//! Adapters that hang, leave, or leave something behind; and some that keep the rules.

use std::time::Duration;

use retrial::drive::{Bounds, Jsonl};
use retrial::evidence::Recorder;
use retrial::scenario::{RequestBody, Start};
use retrial::term::{Claim, OperationId, StopReason};
use tokio::sync::watch;

use crate::leftovers::{alive, tag, tagged, wait_until_none};
use crate::needed::is_here;
use crate::trial::{
    IMPATIENT, gave_no_result, jsonl_client, observe, patient, setup, short_bounds, trial, was_killed,
    with_body,
};

/// Reads the first line and says hello.
pub const HELLO: &str = r#"read -r hello; echo '{"retrial":1,"client":"hostile","version":"1"}'; "#;

/// Answers every operation with success until the input ends.
const SERVE: &str = r#"while read -r line; do
    case $line in '{"op":'*) op=${line#'{"op":"'}; echo "{\"op\":\"${op%%\"*}\",\"claim\":\"ok\",\"stop\":\"ok\"}";; esac
done; "#;

/// A driver of these lines of shell.
pub fn driver(script: &str, bounds: Bounds) -> Jsonl {
    Jsonl::new(&jsonl_client(script))
        .expect("a jsonl client")
        .with_bounds(bounds)
}

#[tokio::test]
async fn an_adapter_that_keeps_the_rules_is_not_blamed() {
    let script = format!("echo talk; {HELLO}echo more talk; {SERVE}echo bye >&2");
    let evidence = observe(
        &driver(&script, short_bounds()),
        setup(trial(9, Start::AtOnce), patient()),
    )
    .await;
    assert_eq!(evidence.client.broke, None);
    assert_eq!(evidence.client.name.as_deref(), Some("hostile"));
    assert_eq!(evidence.client.talk, ["talk", "more talk", "bye"]);
    assert!(!was_killed(&evidence));
    for op in 1..=9 {
        let (_, outcome) = evidence.operations[&OperationId(op)]
            .outcome
            .as_ref()
            .expect("a result");
        assert_eq!(outcome.claim, Claim::Ok);
    }
}

#[tokio::test]
async fn a_caller_that_gives_up_is_told_to_the_client() {
    let obeys = r#"read -r op; read -r cancel; echo "told $cancel";
        echo '{"op":"op-1","claim":"failed","stop":"cancelled"}'; cat"#;
    let script = format!("{HELLO}{obeys}");
    let mut trial = trial(1, Start::InSequence);
    trial.operations[0].cancel_after = Some(Duration::from_millis(20));
    let evidence = observe(&driver(&script, short_bounds()), setup(trial, patient())).await;
    assert_eq!(evidence.client.talk, [r#"told {"cancel":"op-1"}"#]);
    let (_, outcome) = evidence.operations[&OperationId(1)]
        .outcome
        .as_ref()
        .expect("a result");
    assert_eq!(
        (outcome.claim, outcome.stop),
        (Claim::Failed, StopReason::Cancelled)
    );
}

#[tokio::test]
async fn a_client_runs_in_the_trials_zone_with_a_folder_that_goes_with_the_trial() {
    let script = format!(r#"{HELLO}echo "$TZ"; touch "$RETRIAL_TMP/x" && echo "$RETRIAL_TMP"; {SERVE}"#);
    let mut trial = trial(1, Start::InSequence);
    trial.zone = Some("Asia/Tokyo".into());
    let evidence = observe(&driver(&script, short_bounds()), setup(trial, patient())).await;
    let [zone, folder] = &evidence.client.talk[..] else {
        panic!("{:?}", evidence.client.talk)
    };
    assert_eq!(zone, "Asia/Tokyo");
    assert!(!std::path::Path::new(folder).exists(), "{folder}");
}

#[tokio::test]
async fn a_client_that_does_not_say_hello_is_given_up() {
    let tag = tag();
    let bounds = Bounds {
        start: Duration::from_millis(300),
        ..short_bounds()
    };
    let driver = driver(&tagged(&tag, "sleep 300; true"), bounds);
    let evidence = observe(&driver, setup(trial(1, Start::InSequence), patient())).await;
    let broke = evidence.client.broke.as_deref();
    assert_eq!(broke, Some("the client did not say hello within 300 ms"));
    assert!(was_killed(&evidence));
    assert_eq!(alive(&tag), [""; 0]);
}

/// Clients that hang in one way or another, and are not called broken for it.
const HANGS: [&str; 4] = [
    "sleep 300; true",
    // It ignores the request to leave.
    "trap '' TERM; while :; do sleep 300; done",
    // It talks without end.
    "while :; do echo blah; done",
    // It does not stop, and its children hold its pipes.
    "sleep 300 & sleep 300 & wait",
];

#[tokio::test]
async fn a_client_that_hangs_gives_no_result_and_is_ended() {
    for script in HANGS {
        let tag = tag();
        let driver = driver(&tagged(&tag, &format!("{HELLO}{script}")), short_bounds());
        let evidence = observe(&driver, setup(trial(2, Start::InSequence), IMPATIENT)).await;
        assert_eq!(evidence.client.broke, None, "{script}");
        assert!(gave_no_result(&evidence, 1), "{script}");
        let second = &evidence.operations[&OperationId(2)];
        let left_out = second.left_out.as_deref();
        assert_eq!(
            left_out,
            Some("the client had not ended an operation before it"),
            "{script}"
        );
        assert!(was_killed(&evidence), "{script}");
        assert!(
            evidence.client.talk.len() <= Bounds::default().talk_lines,
            "{script}"
        );
        assert_eq!(alive(&tag), [""; 0], "{script}");
    }
}

#[tokio::test]
async fn what_a_client_says_to_being_ended_is_not_a_result() {
    let obeys =
        r#"trap 'echo "{\"op\":\"op-1\",\"claim\":\"failed\"}"; exit 0' TERM; read -r op; sleep 300 & wait"#;
    let driver = driver(&format!("{HELLO}{obeys}"), short_bounds());
    let evidence = observe(&driver, setup(trial(1, Start::InSequence), IMPATIENT)).await;
    assert!(gave_no_result(&evidence, 1));
    assert_eq!(evidence.operations[&OperationId(1)].outcome, None);
    assert_eq!(evidence.client.broke, None);
}

#[tokio::test]
async fn a_client_may_leave_when_it_has_answered_everything() {
    let leaves = r#"read -r op; echo '{"op":"op-1","claim":"ok"}'; exit 0"#;
    let driver = driver(&format!("{HELLO}{leaves}"), short_bounds());
    let evidence = observe(&driver, setup(trial(1, Start::InSequence), patient())).await;
    assert_eq!(evidence.client.broke, None);
    assert!(!was_killed(&evidence));
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_up_nothing_but_itself() {
    let tag = tag();
    let driver = driver(&tagged(&tag, &format!("{HELLO}sleep 300; true")), short_bounds());
    let large = with_body(trial(3, Start::AtOnce), RequestBody::Zeros(1_000_000));
    let evidence = observe(&driver, setup(large, IMPATIENT)).await;
    assert!((1..=3).all(|op| gave_no_result(&evidence, op)));
    assert_eq!(alive(&tag), [""; 0]);
}

#[tokio::test]
async fn children_that_outlive_their_client_are_ended_with_the_trial() {
    let escapes = if is_here("setsid") {
        "setsid sleep 300 & "
    } else {
        ""
    };
    let tag = tag();
    let script = tagged(&tag, &format!("{HELLO}sleep 300 & {escapes}{SERVE}"));
    let evidence = observe(
        &driver(&script, short_bounds()),
        setup(trial(1, Start::InSequence), patient()),
    )
    .await;
    assert_eq!(evidence.client.broke, None);
    assert!(!was_killed(&evidence), "the client itself left in time");
    assert_eq!(alive(&tag), [""; 0]);
}

#[tokio::test]
async fn a_client_that_does_not_leave_is_ended_after_a_grace() {
    let tag = tag();
    let script = tagged(&tag, &format!("{HELLO}{SERVE}sleep 300; true"));
    let patience = retrial::engine::Patience {
        leave: Duration::from_millis(200),
        ..patient()
    };
    let evidence = observe(
        &driver(&script, short_bounds()),
        setup(trial(1, Start::InSequence), patience),
    )
    .await;
    assert_eq!(evidence.client.broke, None);
    assert!(was_killed(&evidence));
    assert_eq!(alive(&tag), [""; 0]);
}

#[tokio::test]
async fn an_interrupted_trial_ends_its_client() {
    let (interrupt, interrupted) = watch::channel(false);
    let tag = tag();
    let driver = driver(&tagged(&tag, &format!("{HELLO}sleep 300; true")), short_bounds());
    let mut setup = setup(trial(1, Start::InSequence), patient());
    setup.interrupted = interrupted;
    setup.recorder = Recorder::observed(Box::new(move |fact| {
        if matches!(fact, retrial::evidence::Fact::Asked { .. }) {
            interrupt.send_replace(true);
        }
    }));
    let evidence = observe(&driver, setup).await;
    assert!(evidence.interrupted);
    assert!(
        !gave_no_result(&evidence, 1),
        "the client is not blamed for the interruption"
    );
    assert_eq!(alive(&tag), [""; 0]);
}

#[tokio::test]
async fn a_trial_that_is_dropped_takes_its_client_along() {
    let escapes = if is_here("setsid") {
        "setsid sleep 300 & "
    } else {
        ""
    };
    let tag = tag();
    let script = tagged(&tag, &format!("{HELLO}{escapes}sleep 300 & sleep 300; true"));
    let driver = driver(&script, short_bounds());
    let (asked, mut was_asked) = watch::channel(false);
    let mut setup = setup(trial(1, Start::InSequence), patient());
    setup.recorder = Recorder::observed(Box::new(move |fact| {
        if matches!(fact, retrial::evidence::Fact::Asked { .. }) {
            asked.send_replace(true);
        }
    }));
    tokio::select! {
        _ = observe(&driver, setup) => panic!("the client hangs"),
        asked = was_asked.wait_for(|yes| *yes) => assert!(asked.is_ok()),
    }
    wait_until_none(&tag).await;
}

#[tokio::test]
async fn an_interruption_does_not_wait_for_a_hello() {
    let tag = tag();
    let driver = driver(&tagged(&tag, "sleep 300; true"), short_bounds());
    let mut setup = setup(trial(1, Start::InSequence), patient());
    setup.interrupted = watch::channel(true).1;
    let evidence = observe(&driver, setup).await;
    assert!(evidence.interrupted);
    assert!(evidence.operations.is_empty());
    wait_until_none(&tag).await;
}

#[tokio::test]
async fn a_client_that_hangs_at_its_start_does_not_keep_others_from_starting() {
    let tag = tag();
    let hangs = driver(&tagged(&tag, "sleep 300; true"), short_bounds());
    let serves = driver(&format!("{HELLO}{SERVE}"), short_bounds());
    let first = setup(trial(1, Start::InSequence), patient());
    let mut second = setup(trial(1, Start::InSequence), patient());
    second.starting = first.starting.clone();
    let _one_of_two = first.starting.clone().acquire_owned().await.expect("a permit");
    let evidence = tokio::select! {
        biased;
        _ = observe(&hangs, first) => panic!("the client hangs"),
        evidence = observe(&serves, second) => evidence,
    };
    assert!(evidence.operations[&OperationId(1)].outcome.is_some());
}
