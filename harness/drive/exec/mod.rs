//! One process per operation: the exec driver, for any command-line client.

mod placeholders;
mod process;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot};

use self::process::{Ending, Plan};
use super::command::Program;
use super::mark::{Mark, Sweeper};
use super::talk::Talk;
use super::tree::Owned;
use super::{Bounds, Brief, Driver, OperationEnd, Session, StartError};
use crate::client::protocol::Order;
use crate::client::{Argument, Client, DriverPlan, StdoutIs, SuccessIs};
use crate::evidence::Fact;
use crate::term::OperationId;
use crate::world::RealWorld;

/// Runs a command for each operation.
#[derive(Debug, Clone)]
pub struct Exec {
    name: String,
    command: Vec<Argument>,
    folder: Option<PathBuf>,
    success: SuccessIs,
    stdout: StdoutIs,
    concurrency: u32,
    bounds: Bounds,
}

impl Exec {
    /// How many processes may run at a time: enough for a burst, few enough for a laptop.
    const CONCURRENCY: u32 = 32;

    /// The driver of a client whose file, or command line, says `exec`.
    ///
    /// # Errors
    /// The client is started in another way: a sentence without a full stop.
    pub fn new(client: &Client) -> Result<Self, String> {
        match &client.driver {
            DriverPlan::Exec {
                command,
                success,
                stdout,
            } => Ok(Exec {
                name: client.name.clone(),
                command: command.clone(),
                folder: client.folder.clone(),
                success: *success,
                stdout: *stdout,
                concurrency: Self::CONCURRENCY,
                bounds: Bounds::default(),
            }),
            DriverPlan::Jsonl { .. } | DriverPlan::Service(_) | DriverPlan::InProcess { .. } => {
                let name = &client.name;
                Err(format!("the client `{name}` is not started once per operation"))
            }
        }
    }

    /// The same with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Exec { bounds, ..self }
    }

    fn plan(&self, brief: &Brief, mark: Mark) -> Result<Plan, String> {
        let program = match self.command.first() {
            Some(Argument::One(program)) => Program::find(program, self.folder.as_deref())?,
            Some(Argument::Group(_)) => return Err("the client's command begins with a group".to_owned()),
            None => return Err("the client's command is empty".to_owned()),
        };
        Ok(Plan {
            program,
            arguments: self.command[1..].to_vec(),
            success: self.success,
            stdout: self.stdout,
            talk: Talk::new(brief.clone(), self.bounds),
            bounds: self.bounds,
            mark,
            brief: brief.clone(),
        })
    }
}

impl Driver<RealWorld> for Exec {
    type Session = ExecSession;

    fn concurrency(&self) -> u32 {
        self.concurrency
    }

    fn starts_per_operation(&self) -> bool {
        true
    }

    /// Finds the command: one that is not there must not look like a client that fails its operations.
    async fn start(&self, brief: Brief) -> Result<ExecSession, StartError> {
        let sweeper = Sweeper::new(Mark::new(&brief));
        let plan = self
            .plan(&brief, sweeper.mark().clone())
            .map_err(|because| brief.broke(because))?;
        brief.recorder.record(Fact::ClientReady {
            name: self.name.clone(),
            version: None,
            at: brief.clock.now(),
        });
        Ok(ExecSession {
            places: Arc::new(Semaphore::new(self.concurrency as usize)),
            running: Mutex::default(),
            plan: Arc::new(plan),
            sweeper,
        })
    }
}

/// A command and the processes that run it.
pub struct ExecSession {
    places: Arc<Semaphore>,
    // Before the sweeper: it looks for what the processes leave behind.
    running: Mutex<BTreeMap<OperationId, Running>>,
    plan: Arc<Plan>,
    sweeper: Sweeper,
}

/// An operation's process; kept until the end of the trial for the sake of the children that it may have left.
struct Running {
    end: oneshot::Sender<Ending>,
    task: Owned<()>,
}

impl ExecSession {
    fn running(&self) -> MutexGuard<'_, BTreeMap<OperationId, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session for ExecSession {
    async fn operate(&self, order: Order) -> OperationEnd {
        let Ok(place) = self.places.clone().acquire_owned().await else {
            return OperationEnd::ClientBroke;
        };
        let op = order.op;
        let (tell, told) = oneshot::channel();
        let (end, ending) = oneshot::channel();
        let plan = self.plan.clone();
        let task = tokio::spawn(async move {
            let told = |end| {
                drop(place);
                // Nobody waits any more where the engine gave up.
                let _ = tell.send(end);
            };
            plan.run(order, ending, told).await;
        });
        let task = Owned(task);
        self.running().insert(op, Running { end, task });
        told.await.unwrap_or(OperationEnd::ClientBroke)
    }

    async fn cancel(&self, op: OperationId) {
        let running = self.running().remove(&op);
        if let Some(Running { end, mut task }) = running {
            // The process may have ended by itself.
            let _ = end.send(Ending::Cancelled);
            let _ = (&mut task.0).await;
        }
    }

    /// A command has no input to end, so there is nothing to drain: what still runs is ended at once.
    async fn finish(self, _grace: Duration) {
        let running = std::mem::take(&mut *self.running());
        let (ends, tasks): (Vec<_>, Vec<_>) = running.into_values().map(|r| (r.end, r.task)).unzip();
        for end in ends {
            let _ = end.send(Ending::Finished);
        }
        for mut task in tasks {
            let _ = (&mut task.0).await;
        }
        self.sweeper.sweep(self.plan.brief.clock).await;
    }
}
