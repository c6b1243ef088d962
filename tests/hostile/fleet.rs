//! Fleets: each client is a process of its own, a part of the fleet that cannot start ends the others, and none is left.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use retrial::client::{StdoutIs, SuccessIs};
use retrial::drive::{Exec, InProcess};
use retrial::evidence::{Evidence, Outcome};
use retrial::promise::{Given, Lcg, Rolls};
use retrial::scenario::{OperationGroup, Start, Trial};
use retrial::term::{Claim, OperationId, ProcessId, StopReason};

use crate::jsonl::{HELLO, driver};
use crate::leftovers::{tag, wait_until_none};
use crate::trial::{exec_client, observe, patient, setup, short_bounds, trial};

/// Six operations of three clients.
fn fleet() -> Trial {
    let mut trial = trial(6, Start::InSequence);
    trial.operations[0].clients = 3;
    trial
}

/// The same, and then so many of the clients started anew, and as many operations again.
fn restarted(restarts: u32) -> Trial {
    let mut trial = fleet();
    let again = OperationGroup {
        first: OperationId(7),
        restarts,
        ..trial.operations[0].clone()
    };
    trial.operations.push(again);
    trial
}

/// Reports its process and its folder with every operation.
const SAYS: &str = r#"while read -r line; do op=${line#'{"op":"'};
    echo "{\"op\":\"${op%%\"*}\",\"claim\":\"failed\",\"stop\":\"terminal\",\"error\":\"$$ $RETRIAL_TMP\"}"; done"#;

fn outcomes(evidence: &Evidence) -> impl Iterator<Item = (OperationId, ProcessId, &Outcome)> {
    evidence.operations.iter().map(|(op, operation)| {
        let (_, outcome) = operation.outcome.as_ref().expect("a result");
        (*op, operation.process, outcome)
    })
}

#[tokio::test]
async fn each_client_of_a_fleet_is_a_process_with_a_folder_of_its_own() {
    let script = format!("{HELLO}{SAYS}");
    let evidence = observe(&driver(&script, short_bounds()), setup(fleet(), patient())).await;
    let mut seen: BTreeMap<ProcessId, BTreeSet<&str>> = BTreeMap::new();
    for (op, process, outcome) in outcomes(&evidence) {
        assert_eq!(process, ProcessId((op.0 - 1) % 3 + 1));
        seen.entry(process)
            .or_default()
            .insert(outcome.error.as_deref().expect("a word"));
    }
    let words: BTreeSet<&str> = seen.values().flatten().copied().collect();
    assert!(seen.values().all(|of_one| of_one.len() == 1), "{seen:?}");
    assert_eq!((seen.len(), words.len()), (3, 3), "{seen:?}");
    let folders: BTreeSet<&str> = words.iter().filter_map(|w| w.split(' ').nth(1)).collect();
    assert_eq!(folders.len(), 3, "{folders:?}");
    assert_eq!(evidence.client.ends.len(), 3);
}

#[tokio::test]
async fn a_client_that_does_not_start_ends_the_others() {
    let (tag, folder) = (tag(), tempfile::tempdir().expect("a folder"));
    // Whoever makes the folder first does not say hello.
    let script = format!(
        "mkdir {}/first && exit 3; {HELLO}sleep 600; : {tag}",
        folder.path().display()
    );
    let evidence = observe(&driver(&script, short_bounds()), setup(fleet(), patient())).await;
    let broke = evidence.client.broke.unwrap_or_default();
    assert!(broke.contains("exit status 3 before its hello"), "{broke}");
    assert!(evidence.operations.values().all(|o| o.asked.is_none()));
    assert_eq!(evidence.client.ends.len(), 3);
    wait_until_none(&tag).await;
}

#[tokio::test]
async fn a_client_that_is_started_anew_is_another_process_in_the_same_folder() {
    let script = format!("{HELLO}{SAYS}");
    let evidence = observe(&driver(&script, short_bounds()), setup(restarted(2), patient())).await;
    assert_eq!(evidence.client.broke, None);
    let successors: Vec<_> = (evidence.restarts.iter())
        .map(|(successor, r)| (r.process.0, successor.0))
        .collect();
    assert_eq!(successors, [(1, 4), (2, 5)]);
    let mut said: BTreeMap<u32, BTreeSet<(&str, &str)>> = BTreeMap::new();
    for (op, process, outcome) in outcomes(&evidence) {
        let expected = match (op.0, (op.0 - 1) % 3) {
            (7.., place @ (0 | 1)) => place + 4,
            (_, place) => place + 1,
        };
        assert_eq!(process, ProcessId(expected), "{op}");
        let words = outcome.error.as_deref().expect("a word").split_once(' ');
        said.entry(process.0)
            .or_default()
            .insert(words.expect("two words"));
    }
    // Each of the five is a process of its own, and the new ones stand in the folders of the old.
    assert!(said.values().all(|of_one| of_one.len() == 1), "{said:?}");
    let ids: BTreeSet<&str> = said.values().flatten().map(|(id, _)| *id).collect();
    assert_eq!(ids.len(), 5, "{said:?}");
    let folder = |process: u32| said[&process].first().expect("a word").1;
    assert_eq!([folder(4), folder(5)], [folder(1), folder(2)]);
    assert_eq!(evidence.client.ends.len(), 5);
    // Nothing is asked of a client that is being started.
    let began = evidence.restarts[&ProcessId(4)].at;
    let asked = |op: u32| evidence.operations[&OperationId(op)].asked.expect("a time");
    assert!(asked(6) < began && began < asked(7));
}

#[tokio::test]
async fn a_client_that_cannot_be_started_anew_ends_the_trial_and_none_is_left() {
    let tag = tag();
    let once = r#"mkdir "$RETRIAL_TMP/there" || exit 3; "#;
    let script = format!("{once}{HELLO}{SAYS}; : {tag}");
    let evidence = observe(&driver(&script, short_bounds()), setup(restarted(3), patient())).await;
    let broke = evidence.client.broke.as_deref().unwrap_or_default();
    assert!(broke.contains("exit status 3 before its hello"), "{broke}");
    let second = evidence.operations.range(OperationId(7)..);
    let left_out: Vec<_> = second
        .map(|(_, operation)| operation.left_out.as_deref())
        .collect();
    assert_eq!(left_out, [Some("the client had broken before"); 6]);
    wait_until_none(&tag).await;
}

#[tokio::test]
async fn a_command_has_nothing_to_be_started_anew() {
    let client = exec_client(&["sh", "-c", ": {url}"], SuccessIs::ExitZero, StdoutIs::Talk);
    let driver = Exec::new(&client)
        .expect("an exec client")
        .with_bounds(short_bounds());
    let evidence = observe(&driver, setup(restarted(3), patient())).await;
    assert!(evidence.restarts.is_empty());
    assert_eq!(evidence.client.ends.len(), 12);
}

#[tokio::test]
async fn a_command_is_a_process_for_each_operation_in_a_fleet_too() {
    let client = exec_client(&["sh", "-c", ": {url}"], SuccessIs::ExitZero, StdoutIs::Talk);
    let driver = Exec::new(&client)
        .expect("an exec client")
        .with_bounds(short_bounds());
    let evidence = observe(&driver, setup(fleet(), patient())).await;
    for (op, process, _) in outcomes(&evidence) {
        assert_eq!(process, ProcessId(op.0));
    }
    assert_eq!(evidence.client.ends.len(), 6);
}

#[tokio::test]
async fn each_client_in_process_begins_by_itself_and_is_handed_its_own_seed() {
    let begun = Arc::new(AtomicU32::new(0));
    let count = begun.clone();
    let driver = InProcess::per_trial("closure", move |hello| {
        let nth = count.fetch_add(1, Ordering::SeqCst);
        let given = hello.given.unwrap_or_default();
        move |_order| {
            let seed = given["rolls"]["lcg"]["first"].to_string();
            async move {
                Outcome {
                    claim: Claim::Failed,
                    status: None,
                    attempts: Some(nth),
                    stop: StopReason::Terminal,
                    body_sha256: None,
                    error: Some(seed),
                }
            }
        }
    });
    let mut trial = restarted(1);
    trial.given = Some(Given {
        rolls: Some(Rolls::Lcg(Lcg {
            first: 889,
            step: 4_203_543_429,
        })),
        ..Given::default()
    });
    let evidence = observe(&driver, setup(trial, patient())).await;
    // The one that was started anew draws from a stream that none of the others has.
    assert_eq!(begun.load(Ordering::SeqCst), 4);
    assert_eq!(evidence.operations[&OperationId(7)].process, ProcessId(4));
    for (_, process, outcome) in outcomes(&evidence) {
        let i = u64::from(process.0 - 1);
        assert_eq!(outcome.attempts, Some(process.0 - 1));
        let seed = (889 + i * 4_203_543_429) % (1 << 32);
        assert_eq!(outcome.error, Some(seed.to_string()));
    }
}
