//! The same script, engine and judge on a paused clock: the golden "recovery", to the millisecond; every built-in
//! scenario in both worlds; every mutant; and one seed, one stream of facts.

#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../fixtures/reference/mod.rs"]
mod reference;

#[path = "../../harness/virtual_reference.rs"]
mod virtual_reference;

mod mutants;
mod seeds;
mod stand;
mod worlds;

use std::sync::Arc;
use std::time::Duration;

use retrial::engine::{Patience, Setup};
use retrial::evidence::{Evidence, Fact, Recorder};
use retrial::judge::{Case, Judgement, Verdict, judge};
use retrial::promise::{AttemptsCount, Can, DeadlineCan, Promises, PushbackForm, PushbackPromise};
use retrial::scenario::Trial;
use retrial::source::Source;
use retrial::upstream::Limits;
use retrial::world::VirtualWorld;
use tokio::sync::{Semaphore, watch};

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
    retrial::engine::run(&world, &virtual_reference::begin(None)(&world, 1), setup)
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
