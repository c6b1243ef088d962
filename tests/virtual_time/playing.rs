//! Scenarios played with the reference client in virtual time: the engine on a paused clock, connections in memory.

use std::sync::Arc;
use std::time::Duration;

use retrial::drive::InProcess;
use retrial::engine::{Patience, Setup};
use retrial::evidence::{Evidence, Fact, Recorder};
use retrial::judge::{Case, Judgement, judge};
use retrial::promise::{
    AttemptsCount, BodyCan, Can, DeadlineCan, KeysCan, PolicyCan, Promises, PushbackForm, PushbackPromise,
};
use retrial::scenario::Trial;
use retrial::source::Source;
use retrial::upstream::Limits;
use retrial::world::VirtualWorld;
use tokio::sync::{Semaphore, watch};

use crate::reference::mutants::Mutant;
use crate::virtual_reference::{begin, client, operate};

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
    let played = VirtualWorld::run(|world| play_in(world, trial, seed, defect, recorder));
    played.expect("a runtime");
}

async fn play_in(world: VirtualWorld, trial: &Arc<Trial>, seed: u64, defect: Defect, recorder: &Recorder) {
    let driver = match defect {
        Defect::None => begin(None)(&world, seed),
        Defect::Mutant(mutant) => begin(Some(mutant.name()))(&world, seed),
        Defect::BucketPerOperation => bucket_per_operation(world.clone(), seed),
    };
    let (_keep, interrupted) = watch::channel(false);
    let setup = Setup {
        trial: trial.clone(),
        asked: trial.planned().map(|p| p.id).collect(),
        left_out: Vec::new(),
        deadline_passed: true,
        keys_given: true,
        key_header: None,
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

/// The reference client, made anew for each operation.
fn bucket_per_operation(world: VirtualWorld, seed: u64) -> InProcess {
    InProcess::cancellable("a bucket per operation", move |hello| {
        let world = world.clone();
        move |order, cancelled| {
            let client = client(&world, None, seed, &hello);
            async move { operate(client?, order, cancelled).await }
        }
    })
}

/// Plays a trial, and gives its facts.
pub fn facts(trial: &Arc<Trial>, defect: Defect) -> Vec<Fact> {
    let recorder = Recorder::new();
    play(trial, 1, defect, &recorder);
    recorder.take().iter().collect()
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
