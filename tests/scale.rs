//! The judge's work grows as the calls of an operation do, and not as their square.
//!
//! No time is asked for: each check is timed against itself, on sixteen times the calls. Linear work takes sixteen times
//! as long then, squared work 256 times; the bound lies between, and the least of several measurements counts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use retrial::evidence::{Arrival, Attribution, Evidence, Fact};
use retrial::judge::checks::{ALL, Check};
use retrial::judge::{Case, judge};
use retrial::promise::{
    BackoffPromise, Budget, Can, Jitter, Promises, PushbackForm, PushbackPromise, Retries,
};
use retrial::scenario::{Trial, load};
use retrial::source::Source;
use retrial::term::{CallId, ConnId, Effect, OperationId, ProcessId, Role, Sha256, Stamp, StampedBy};

const FEW: u32 = 1_000;
const MANY: u32 = 16 * FEW;

/// How many times longer sixteen times the calls may take.
const TIMES: f64 = 80.0;

/// What is over sooner is not measured: it may be anything.
const MEASURABLE: Duration = Duration::from_millis(100);

const SCENARIO: &str = "\
version: 1
title: One operation that is repeated without end
dependencies:
  orders:
    script:
      - {when: {path: /pushed}, answer: {status: 503, retry_after: 3s}}
      - {when: {path: /dated}, answer: {status: 503, retry_after: {imf: {ahead: 3s}}}}
      - {when: {path: /junk}, answer: {status: 503, retry_after: {raw: soon}}}
      - {answer: {status: 503}}
operations:
  - {request: {method: PUT, to: [orders], path: PATH, key: own, body: {text: x}}}
";

fn trial(path: &str) -> Trial {
    let text = SCENARIO.replace("PATH", path);
    let source = Arc::new(Source::new("scale.yaml", text));
    load(source, "scale").expect("it is a scenario").remove(0)
}

/// A call every 10 ms, answered at once.
fn facts(calls: u32, turn: u32) -> Vec<Fact> {
    let op = OperationId(1);
    let mut facts = vec![
        Fact::TrialBegan { unix_us: 0 },
        Fact::Asked {
            op,
            at: Stamp::ZERO,
            deadline_ms: None,
            key: Some("k".to_owned()),
            process: ProcessId::FIRST,
        },
    ];
    for n in 1..=calls {
        facts.extend(exchange(n, turn));
    }
    facts
}

fn exchange(n: u32, turn: u32) -> [Fact; 3] {
    let (call, at) = (CallId(n), Stamp::from_ms(10 * u64::from(n)));
    let arrival = Arrival {
        call,
        op: Some(OperationId(1)),
        by: Attribution::Url,
        role: Role::Attempt,
        point: "orders".into(),
        conn: ConnId(n),
        nth_on_conn: 1,
        protocol: "HTTP/1.1".into(),
        method: "PUT".into(),
        path: "/".into(),
        query: None,
        keys: vec!["k".to_owned()],
        lacks: Vec::new(),
        head_sha256: Sha256::default(),
        at,
        stamped_by: StampedBy::Program,
        turn: Some(turn),
        outage: None,
        overflow: false,
        queued_us: 0,
        effect: Effect::None,
    };
    let began = Fact::AnswerBegan {
        call,
        at,
        status: Some(503),
        asked_wait_ms: (turn < 2).then_some(3_000),
        asked_until: None,
        retry_after: None,
    };
    let ended = Fact::AnswerEnded {
        call,
        at,
        complete: true,
        cut: None,
    };
    [Fact::Arrived(Box::new(arrival)), began, ended]
}

fn promises() -> Promises {
    let second = Duration::from_secs(1);
    Promises {
        attempts: Some(4),
        retries: Some(Retries {
            statuses: Some(vec![503]),
            ..Retries::default()
        }),
        pushback: Some(PushbackPromise {
            honours: vec![503],
            forms: vec![PushbackForm::Seconds, PushbackForm::Dates],
            above: None,
        }),
        backoff: Some(BackoffPromise {
            at_once: 0,
            base: second,
            factor_per_mille: 2_000,
            cap: second,
            jitter: Jitter::None,
        }),
        // Never used up, so that every stretch of time is tried.
        budget: Some(Budget::bucket(1_000_000, 1_000_000, 100)),
        ..Promises::default()
    }
}

/// The least time of some that a piece of work takes.
fn least(mut work: impl FnMut()) -> Duration {
    let one = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed()
    };
    (0..3).map(one).min().unwrap_or_default()
}

fn took(check: &Check, trial: &Trial, evidence: &Evidence) -> Duration {
    let (promises, can) = (promises(), Can::default());
    let case = Case {
        trial,
        promises: &promises,
        can: &can,
        evidence,
    };
    least(|| drop((check.judge)(&case)))
}

#[test]
fn each_check_takes_as_much_longer_as_there_are_more_calls() {
    let mut slow = Vec::new();
    for (turn, path) in [(0, "/pushed"), (1, "/dated"), (2, "/junk"), (3, "/plain")] {
        let trial = trial(path);
        let few = Evidence::fold(facts(FEW, turn));
        let many = Evidence::fold(facts(MANY, turn));
        for check in ALL {
            let (short, long) = (took(check, &trial, &few), took(check, &trial, &many));
            if long > MEASURABLE && long.as_secs_f64() > TIMES * short.as_secs_f64() {
                slow.push(format!("{} on {path}: {short:?}, then {long:?}", check.id));
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn the_stories_do_what_they_are_to_do() {
    let trial = trial("/pushed");
    let evidence = Evidence::fold(facts(20, 0));
    let (promises, can) = (promises(), Can::default());
    let case = Case {
        trial: &trial,
        promises: &promises,
        can: &can,
        evidence: &evidence,
    };
    let findings = judge(&case).findings;
    assert!(findings.iter().any(|f| f.check == "attempts.capped"));
    assert!(findings.iter().any(|f| f.check == "pushback.honoured"));
}
