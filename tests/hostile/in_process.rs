//! Clients in this process: floods, panics, late calls; and the order in which operations are handed over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use retrial::client::protocol::Order;
use retrial::drive::InProcess;
use retrial::evidence::{Ceiling, Evidence, Fact, Outcome};
use retrial::scenario::{KeyPlan, Start};
use retrial::term::{Claim, OperationId, StopReason};
use retrial::world::{RealWorld, VirtualWorld, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::trial::{IMPATIENT, gave_no_result, observe, patient, setup, trial};

fn success() -> Outcome {
    Outcome {
        claim: Claim::Ok,
        status: Some(200),
        attempts: Some(1),
        stop: StopReason::Ok,
        body_sha256: None,
        error: None,
    }
}

/// One call, without any library's help. Whatever comes of it is not this client's concern.
async fn call(order: &Order) {
    call_in(&RealWorld, order).await;
}

async fn call_in<W: World>(world: &W, order: &Order) {
    let Some((authority, path)) = order
        .url
        .strip_prefix("http://")
        .and_then(|url| url.split_once('/'))
    else {
        return;
    };
    if let Ok(mut stream) = world.connect(authority).await {
        let request = format!("GET /{path} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n\r\n");
        let _ = stream.write_all(request.as_bytes()).await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
}

#[tokio::test]
async fn a_flood_meets_a_ceiling() {
    let flood = InProcess::new("flood", |order| async move {
        loop {
            call(&order).await;
        }
    });
    let mut setup = setup(trial(1, Start::InSequence), patient());
    setup.limits.calls = 50;
    let evidence = observe(&flood, setup).await;
    let ceilings: Vec<Ceiling> = evidence.ceilings.iter().map(|(_, which)| *which).collect();
    assert_eq!(ceilings, [Ceiling::Calls]);
    assert!(gave_no_result(&evidence, 1));
    assert!(
        (50..=52).contains(&evidence.calls.len()),
        "{} calls were recorded",
        evidence.calls.len()
    );
}

#[tokio::test]
async fn a_client_that_calls_without_end_meets_the_ceiling_of_time() {
    let slow = InProcess::new("slow", |order| async move {
        loop {
            call(&order).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let mut setup = setup(trial(1, Start::InSequence), patient());
    setup.limits.time = Duration::from_millis(300);
    let evidence = observe(&slow, setup).await;
    let ceilings: Vec<Ceiling> = evidence.ceilings.iter().map(|(_, which)| *which).collect();
    assert_eq!(ceilings, [Ceiling::Time]);
    assert!(gave_no_result(&evidence, 1));
}

#[tokio::test]
async fn a_panic_breaks_the_client_and_not_the_trial() {
    let panics = InProcess::new("panics", |order: Order| async move {
        assert!(order.op != OperationId(1), "on purpose");
        success()
    });
    let evidence = observe(&panics, setup(trial(2, Start::InSequence), patient())).await;
    assert_eq!(
        evidence.client.broke.as_deref(),
        Some("the client panicked in op-1")
    );
    assert!(evidence.watch_ended.is_some());
    let second = evidence.operations[&OperationId(2)].left_out.as_deref();
    assert_eq!(second, Some("the client had broken before"));
}

#[tokio::test]
async fn a_call_after_the_report_is_still_seen() {
    let late = InProcess::new("late", |order: Order| async move {
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            call(&order).await;
        });
        success()
    });
    let mut trial = trial(1, Start::InSequence);
    trial.watch = Some(Duration::from_secs(1));
    let evidence = observe(&late, setup(trial, patient())).await;
    let (reported, _) = evidence.operations[&OperationId(1)]
        .outcome
        .clone()
        .expect("a result");
    assert_eq!(evidence.calls.len(), 1);
    assert!(evidence.calls[0].at() > reported);
}

#[tokio::test]
async fn each_trial_begins_with_a_client_of_its_own() {
    let client = InProcess::per_trial("budget", |hello| {
        assert!(hello.dependencies["upstream"].starts_with("http://127.0.0.1:"));
        let asked = AtomicU32::new(0);
        move |_| {
            let attempts = Some(asked.fetch_add(1, Ordering::SeqCst));
            async move {
                Outcome {
                    attempts,
                    ..success()
                }
            }
        }
    });
    for _ in 0..2 {
        let evidence = observe(&client, setup(trial(2, Start::InSequence), patient())).await;
        let attempts = |op| {
            evidence.operations[&OperationId(op)]
                .outcome
                .as_ref()
                .and_then(|(_, o)| o.attempts)
        };
        assert_eq!((attempts(1), attempts(2)), (Some(0), Some(1)));
    }
}

/// The most operations that were outstanding at a time.
async fn most_at_once(start: Start, concurrency: u32) -> u32 {
    let (now, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let seen = most.clone();
    let client = InProcess::new("counts", move |_| {
        let (now, most) = (now.clone(), most.clone());
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            now.fetch_sub(1, Ordering::SeqCst);
            success()
        }
    });
    observe(
        &client.with_concurrency(concurrency),
        setup(trial(6, start), patient()),
    )
    .await;
    seen.load(Ordering::SeqCst)
}

#[tokio::test]
async fn no_more_operations_are_outstanding_than_the_start_and_the_client_allow() {
    assert_eq!(most_at_once(Start::InSequence, 8).await, 1);
    assert_eq!(most_at_once(Start::AtOnce, 8).await, 6);
    assert_eq!(most_at_once(Start::AtOnce, 2).await, 2);
}

#[tokio::test]
async fn a_cancelled_operation_ends_as_cancelled() {
    let waits = InProcess::new("waits", |_| std::future::pending());
    let mut trial = trial(1, Start::InSequence);
    trial.operations[0].cancel_after = Some(Duration::from_millis(50));
    let evidence = observe(&waits, setup(trial, patient())).await;
    let (_, outcome) = evidence.operations[&OperationId(1)]
        .outcome
        .clone()
        .expect("a result");
    assert_eq!(outcome.stop, StopReason::Cancelled);
}

#[tokio::test]
async fn what_the_client_cannot_be_told_is_not_handed_over() {
    let mut trial = trial(1, Start::InSequence);
    trial.operations[0].request.key = Some(KeyPlan::Own);
    trial.operations[0].deadline = Some(Duration::from_secs(5));
    for able in [true, false] {
        let client = InProcess::new("looks", move |order: Order| async move {
            let told = (order.key.is_some(), order.deadline_ms);
            assert_eq!(told, (able, able.then_some(5000)));
            success()
        });
        let mut setup = setup(trial.clone(), patient());
        (setup.keys_given, setup.deadline_passed) = (able, able);
        let evidence = observe(&client, setup).await;
        assert_eq!(evidence.client.broke, None);
        let operation = &evidence.operations[&OperationId(1)];
        assert_eq!(
            (operation.key.is_some(), operation.deadline_ms.is_some()),
            (able, able)
        );
    }
}

#[tokio::test]
async fn a_closure_that_hangs_gives_no_result() {
    let hangs = InProcess::new("hangs", |_| std::future::pending());
    let evidence = observe(&hangs, setup(trial(3, Start::AtOnce), IMPATIENT)).await;
    assert!((1..=3).all(|op| gave_no_result(&evidence, op)));
}

#[tokio::test]
async fn a_harness_that_is_held_up_knows_it() {
    let lag = async |hold_up: Duration| {
        let holds_up = InProcess::new("holds up", move |_| async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            // The test's runtime has one thread: the dependencies stand still meanwhile.
            std::thread::sleep(hold_up);
            success()
        });
        observe(&holds_up, setup(trial(1, Start::InSequence), patient()))
            .await
            .worst_lag_us
    };
    assert!(lag(Duration::from_millis(300)).await >= 280_000);
}

/// What one trial records in a virtual world: calls an hour apart, to a dependency that takes an hour each.
async fn virtual_facts() -> Vec<Fact> {
    let world = VirtualWorld::default();
    let client_world = world.clone();
    let client = InProcess::new("waits", move |order| {
        let world = client_world.clone();
        async move {
            for _ in 0..3 {
                call_in(&world, &order).await;
                tokio::time::sleep(Duration::from_secs(3600)).await;
            }
            success()
        }
    });
    let mut trial = trial(2, Start::At(Duration::from_secs(3600)));
    trial.operations[0].deadline = Some(Duration::from_secs(86_400));
    trial.dependencies[0].turns[0].takes = Duration::from_secs(3600);
    let mut setup = setup(trial, patient());
    setup.limits.time = Duration::from_secs(86_400);
    let recorder = setup.recorder.clone();
    retrial::engine::run(&world, &client, setup)
        .await
        .expect("the harness can run");
    recorder.take().iter().collect()
}

#[tokio::test(start_paused = true)]
async fn a_day_of_waiting_takes_no_time_in_a_virtual_world_and_is_always_the_same() {
    let facts = virtual_facts().await;
    let evidence = Evidence::fold(&facts);
    let hours: Vec<u64> = evidence
        .calls
        .iter()
        .map(|call| call.at().ms() / 3_600_000)
        .collect();
    assert_eq!(hours, [1, 1, 3, 3, 5, 5]);
    assert!(
        evidence
            .calls
            .iter()
            .all(|call| call.complete && call.delivered())
    );
    assert_eq!(facts, virtual_facts().await);
}

#[tokio::test(start_paused = true)]
async fn groups_start_when_the_scenario_says() {
    let client = InProcess::new("quick", |_| async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        success()
    });
    let mut trial = trial(2, Start::InSequence);
    let group = |first, count, start| {
        let mut group = trial.operations[0].clone();
        (group.first, group.count, group.start) = (OperationId(first), count, start);
        group
    };
    let beside = [
        group(3, 3, Start::PerSecond(10)),
        group(6, 1, Start::At(Duration::from_secs(3))),
    ];
    let after = group(7, 1, Start::InSequence);
    trial.operations.extend(beside);
    trial.operations.push(after);
    let setup = setup(trial, patient());
    let recorder = setup.recorder.clone();
    let world = VirtualWorld::default();
    retrial::engine::run(&world, &client, setup)
        .await
        .expect("the harness can run");
    let evidence = Evidence::fold(&recorder.take());
    let asked: Vec<u64> = evidence
        .operations
        .values()
        .filter_map(|op| op.asked)
        .map(|at| at.ms())
        .collect();
    assert_eq!(asked, [0, 5, 10, 110, 210, 3000, 3005]);
}
