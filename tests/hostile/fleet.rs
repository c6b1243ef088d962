//! Fleets: each client is a process of its own, a part of the fleet that cannot start ends the others, and none is left.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use retrial::client::{StdoutIs, SuccessIs};
use retrial::drive::{Exec, InProcess};
use retrial::evidence::{Evidence, Outcome};
use retrial::promise::{Given, Lcg, Rolls};
use retrial::scenario::{Start, Trial};
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

fn outcomes(evidence: &Evidence) -> impl Iterator<Item = (OperationId, ProcessId, &Outcome)> {
    evidence.operations.iter().map(|(op, operation)| {
        let (_, outcome) = operation.outcome.as_ref().expect("a result");
        (*op, operation.process, outcome)
    })
}

#[tokio::test]
async fn each_client_of_a_fleet_is_a_process_with_a_folder_of_its_own() {
    let says = r#"while read -r line; do op=${line#'{"op":"'};
        echo "{\"op\":\"${op%%\"*}\",\"claim\":\"failed\",\"stop\":\"terminal\",\"error\":\"$$ $RETRIAL_TMP\"}"; done"#;
    let script = format!("{HELLO}{says}");
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
    let mut trial = fleet();
    trial.given = Some(Given {
        rolls: Some(Rolls::Lcg(Lcg {
            first: 889,
            step: 4_203_543_429,
        })),
        ..Given::default()
    });
    let evidence = observe(&driver, setup(trial, patient())).await;
    assert_eq!(begun.load(Ordering::SeqCst), 3);
    for (_, process, outcome) in outcomes(&evidence) {
        let i = u64::from(process.0 - 1);
        assert_eq!(outcome.attempts, Some(process.0 - 1));
        let seed = (889 + i * 4_203_543_429) % (1 << 32);
        assert_eq!(outcome.error, Some(seed.to_string()));
    }
}
