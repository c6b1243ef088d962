//! The same script, engine and judge on a paused clock: the golden "recovery", to the millisecond.

#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../fixtures/reference/mod.rs"]
mod reference;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use retrial::drive::InProcess;
use retrial::engine::{Patience, Setup};
use retrial::evidence::{Evidence, Fact, Outcome, Recorder};
use retrial::judge::{Case, Judgement, Verdict, judge};
use retrial::promise::{AttemptsCount, Can, DeadlineCan, Promises, PushbackForm, PushbackPromise};
use retrial::scenario::Trial;
use retrial::source::Source;
use retrial::upstream::Limits;
use retrial::world::{VirtualWorld, World};
use tokio::sync::{Semaphore, watch};

use reference::client::Client;
use reference::policy::Policy;
use reference::wall::Wall;

const RECOVERY: &str = "
version: 1
title: An early failure, a wish for a wait, and a success
given:
  attempts: 3
  reserve: 50ms
  min_useful: 20ms
  statuses: [429, 503, 504]
  backoff: {exponential: {base: 100ms, factor: 2, cap: 800ms, jitter: full}}
  rolls: {fixed: [0.5]}
  budget: {initial: 2, cap: 4, earn_per_mille: 100}
dependencies:
  quota:
    script:
      - {times: 1, answer: {status: 503, after: 40ms}}
      - {times: 1, answer: {status: 429, retry_after: 1s, after: 30ms}}
      - {effect: applied, answer: {status: 200, after: 20ms}}
operations:
  - {deadline: 1500ms, request: {method: GET, to: [quota], path: /report}}
";

fn trial(yaml: &str) -> Arc<Trial> {
    let source = Arc::new(Source::new("recovery.yaml", yaml));
    let mut trials = retrial::scenario::load(source, "recovery").expect("a sound scenario");
    Arc::new(trials.remove(0))
}

/// Between the harness and the reference client there is only JSON, as over jsonl.
fn retold<A: serde::Serialize, B: serde::de::DeserializeOwned>(value: &A) -> B {
    serde_json::from_value(serde_json::to_value(value).expect("JSON")).expect("the same shape")
}

/// What the reference client promises of these operations.
fn promises() -> Promises {
    Promises {
        attempts: Some(3),
        deadline: true,
        pushback: Some(PushbackPromise {
            honours: vec![429, 503],
            forms: vec![PushbackForm::Seconds, PushbackForm::Dates],
            above: None,
        }),
        ..Promises::default()
    }
}

fn can() -> Can {
    let (deadline, attempts_count) = (DeadlineCan::Passed, AttemptsCount::Calls);
    Can {
        deadline,
        attempts_count,
        ..Can::default()
    }
}

/// The reference client, in-process, on connections of the virtual world.
fn driver(world: VirtualWorld) -> InProcess {
    InProcess::per_trial("reference", move |hello| {
        let policy = Policy::given(retold(&hello.given));
        let (world, new_year) = (
            world.clone(),
            SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600),
        );
        let connect = move |authority: String| {
            let world = world.clone();
            async move { world.connect(&authority).await }
        };
        let client = Arc::new(Client::new(policy, connect, Wall::standing_at(new_year)));
        move |order| {
            let client = client.clone();
            async move {
                let report = client.operate(&retold(&order), std::future::pending()).await;
                let mut told = serde_json::to_value(report).expect("JSON");
                told.as_object_mut().expect("an object").remove("op");
                retold::<_, Outcome>(&told)
            }
        }
    })
}

async fn play(trial: &Arc<Trial>) -> Vec<Fact> {
    let world = VirtualWorld::default();
    let recorder = Recorder::new();
    let (_keep, interrupted) = watch::channel(false);
    let setup = Setup {
        trial: trial.clone(),
        asked: trial.planned().map(|p| p.id).collect(),
        left_out: Vec::new(),
        deadline_passed: true,
        keys_given: false,
        seed: 1,
        limits: Limits {
            calls: 100,
            connections: 100,
            bytes: 1 << 20,
            time: Duration::from_secs(3600),
        },
        patience: Patience::default(),
        recorder: recorder.clone(),
        starting: Arc::new(Semaphore::new(1)),
        interrupted,
    };
    retrial::engine::run(&world, &driver(world.clone()), setup)
        .await
        .expect("a trial that runs");
    recorder.take()
}

fn judged(trial: &Trial, facts: &[Fact]) -> (Evidence, Judgement) {
    let evidence = Evidence::fold(facts);
    let (promises, can) = (promises(), can());
    let case = Case {
        trial,
        promises: &promises,
        can: &can,
        evidence: &evidence,
    };
    let judgement = judge(&case);
    (evidence, judgement)
}

#[tokio::test(start_paused = true)]
async fn the_golden_recovery_is_met_to_the_millisecond() {
    let trial = trial(RECOVERY);
    let (evidence, judgement) = judged(&trial, &play(&trial).await);
    let ms = |stamp: retrial::term::Stamp| stamp.us() as f64 / 1000.0;
    let start = evidence
        .operations
        .values()
        .next()
        .and_then(|o| o.asked)
        .map_or(0.0, ms);
    let dispatched: Vec<f64> = evidence.calls.iter().map(|c| ms(c.at()) - start).collect();
    let completed: Vec<f64> = evidence
        .calls
        .iter()
        .filter_map(|c| c.answer_ended)
        .map(|at| ms(at) - start)
        .collect();
    assert_eq!(dispatched, [0.0, 90.0, 1120.0]);
    assert_eq!(completed, [40.0, 120.0, 1140.0]);
    assert_eq!(judgement.verdict, Verdict::Pass, "{:#?}", judgement.findings);
    assert_eq!(judgement.counts.dependencies["quota"].delivered, 1);
}

#[tokio::test(start_paused = true)]
async fn one_seed_gives_one_stream_of_facts() {
    let trial = trial(RECOVERY);
    let first = play(&trial).await;
    for _ in 0..20 {
        assert_eq!(play(&trial).await, first);
    }
}
