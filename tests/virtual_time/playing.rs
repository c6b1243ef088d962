//! Scenarios played with the reference client in virtual time: the engine on a paused clock, connections in memory.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use retrial::client::protocol::Hello;
use retrial::drive::InProcess;
use retrial::engine::{Patience, Setup};
use retrial::evidence::{Evidence, Fact, Outcome, Recorder};
use retrial::judge::{Case, Judgement, judge};
use retrial::promise::{
    AttemptsCount, BodyCan, Can, DeadlineCan, KeysCan, PolicyCan, Promises, PushbackForm, PushbackPromise,
};
use retrial::scenario::Trial;
use retrial::source::Source;
use retrial::upstream::Limits;
use retrial::world::{VirtualWorld, World};
use tokio::sync::{Semaphore, watch};

use crate::reference::client::Client;
use crate::reference::connect::Connect;
use crate::reference::lines::Order;
use crate::reference::mutants::Mutant;
use crate::reference::policy::Policy;
use crate::reference::wall::Wall;

/// 2026-01-01T00:00:00Z, in seconds since 1970: where the virtual world's wall clock starts.
const NEW_YEAR: u64 = 1_767_225_600;

/// Longer than any trial here.
const LONG: Duration = Duration::from_secs(365 * 24 * 3600);

/// The only trial of a scenario.
pub fn trial(name: &str, yaml: &str) -> Arc<Trial> {
    let source = Arc::new(Source::new(format!("{name}.yaml"), yaml));
    let trials = retrial::scenario::load(source, name);
    let mut trials = trials.unwrap_or_else(|problems| panic!("{name}: {problems:#?}"));
    assert_eq!(trials.len(), 1, "{name} varies");
    Arc::new(trials.remove(0))
}

/// What is wrong with the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Defect {
    /// Nothing.
    #[default]
    None,
    /// The defect of a mutant.
    Mutant(Mutant),
    /// Each operation builds its own client, with a budget of its own.
    BucketPerOperation,
}

/// Plays a trial to its end, on a clock of its own.
pub fn play(trial: &Arc<Trial>, seed: u64, defect: Defect, recorder: &Recorder) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime
        .expect("a runtime")
        .block_on(play_here(trial, seed, defect, recorder));
}

async fn play_here(trial: &Arc<Trial>, seed: u64, defect: Defect, recorder: &Recorder) {
    let world = VirtualWorld::default();
    let driver = match defect {
        Defect::None => shared_client(world.clone(), None),
        Defect::Mutant(mutant) => shared_client(world.clone(), Some(mutant)),
        Defect::BucketPerOperation => client_per_operation(world.clone()),
    };
    let (_keep, interrupted) = watch::channel(false);
    let setup = Setup {
        trial: trial.clone(),
        asked: trial.planned().map(|p| p.id).collect(),
        left_out: Vec::new(),
        deadline_passed: true,
        keys_given: true,
        seed,
        limits: Limits {
            calls: u32::MAX,
            connections: u32::MAX,
            bytes: u64::MAX,
            time: LONG,
        },
        // A client may well be silent for longer than a person would wait.
        patience: Patience {
            quiet_at_least: LONG,
            quiet_at_most: LONG,
            ..Patience::default()
        },
        recorder: recorder.clone(),
        starting: Arc::new(Semaphore::new(1)),
        interrupted,
    };
    let played = retrial::engine::run(&world, &driver, setup).await;
    played.expect("a trial that runs");
}

/// The harness and the reference client share no type: a policy and a report pass as JSON, as over jsonl.
fn retold<A: serde::Serialize, B: serde::de::DeserializeOwned>(value: &A) -> B {
    serde_json::from_value(serde_json::to_value(value).expect("JSON")).expect("the same shape")
}

/// An order as the client reads it.
fn told(order: retrial::client::protocol::Order) -> Order {
    Order {
        op: order.op.to_string(),
        method: order.method,
        url: order.url,
        urls: order.urls,
        headers: order.headers,
        body_base64: order.body_base64,
        stream: order.stream,
        key: order.key,
        deadline_ms: order.deadline_ms,
    }
}

/// The reference client of one process, on connections of the virtual world.
fn client(world: VirtualWorld, hello: &Hello, mutant: Option<Mutant>) -> Arc<Client<impl Connect + use<>>> {
    let given = hello.given.as_ref().map(retold).unwrap_or_default();
    let new_year = SystemTime::UNIX_EPOCH + Duration::from_secs(NEW_YEAR);
    let connect = move |authority: String| {
        let world = world.clone();
        async move { world.connect(&authority).await }
    };
    let policy = Policy::given(given).with_mutant(mutant);
    Arc::new(Client::new(policy, connect, Wall::standing_at(new_year)))
}

fn shared_client(world: VirtualWorld, mutant: Option<Mutant>) -> InProcess {
    InProcess::per_trial("reference", move |hello| {
        let client = client(world.clone(), &hello, mutant);
        move |order| {
            let client = client.clone();
            async move { outcome(&client.operate(&told(order), std::future::pending()).await) }
        }
    })
}

fn client_per_operation(world: VirtualWorld) -> InProcess {
    InProcess::per_trial("a bucket per operation", move |hello| {
        let world = world.clone();
        move |order| {
            let client = client(world.clone(), &hello, None);
            async move { outcome(&client.operate(&told(order), std::future::pending()).await) }
        }
    })
}

fn outcome(report: &crate::reference::lines::Report) -> Outcome {
    let mut told = serde_json::to_value(report).expect("JSON");
    told.as_object_mut().expect("an object").remove("op");
    retold(&told)
}

/// Plays a trial, and gives its facts.
pub fn facts(trial: &Arc<Trial>, defect: Defect) -> Vec<Fact> {
    let recorder = Recorder::new();
    play(trial, 1, defect, &recorder);
    recorder.take()
}

/// The evidence in some facts, and the judgement of it.
pub fn judged(trial: &Trial, facts: &[Fact]) -> (Evidence, Judgement) {
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

/// What the reference client promises whatever policy it is handed.
fn promises() -> Promises {
    Promises {
        deadline: true,
        pushback: Some(PushbackPromise {
            honours: vec![408, 425, 429, 500, 502, 503, 504],
            forms: vec![PushbackForm::Seconds, PushbackForm::Dates],
            above: None,
        }),
        one_at_a_time: true,
        prompt: true,
        key: true,
        never_repeats_unsafe: true,
        ..Promises::default()
    }
}

fn can() -> Can {
    Can {
        deadline: DeadlineCan::Passed,
        attempts_count: AttemptsCount::Calls,
        keys: KeysCan::Given,
        body: BodyCan::Stream,
        policy: PolicyCan::Given,
        ..Can::default()
    }
}
