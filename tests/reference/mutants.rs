//! Each mutant does what its sentence says, where the reference does not.

use std::time::Duration;

use crate::conversation::{Conversation, order};
use crate::reference::given::{Backoff, Exponential, Jitter};
use crate::reference::lines::{Claim, Order, Report, Stop};
use crate::reference::mutants::{Mutant, table};
use crate::reference::policy::Policy;
use crate::stage::{Stage, Step, answer, get, never, play, post, raw};

/// What a row looks at.
struct Seen {
    report: Report,
    calls: Vec<u64>,
    ended: u64,
}

async fn conduct(mutant: Option<Mutant>, order: Order, script: Vec<Step>) -> Seen {
    let (report, stage) = play(Policy::default().with_mutant(mutant), order, script).await;
    Seen {
        report,
        calls: stage.dispatched(),
        ended: stage.now(),
    }
}

/// The defect is seen in the mutant, and not in the reference.
async fn only_the_mutant(mutant: Mutant, order: Order, script: Vec<Step>, defect: fn(&Seen) -> bool) {
    let reference = conduct(None, order.clone(), script.clone()).await;
    assert!(!defect(&reference), "the reference does as {mutant:?} does");
    let seen = conduct(Some(mutant), order, script).await;
    assert!(defect(&seen), "{mutant:?} does as the reference does");
}

fn then_ok(first: Step) -> Vec<Step> {
    vec![first, answer(0, 200, "")]
}

#[tokio::test(start_paused = true)]
async fn mutants_of_pushback() {
    let seconds = || then_ok(answer(0, 503, "retry-after: 3\r\n"));
    let date = || then_ok(answer(0, 503, "retry-after: Thu, 01 Jan 2026 00:00:03 GMT\r\n"));
    let junk = || then_ok(answer(0, 503, "retry-after: soon\r\n"));
    let early: fn(&Seen) -> bool = |seen| seen.calls[1] < 3000;
    only_the_mutant(Mutant::EarlyRetry, get(), seconds(), early).await;
    only_the_mutant(Mutant::IgnoresDates, get(), date(), early).await;
    only_the_mutant(Mutant::ObeysMalformed, get(), junk(), |seen| {
        seen.calls[1] == 15_000
    })
    .await;
    let seen = conduct(Some(Mutant::IgnoresDates), get(), seconds()).await;
    assert_eq!(seen.calls, [0, 3000], "it reads seconds");
}

#[tokio::test(start_paused = true)]
async fn mutants_of_spacing() {
    let down = || vec![answer(0, 503, "")];
    let at_once: fn(&Seen) -> bool = |seen| seen.calls == [0, 0, 0, 0];
    only_the_mutant(Mutant::SkipsBackoff, get(), down(), at_once).await;
    let junk = || vec![answer(0, 503, "retry-after: soon\r\n")];
    only_the_mutant(Mutant::HurriesOnJunk, get(), junk(), at_once).await;
    let growing = |mutant| {
        let (base, cap) = (Duration::from_millis(100), Duration::from_secs(2));
        let growth = Exponential {
            base,
            factor: 2,
            cap,
            jitter: Jitter::None,
            unit: None,
        };
        let backoff = Backoff::Exponential(growth);
        let policy = Policy {
            backoff,
            ..Policy::default()
        };
        policy.with_mutant(mutant)
    };
    let right = play(growing(None), get(), down()).await.1.dispatched();
    let flat = play(growing(Some(Mutant::FlatBackoff)), get(), down())
        .await
        .1
        .dispatched();
    assert_eq!((right, flat), (vec![0, 100, 300, 700], vec![0, 100, 200, 300]));
}

#[tokio::test(start_paused = true)]
async fn the_mutant_that_sleeps_long_gives_up_after_its_deadline() {
    let order = Order {
        deadline_ms: Some(2000),
        ..get()
    };
    let script = vec![answer(0, 503, "retry-after: 30\r\n")];
    only_the_mutant(Mutant::SleepsLong, order, script, |seen| seen.ended == 3000).await;
}

#[tokio::test(start_paused = true)]
async fn mutants_of_repetition() {
    let down = || vec![answer(0, 503, "")];
    let gone = || vec![answer(0, 404, "")];
    only_the_mutant(Mutant::OneMore, get(), down(), |seen| seen.calls.len() == 5).await;
    only_the_mutant(Mutant::RetriesPermanent, get(), gone(), |seen| {
        seen.calls.len() == 4
    })
    .await;
    only_the_mutant(Mutant::NeverRetries, get(), down(), |seen| seen.calls.len() == 1).await;
    only_the_mutant(Mutant::RepeatsUnsafe, post(), down(), |seen| {
        seen.calls.len() == 4
    })
    .await;
    let up = vec![answer(0, 200, "")];
    only_the_mutant(Mutant::StrainsHealthy, get(), up, |seen| seen.calls.len() == 2).await;
}

/// The keys of each call of two operations, one after the other, whose every call fails.
async fn keys_of(mutant: Option<Mutant>) -> Vec<Vec<String>> {
    let stage = Stage::new(vec![answer(0, 503, "")]);
    let client = stage.client(Policy::default().with_mutant(mutant));
    for key in ["k1", "k2"] {
        let order = Order {
            key: Some(key.to_owned()),
            ..post()
        };
        client.operate(&order, never()).await;
    }
    let keys = |request: &String| {
        let lines = request.lines();
        let keys = lines.filter_map(|line| line.strip_prefix("idempotency-key: "));
        keys.map(str::to_owned).collect()
    };
    stage.requests().iter().map(keys).collect()
}

#[tokio::test(start_paused = true)]
async fn mutants_of_keys() {
    let (one, two) = (["\"k1\""; 4].map(|k| vec![k]), ["\"k2\""; 4].map(|k| vec![k]));
    assert_eq!(keys_of(None).await, [one, two].concat());
    let anew = keys_of(Some(Mutant::NewKeyPerAttempt)).await;
    assert_eq!(anew[..2], [["\"k1-1\""], ["\"k1-2\""]]);
    assert_eq!(
        keys_of(Some(Mutant::OneKeyForAll)).await,
        [["\"the-only-key\""]; 8]
    );
    assert_eq!(
        keys_of(Some(Mutant::TwoKeyHeaders)).await[4],
        ["\"k2\"", "\"k2\""]
    );
    let dropped = keys_of(Some(Mutant::DropsKeyOnRetry)).await;
    assert_eq!(
        (&dropped[0][..], dropped[1].len()),
        (&["\"k1\"".to_owned()][..], 0)
    );
    assert_eq!(keys_of(Some(Mutant::BareKeys)).await[0], ["k1"]);
    assert_eq!(keys_of(Some(Mutant::DistrustsKeys)).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn mutants_of_claims() {
    let half = vec![raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel")];
    let claims: fn(&Seen) -> bool = |seen| seen.report.claim == Some(Claim::Ok);
    only_the_mutant(Mutant::ClaimsTruncated, get(), half, claims).await;
    only_the_mutant(Mutant::ClaimsAnyway, get(), vec![answer(0, 404, "")], claims).await;
    let wrong: fn(&Seen) -> bool = |seen| seen.report.stop == Some(Stop::Cancelled);
    only_the_mutant(Mutant::WrongStop, get(), vec![answer(0, 404, "")], wrong).await;
}

#[tokio::test(start_paused = true)]
async fn mutants_of_reports() {
    let recovering = || then_ok(answer(0, 503, ""));
    let one: fn(&Seen) -> bool = |seen| seen.report.attempts == Some(1);
    only_the_mutant(Mutant::Undercounts, get(), recovering(), one).await;
    let gone = vec![answer(0, 503, ""), answer(0, 404, "")];
    let first: fn(&Seen) -> bool = |seen| seen.report.status == Some(503);
    only_the_mutant(Mutant::MasksFailure, get(), gone, first).await;
    let down = vec![answer(0, 503, "")];
    // Three waits of the reference are at most 700 ms together.
    only_the_mutant(Mutant::SleepsAfterLast, get(), down, |seen| seen.ended >= 1000).await;
    let century = then_ok(answer(0, 503, "retry-after: Monday, 06-Jan-86 08:49:37 GMT\r\n"));
    only_the_mutant(Mutant::MisreadsCentury, get(), century, |seen| {
        seen.calls.len() == 1
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn mutants_of_silence_and_excuse() {
    let gone = || vec![answer(0, 404, "")];
    let excused: fn(&Seen) -> bool = |seen| seen.report.could_not_run.is_some();
    only_the_mutant(Mutant::ExcusesItself, get(), gone(), excused).await;
    let fourth = Order {
        op: "op-4".to_owned(),
        ..get()
    };
    let none: fn(&Seen) -> bool = |seen| seen.calls.is_empty();
    only_the_mutant(Mutant::DropsOperations, fourth, gone(), none).await;
    let third = || vec![answer(0, 503, ""), answer(0, 503, ""), answer(0, 200, "")];
    let silent = play(
        Policy::default().with_mutant(Some(Mutant::KeepsSilent)),
        get(),
        third(),
    );
    let waited = tokio::time::timeout(Duration::from_secs(60), silent).await;
    assert!(waited.is_err());
    assert_eq!(conduct(None, get(), third()).await.report.attempts, Some(3));
}

/// The requests of a PUT with a header whose first call fails.
async fn repeated(mutant: Option<Mutant>) -> Vec<String> {
    let stage = Stage::new(then_ok(answer(0, 503, "")));
    let order = Order {
        method: "PUT".to_owned(),
        headers: vec![("authorization".to_owned(), "Bearer mine".to_owned())],
        key: Some("k".to_owned()),
        ..get()
    };
    let client = stage.client(Policy::default().with_mutant(mutant));
    client.operate(&order, never()).await;
    stage.requests()
}

#[tokio::test(start_paused = true)]
async fn mutants_of_the_repeated_request() {
    let right = repeated(None).await;
    assert_eq!(right[0], right[1]);
    let posted = repeated(Some(Mutant::PostsAgain)).await;
    assert!(
        posted[0].starts_with("PUT ") && posted[1].starts_with("POST "),
        "{posted:?}"
    );
    let poorer = repeated(Some(Mutant::LosesHeaders)).await;
    assert!(
        poorer[0].contains("Bearer mine") && !poorer[1].contains("Bearer mine"),
        "{poorer:?}"
    );
    assert!(poorer[1].contains("idempotency-key"), "{poorer:?}");
}

#[tokio::test(start_paused = true)]
async fn the_endless_mutant_stops_for_nothing_but_its_caller() {
    let order = Order {
        deadline_ms: Some(100),
        ..get()
    };
    let stage = Stage::new(vec![answer(1, 503, "")]);
    let client = stage.client(Policy::default().with_mutant(Some(Mutant::Endless)));
    let cancelled = tokio::time::sleep(std::time::Duration::from_secs(1));
    let report = client.operate(&order, cancelled).await;
    assert_eq!(report.stop, Some(Stop::Cancelled));
    assert!(stage.dispatched().len() > 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mutant_that_calls_late_does_so_after_its_report() {
    let server = wiremock::MockServer::start().await;
    let ok = wiremock::ResponseTemplate::new(200);
    wiremock::Mock::given(wiremock::matchers::any())
        .respond_with(ok)
        .mount(&server)
        .await;
    let mut client = Conversation::with(&["--mutant", "late-call"], "UTC");
    client.say(&order("op-1", "GET", &server.uri()));
    let report = client.report();
    assert_eq!((&report["claim"], &report["attempts"]), (&"ok".into(), &1.into()));
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
    assert!(client.end().success(), "the end of input waits for what runs");
    assert_eq!(server.received_requests().await.unwrap().len(), 2);
}

#[test]
fn every_mutant_can_be_called_by_the_name_in_the_table() {
    let table = table();
    assert!(table.lines().count() >= 10);
    for line in table.lines() {
        let [name, check, sentence] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line} is not three columns");
        };
        let mutant = Mutant::named(name).unwrap();
        assert_eq!(mutant.name(), name);
        assert!(check.contains('.') && !sentence.is_empty());
    }
    assert_eq!(Mutant::named("no-such"), None);
}
