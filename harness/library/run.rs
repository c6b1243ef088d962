//! A client on trial: what it can and promises, and the run in either time.

use std::fmt::Display;
use std::future::{Future, poll_fn};
use std::num::NonZero;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use tokio::sync::watch;
use tower_service::Service;

use super::operation::Operation;
use super::report::Report;
use super::scenario::Scenario;
use super::transport::Transport;
use crate::client::{Client, DriverPlan};
use crate::drive::InProcess;
use crate::evidence::Outcome;
use crate::promise::{AttemptsCount, BodyCan, Can, DeadlineCan, KeysCan, PolicyCan, Promises};
use crate::report::{SuiteReport, TrialReport};
use crate::source::Source;
use crate::suite::{self, Begin, Closures, Suite, Wanted, Watcher};
use crate::term::Time;
use crate::upstream::Limits;
use crate::world::World;

/// How many operations a closure is asked at once, at most.
const CONCURRENCY: u32 = 64;

/// The ceilings of a usual trial; one whose scenario asks for more has higher ones.
const LIMITS: Limits = Limits {
    calls: 1000,
    connections: 1000,
    bytes: 64 * 1024 * 1024,
    time: Duration::from_secs(120),
};

type Operate = Arc<dyn Fn(Operation) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;
type MakeClient = Arc<dyn Fn(Transport) -> Operate + Send + Sync>;

/// A client and the scenario it is put through.
#[derive(Clone)]
pub struct OnTrial {
    scenario: Scenario,
    name: String,
    make: MakeClient,
    can: Can,
    promises: Promises,
    seed: u64,
    strict: bool,
}

impl OnTrial {
    pub(super) fn new<F, R>(scenario: Scenario, name: &str, operate: F) -> Self
    where
        F: Fn(Operation, Transport) -> R + Send + Sync + 'static,
        R: Future<Output = Outcome> + Send + 'static,
    {
        let operate = Arc::new(operate);
        let make = move |transport: Transport| -> Operate {
            let operate = operate.clone();
            Arc::new(move |operation| Box::pin(operate(operation, transport.clone())))
        };
        Self::made_by(scenario, name, Arc::new(make))
    }

    pub(super) fn of_service<M, S, B>(scenario: Scenario, name: &str, make: M) -> Self
    where
        M: Fn(Transport) -> S + Send + Sync + 'static,
        S: Service<Request<Bytes>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send,
        S::Error: Display,
        B: Send + 'static,
    {
        let make = move |transport: Transport| -> Operate {
            let service = make(transport);
            Arc::new(move |operation| Box::pin(served(service.clone(), operation)))
        };
        Self::made_by(scenario, name, Arc::new(make))
    }

    fn made_by(scenario: Scenario, name: &str, make: MakeClient) -> Self {
        OnTrial {
            scenario,
            name: name.to_owned(),
            make,
            can: everything(),
            promises: Promises::default(),
            seed: 1,
            strict: false,
        }
    }

    /// What the client promises; without promises, much of what it does wrong is only noted.
    #[must_use]
    pub fn promises(self, promises: Promises) -> Self {
        OnTrial { promises, ..self }
    }

    /// What it can be asked; by default everything but a deadline, a policy and connections that are kept.
    #[must_use]
    pub fn can(self, can: Can) -> Self {
        OnTrial { can, ..self }
    }

    /// It is told the deadline of each operation, and held to it.
    #[must_use]
    pub fn keeps_deadlines(mut self) -> Self {
        self.can.deadline = DeadlineCan::Passed;
        self
    }

    /// The seed for keys and chances; 1 by default, so that a test is the same every day.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        OnTrial { seed, ..self }
    }

    /// Lets a warning fail a trial.
    #[must_use]
    pub fn strict(self) -> Self {
        OnTrial { strict: true, ..self }
    }

    /// Plays every trial in virtual time, on a thread and a paused clock of its own, whatever runtime the caller has.
    #[cfg(feature = "virtual-time")]
    pub async fn run_virtual(self) -> Report {
        self.run(Time::Virtual).await
    }

    /// Plays every trial in real time, on real sockets and a runtime of its own, whatever runtime the caller has.
    pub async fn run_real(self) -> Report {
        self.run(Time::Real).await
    }

    async fn run(self, time: Time) -> Report {
        let name = self.name.clone();
        // A thread of its own: the caller's clock may be paused, and does not move while this runs.
        let played = tokio::task::spawn_blocking(move || self.play(time)).await;
        match played {
            Ok(Ok(report)) => Report::of(&report),
            Ok(Err(e)) => Report::could_not_run(&name, &format!("no runtime could be started: {e}")),
            Err(_) => Report::could_not_run(&name, "the harness panicked"),
        }
    }

    fn play(self, time: Time) -> std::io::Result<SuiteReport> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        // Nobody interrupts a test.
        let (_nobody, interrupted) = watch::channel(false);
        Ok(runtime.block_on(suite::run(self.suite(time), Arc::new(Unwatched), interrupted)))
    }

    fn suite(self, time: Time) -> Suite {
        Suite {
            closures: Closures {
                real: Some(begin(&self.name, &self.make)),
                in_virtual_time: Some(begin(&self.name, &self.make)),
            },
            time: Wanted::Always(time),
            client: Client {
                source: Arc::new(Source::new(&*self.name, "")),
                name: self.name,
                driver: DriverPlan::InProcess {
                    concurrency: CONCURRENCY,
                },
                requires: Vec::new(),
                can: self.can,
                promises: self.promises,
                invocation_header: None,
                key_header: None,
                expected: Vec::new(),
                folder: None,
            },
            trials: self.scenario.trials,
            deselected: Vec::new(),
            shard: None,
            strict: self.strict,
            seed: self.seed,
            jobs: NonZero::<usize>::MIN.saturating_add(63),
            rounds: NonZero::<u32>::MIN,
            max_time: None,
            snapshots: None,
            limits: LIMITS,
            evidence: None,
            repeat: Box::new(|_| String::new()),
        }
    }
}

/// What a closure can be asked, unless it says otherwise.
fn everything() -> Can {
    Can {
        methods: Vec::new(),
        body: BodyCan::Bytes,
        keys: KeysCan::Given,
        deadline: DeadlineCan::None,
        keeps_connections: false,
        targets: u32::MAX,
        headers: true,
        attempts_count: AttemptsCount::None,
        cancel: true,
        policy: PolicyCan::Own,
    }
}

fn begin<W: World>(name: &str, make: &MakeClient) -> Begin<W> {
    let (name, make) = (name.to_owned(), make.clone());
    Arc::new(move |world, _seed| {
        let (world, make) = (world.clone(), make.clone());
        let client = InProcess::cancellable(&name, move |_| {
            let operate = make(Transport::over(&world));
            move |order, cancelled| {
                let operation = Operation::of(order).map(&*operate);
                async move {
                    tokio::select! {
                        biased;
                        outcome = operation? => Ok(outcome),
                        () = cancelled => Ok(Outcome::cancelled()),
                    }
                }
            }
        });
        client.with_concurrency(CONCURRENCY)
    })
}

async fn served<S, B>(mut service: S, operation: Operation) -> Outcome
where
    S: Service<Request<Bytes>, Response = Response<B>>,
    S::Error: Display,
{
    let request = match operation.request() {
        Ok(request) => request,
        Err(e) => return Outcome::failed().saying(&e.to_string()),
    };
    if let Err(e) = poll_fn(|cx| service.poll_ready(cx)).await {
        return Outcome::failed().saying(&e.to_string());
    }
    match service.call(request).await {
        Ok(answer) if answer.status().as_u16() < 400 => Outcome::ok(answer.status().as_u16()),
        Ok(answer) => Outcome::failed().with_status(answer.status().as_u16()),
        Err(e) => Outcome::unknown().saying(&e.to_string()),
    }
}

struct Unwatched;

impl Watcher for Unwatched {
    fn began(&self, _: &str) {}
    fn ended(&self, _: &TrialReport) {}
}
