//! How is the client driven? One process per operation, one per trial with a line per operation, a service with its gateways,
//! or in-process.
//!
//! A driver records what the client says (`ClientReady`, `Reported`, `CouldNotRun`, `Talk`, `ClientBroke`,
//! `ClientEnded`) at the moment it is read; the engine decides the order of things.

mod any;
mod bounds;
mod command;
mod exec;
mod in_process;
mod jsonl;
mod lines;
mod mark;
mod marked;
mod orphans;
mod service;
mod talk;
mod tree;

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use crate::client::ServicePlan;
use crate::client::protocol::{Hello, Order};
use crate::evidence::{Fact, Outcome, Recorder};
use crate::term::{Name, OperationId};
use crate::world::{Clock, World};

pub use any::{AnyDriver, AnySession};
pub use bounds::Bounds;
pub use exec::{Exec, ExecSession};
pub use in_process::{Cancelled, Ended, InProcess, InProcessSession};
pub use jsonl::{Jsonl, JsonlSession};
pub use mark::end_all_clients;
pub use orphans::Orphanage;
pub use service::{Service, ServiceSession};

/// What a driver is told of its trial.
#[derive(Clone)]
pub struct Brief {
    /// The first line to an adapter; other drivers take what they need from it.
    pub hello: Hello,
    /// The time zone the client runs in.
    pub zone: Option<String>,
    /// A folder of the trial's own, removed with it.
    pub tmp: PathBuf,
    /// Where the client's layers are to listen, and the taps before them, from the bottom up.
    pub stations: Vec<Station>,
    /// Where to record.
    pub recorder: Recorder,
    /// The trial's clock.
    pub clock: Clock,
}

/// Where one layer of a client stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Station {
    /// The layer.
    pub name: Name,
    /// `host:port` to listen on; reserved.
    pub listens: String,
    /// `host:port` of the tap before it, where the layers above are sent.
    pub tap: String,
}

/// The layers that a client is made of.
#[derive(Debug, Clone, Copy)]
pub struct Layers<'a> {
    /// Its processes.
    pub plan: &'a ServicePlan,
    /// A header that it passes on, lower case.
    pub invocation: Option<&'a str>,
}

impl Layers<'_> {
    /// Whether calls can be told apart while several operations run.
    pub fn are_marked(&self) -> bool {
        self.plan.passes_trace || self.invocation.is_some()
    }
}

/// A client that can be started in a world. Processes exist in the real one only.
pub trait Driver<W: World>: Send + Sync {
    /// The client, running.
    type Session: Session;

    /// How many operations may be outstanding.
    fn concurrency(&self) -> u32;

    /// Whether each operation starts a process of its own, so that its start-up counts against the operation.
    fn starts_per_operation(&self) -> bool {
        false
    }

    /// The layers that the client is made of, each to be given a tap; `None` where it is of one piece.
    fn layers(&self) -> Option<Layers<'_>> {
        None
    }

    /// Starts the client and waits until it is ready.
    ///
    /// # Errors
    /// It could not be started, or did not say hello: recorded as `ClientBroke` too.
    fn start(&self, brief: Brief) -> impl Future<Output = Result<Self::Session, StartError>> + Send;
}

/// A running client.
pub trait Session: Send + Sync + 'static {
    /// Hands over an operation and waits for its end, for as long as the client takes. Dropping the future gives up
    /// the waiting, not the operation.
    fn operate(&self, order: Order) -> impl Future<Output = OperationEnd> + Send;

    /// Tells the client that the caller gave up; where the driver cannot say so, it ends the operation's process.
    fn cancel(&self, op: OperationId) -> impl Future<Output = ()> + Send;

    /// Ends the client: end of input, `grace` to drain and leave, then the whole process tree is ended.
    fn finish(self, grace: Duration) -> impl Future<Output = ()> + Send;
}

/// How an operation ended, as the driver saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationEnd {
    /// The client reported it.
    Reported(Outcome),
    /// The client could not run it.
    CouldNotRun,
    /// The client broke the protocol or left: nothing more will come of it.
    ClientBroke,
}

impl Brief {
    /// Records that the client broke, and makes the error of a start that failed by it.
    fn broke(&self, because: String) -> StartError {
        let at = self.clock.now();
        self.recorder.record(Fact::ClientBroke {
            at,
            because: because.clone(),
        });
        StartError { because }
    }
}

/// Why a client could not be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartError {
    /// A sentence without a full stop.
    pub because: String,
}
