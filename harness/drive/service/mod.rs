//! A service with the gateways before it: processes in order, each behind a tap, asked through the last.

mod entry;
mod fill;
mod keeper;
mod ready;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{oneshot, watch};

use self::fill::Told;
use self::keeper::Keeper;
use super::mark::{Mark, Sweeper};
use super::talk::Talk;
use super::{Bounds, Brief, Driver, Layers, OperationEnd, Session, StartError};
use crate::client::protocol::Order;
use crate::client::{Client, DriverPlan, ServicePlan};
use crate::evidence::{Fact, Outcome};
use crate::term::{Claim, OperationId, StopReason};
use crate::world::RealWorld;

/// Starts a service's processes and asks the last one.
#[derive(Debug, Clone)]
pub struct Service {
    name: String,
    plan: ServicePlan,
    invocation: Option<String>,
    key_header: String,
    folder: Option<PathBuf>,
    bounds: Bounds,
}

impl Service {
    /// How many operations may be outstanding, where they can be told apart.
    const CONCURRENCY: u32 = 32;

    /// How long a process may take from SIGTERM to its end: one that finishes what it has at hand takes its time.
    const LEAVES_WITHIN: Duration = Duration::from_secs(10);

    /// The driver of a client whose file says `service`.
    ///
    /// # Errors
    /// The client is started in another way: a sentence without a full stop.
    pub fn new(client: &Client) -> Result<Self, String> {
        match &client.driver {
            DriverPlan::Service(plan) => Ok(Service {
                name: client.name.clone(),
                plan: plan.clone(),
                invocation: client.invocation_header.clone(),
                key_header: client.key_header.clone().unwrap_or_else(|| entry::KEY.to_owned()),
                folder: client.folder.clone(),
                bounds: Bounds {
                    term_grace: Self::LEAVES_WITHIN,
                    ..Bounds::default()
                },
            }),
            DriverPlan::Exec { .. } | DriverPlan::Jsonl { .. } | DriverPlan::InProcess { .. } => {
                Err(format!("the client `{}` is not a service", client.name))
            }
        }
    }

    /// The same with other bounds.
    #[must_use]
    pub fn with_bounds(self, bounds: Bounds) -> Self {
        Service { bounds, ..self }
    }

    /// Starts the processes, each when the one before it is ready.
    async fn start_all(&self, brief: &Brief, mark: &Mark) -> Result<Vec<Keeper>, String> {
        let talk = Talk::new(brief.clone(), self.bounds);
        let broke = watch::Sender::new(false);
        let mut keepers = Vec::new();
        for process in &self.plan.processes {
            let told = Told::of(process, brief, &keepers)?;
            let starting = keeper::Starting {
                process,
                told: &told,
                folder: self.folder.as_deref(),
                brief,
                mark,
                talk: talk.of(&process.name),
                bounds: self.bounds,
            };
            keepers.push(starting.start(broke.clone()).await?);
        }
        Ok(keepers)
    }
}

impl Driver<RealWorld> for Service {
    type Session = ServiceSession;

    fn concurrency(&self) -> u32 {
        // Calls that carry no mark are known by being the only operation's.
        match self.stack().are_marked() {
            true => Self::CONCURRENCY,
            false => 1,
        }
    }

    fn layers(&self) -> Option<Layers<'_>> {
        Some(self.stack())
    }

    async fn start(&self, brief: Brief) -> Result<ServiceSession, StartError> {
        let sweeper = Sweeper::new(Mark::new(&brief));
        let keepers = match self.start_all(&brief, sweeper.mark()).await {
            Ok(keepers) => keepers,
            Err(because) => {
                let error = brief.broke(because);
                sweeper.sweep(brief.clock).await;
                return Err(error);
            }
        };
        brief.recorder.record(Fact::ClientReady {
            name: self.name.clone(),
            version: None,
            at: brief.clock.now(),
        });
        Ok(ServiceSession {
            keepers,
            asking: Mutex::default(),
            brief,
            key_header: self.key_header.clone(),
            sweeper,
        })
    }
}

impl Service {
    fn stack(&self) -> Layers<'_> {
        Layers {
            plan: &self.plan,
            invocation: self.invocation.as_deref(),
        }
    }
}

/// A service whose processes are ready.
pub struct ServiceSession {
    /// From the bottom up. Before the sweeper: it looks for what they leave behind.
    keepers: Vec<Keeper>,
    asking: Mutex<BTreeMap<OperationId, oneshot::Sender<()>>>,
    brief: Brief,
    key_header: String,
    sweeper: Sweeper,
}

impl ServiceSession {
    fn asking(&self) -> MutexGuard<'_, BTreeMap<OperationId, oneshot::Sender<()>>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reported(&self, op: OperationId, result: Outcome) -> OperationEnd {
        let at = self.brief.clock.now();
        self.brief.recorder.record(Fact::Reported {
            op,
            at,
            result: result.clone(),
        });
        OperationEnd::Reported(result)
    }
}

impl Session for ServiceSession {
    async fn operate(&self, order: Order) -> OperationEnd {
        let op = order.op;
        let (cancel, cancelled) = oneshot::channel();
        self.asking().insert(op, cancel);
        let broke = async {
            match self.keepers.last() {
                Some(entry) => entry.any_broke().await,
                None => std::future::pending().await,
            }
        };
        let result = tokio::select! {
            biased;
            () = broke => return OperationEnd::ClientBroke,
            Ok(()) = cancelled => given_up(),
            result = entry::ask(&order, &self.key_header, self.brief.clock) => result,
        };
        self.asking().remove(&op);
        self.reported(op, result)
    }

    /// Leaves the connection: that is how a caller of HTTP/1 gives up.
    async fn cancel(&self, op: OperationId) {
        if let Some(cancel) = self.asking().remove(&op) {
            // It may have ended at this moment.
            let _ = cancel.send(());
        }
    }

    /// Ends the processes from the entry down, so that none is asked what it cannot answer any more.
    async fn finish(self, grace: Duration) {
        for keeper in self.keepers.into_iter().rev() {
            keeper.end(grace).await;
        }
        self.sweeper.sweep(self.brief.clock).await;
    }
}

fn given_up() -> Outcome {
    Outcome {
        claim: Claim::Failed,
        status: None,
        attempts: None,
        stop: StopReason::Cancelled,
        body_sha256: None,
        error: Some("the caller gave up".to_owned()),
    }
}
