//! A small trial, a client of any kind, and what was observed.

use std::sync::Arc;
use std::time::Duration;

use retrial::client::{Argument, Client, DriverPlan, StdoutIs, SuccessIs};
use retrial::drive::{Bounds, Driver};
use retrial::engine::{Patience, Setup, run};
use retrial::evidence::{ClientEnd, Evidence, Fact, Recorder};
use retrial::promise::{Can, Promises};
use retrial::scenario::{
    Dependency, Expect, OperationGroup, RequestBody, RequestPlan, Scope, Start, Trial, Turn, plain_success,
};
use retrial::source::{Source, Span};
use retrial::term::{Effect, OperationId};
use retrial::upstream::Limits;
use retrial::world::RealWorld;
use tokio::sync::{Semaphore, watch};

/// No trial of these tests may take longer, whatever its client does.
const BOUND: Duration = Duration::from_secs(30);

/// Bounds that end a client soon that is known to hang; on a busy machine a good one could meet them too.
pub const IMPATIENT: Patience = Patience {
    after_deadline: Duration::from_millis(200),
    quiet_at_least: Duration::from_millis(300),
    quiet_at_most: Duration::from_millis(300),
    to_first_call: Duration::from_millis(200),
    watch: Duration::from_millis(20),
    leave: Duration::from_millis(200),
};

/// Bounds for clients that do end.
pub fn patient() -> Patience {
    Patience {
        watch: Duration::from_millis(20),
        ..Patience::default()
    }
}

/// Bounds of processes that do not make a test slow.
pub fn short_bounds() -> Bounds {
    Bounds {
        start: Duration::from_secs(20),
        term_grace: Duration::from_millis(200),
        pipe_grace: Duration::from_millis(200),
        ..Bounds::default()
    }
}

/// One group of operations to a healthy dependency.
pub fn trial(count: u32, start: Start) -> Trial {
    let turn = Turn {
        times: None,
        when: None,
        takes: Duration::ZERO,
        effect: Effect::Applied,
        answer: Some(plain_success().clone()),
        cut: None,
        raw: None,
        span: Span::default(),
    };
    let dependency = Dependency {
        name: "upstream".into(),
        per: Scope::Operation,
        outages: Vec::new(),
        capacity: None,
        slows: None,
        keys: None,
        turns: vec![turn],
        healthy: true,
        span: Span::default(),
    };
    let request = RequestPlan {
        method: "GET".into(),
        to: vec!["upstream".into()],
        path: "/thing".into(),
        key: None,
        body: None,
        headers: Vec::new(),
        stream: false,
    };
    let group = OperationGroup {
        first: OperationId(1),
        count,
        start,
        clients: 1,
        restarts: 0,
        deadline: None,
        cancel_after: None,
        request,
        span: Span::default(),
    };
    Trial {
        id: "hostile".into(),
        scenario: "hostile".into(),
        title: "A hostile client".into(),
        cites: Vec::new(),
        tags: Vec::new(),
        needs: Vec::new(),
        zone: None,
        given: None,
        dependencies: vec![dependency],
        operations: vec![group],
        watch: None,
        expect: Expect::default(),
        source: Arc::new(Source::new("hostile.yaml", "")),
    }
}

/// The same with a body to send.
pub fn with_body(mut trial: Trial, body: RequestBody) -> Trial {
    for group in &mut trial.operations {
        group.request.method = "POST".into();
        group.request.body = Some(body.clone());
    }
    trial
}

/// A setup of the trial that asks everything.
pub fn setup(trial: Trial, patience: Patience) -> Setup {
    Setup {
        asked: trial.planned().map(|p| p.id).collect(),
        trial: Arc::new(trial),
        left_out: Vec::new(),
        deadline_passed: true,
        keys_given: true,
        key_header: None,
        seed: 1,
        limits: Limits {
            calls: 1000,
            connections: 1000,
            bytes: 10_000_000,
            time: Duration::from_secs(20),
        },
        patience,
        recorder: Recorder::new(),
        starting: Arc::new(Semaphore::new(2)),
        interrupted: watch::channel(false).1,
    }
}

/// Runs the trial and folds what was observed.
pub async fn observe<D: Driver<RealWorld>>(driver: &D, setup: Setup) -> Evidence {
    let recorder = setup.recorder.clone();
    let trial = tokio::time::timeout(BOUND, run(&RealWorld, driver, setup));
    trial
        .await
        .expect("the trial is bounded")
        .expect("the harness can run");
    let facts = recorder.take();
    assert!(matches!(facts.iter().next(), Some(Fact::TrialBegan { .. })));
    Evidence::fold(&facts)
}

/// A client that is a jsonl adapter of a few lines of shell.
pub fn jsonl_client(script: &str) -> Client {
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    client(DriverPlan::Jsonl {
        command,
        concurrency: 4,
    })
}

/// A client that is a command of these words.
pub fn exec_client(command: &[&str], success: SuccessIs, stdout: StdoutIs) -> Client {
    let command = command
        .iter()
        .map(|word| Argument::One((*word).to_owned()))
        .collect();
    client(DriverPlan::Exec {
        command,
        success,
        stdout,
    })
}

fn client(driver: DriverPlan) -> Client {
    Client {
        name: "hostile".into(),
        driver,
        requires: Vec::new(),
        can: Can::default(),
        promises: Promises::default(),
        invocation_header: None,
        key_header: None,
        expected: Vec::new(),
        folder: None,
        source: Arc::new(Source::new("client.yaml", "")),
    }
}

/// Whether retrial ended the client.
pub fn was_killed(evidence: &Evidence) -> bool {
    let ends = &evidence.client.ends;
    ends.iter()
        .any(|(_, how)| matches!(how, ClientEnd::Killed { .. }))
}

/// Whether an operation was given up on.
pub fn gave_no_result(evidence: &Evidence, op: u32) -> bool {
    evidence.operations[&OperationId(op)].no_result.is_some()
}
