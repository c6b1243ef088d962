//! A client in the same process: an async closure, in real or virtual time.
//!
//! In virtual time the closure must not wait for anything outside the trial's world (sockets of the system, other
//! runtimes): a paused clock runs ahead while it does.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use super::tree::Owned;
use super::{Brief, Driver, OperationEnd, Session, StartError};
use crate::client::protocol::{Hello, Order};
use crate::evidence::{Fact, Outcome};
use crate::term::{Claim, OperationId, StopReason};
use crate::world::World;

/// The client of one trial: runs an operation to its end.
pub type Operate = Arc<dyn Fn(Order) -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// Drives an async closure.
#[derive(Clone)]
pub struct InProcess {
    name: String,
    concurrency: u32,
    begin: Arc<dyn Fn(Hello) -> Operate + Send + Sync>,
}

impl InProcess {
    /// A client that is the same in every trial: `operate` runs one operation to its end.
    pub fn new<F, R>(name: &str, operate: F) -> Self
    where
        F: Fn(Order) -> R + Send + Sync + 'static,
        R: Future<Output = Outcome> + Send + 'static,
    {
        let operate: Operate = Arc::new(move |order| Box::pin(operate(order)));
        Self::from_begin(name, Arc::new(move |_| operate.clone()))
    }

    /// A client that begins each trial afresh: `begin` is told of the trial and makes the closure that runs its
    /// operations, with budgets and breakers of its own.
    pub fn per_trial<B, F, R>(name: &str, begin: B) -> Self
    where
        B: Fn(Hello) -> F + Send + Sync + 'static,
        F: Fn(Order) -> R + Send + Sync + 'static,
        R: Future<Output = Outcome> + Send + 'static,
    {
        let begin = move |hello| -> Operate {
            let operate = begin(hello);
            Arc::new(move |order| Box::pin(operate(order)))
        };
        Self::from_begin(name, Arc::new(begin))
    }

    /// The same with so many operations outstanding at most; otherwise 64.
    #[must_use]
    pub fn with_concurrency(self, concurrency: u32) -> Self {
        InProcess {
            concurrency: concurrency.max(1),
            ..self
        }
    }

    fn from_begin(name: &str, begin: Arc<dyn Fn(Hello) -> Operate + Send + Sync>) -> Self {
        InProcess {
            name: name.to_owned(),
            concurrency: 64,
            begin,
        }
    }
}

impl<W: World> Driver<W> for InProcess {
    type Session = InProcessSession;

    fn concurrency(&self) -> u32 {
        self.concurrency
    }

    async fn start(&self, brief: Brief) -> Result<InProcessSession, StartError> {
        let operate = (self.begin)(brief.hello.clone());
        brief.recorder.record(Fact::ClientReady {
            name: self.name.clone(),
            version: None,
            at: brief.clock.now(),
        });
        Ok(InProcessSession {
            brief: Arc::new(brief),
            operate,
            running: Mutex::default(),
        })
    }
}

/// A closure and the operations that it runs.
pub struct InProcessSession {
    brief: Arc<Brief>,
    operate: Operate,
    running: Mutex<BTreeMap<OperationId, Running>>,
}

struct Running {
    /// Owns the closure's task, and tells its end.
    task: Owned<()>,
    cancel: Option<oneshot::Sender<()>>,
}

impl InProcessSession {
    fn running(&self) -> MutexGuard<'_, BTreeMap<OperationId, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session for InProcessSession {
    async fn operate(&self, order: Order) -> OperationEnd {
        let op = order.op;
        let (tell, told) = oneshot::channel();
        let (cancel, cancelled) = oneshot::channel::<()>();
        // A task of its own, so that a panic in it is seen, and does not take the trial along.
        let mut inner = Owned(tokio::spawn((self.operate)(order)));
        let brief = self.brief.clone();
        let task = Owned(tokio::spawn(async move {
            let end = tokio::select! {
                outcome = &mut inner.0 => match outcome {
                    Ok(outcome) => reported(&brief, op, outcome),
                    Err(e) => broke(&brief, op, &e),
                },
                Ok(()) = cancelled => reported(&brief, op, cancelled_outcome()),
            };
            // Nobody waits any more where the engine gave up.
            let _ = tell.send(end);
        }));
        let running = Running {
            task,
            cancel: Some(cancel),
        };
        self.running().insert(op, running);
        let end = told.await.unwrap_or(OperationEnd::ClientBroke);
        self.running().remove(&op);
        end
    }

    /// Drops the operation's future, as Rust callers do.
    async fn cancel(&self, op: OperationId) {
        let mut running = self.running();
        if let Some(cancel) = running.get_mut(&op).and_then(|r| r.cancel.take()) {
            // The operation may have ended by itself.
            let _ = cancel.send(());
        }
    }

    /// A closure has nothing to drain: what still runs is dropped.
    async fn finish(self, _grace: Duration) {
        let running = std::mem::take(&mut *self.running());
        for (_, mut one) in running {
            one.task.0.abort();
            // An aborted task ends with an error; it is waited for so that its future is dropped.
            let _ = (&mut one.task.0).await;
        }
    }
}

fn reported(brief: &Brief, op: OperationId, result: Outcome) -> OperationEnd {
    let at = brief.clock.now();
    let end = OperationEnd::Reported(result.clone());
    brief.recorder.record(Fact::Reported { op, at, result });
    end
}

fn broke(brief: &Brief, op: OperationId, e: &tokio::task::JoinError) -> OperationEnd {
    let what = if e.is_panic() { "panicked" } else { "was dropped" };
    brief.broke(format!("the client {what} in {op}"));
    OperationEnd::ClientBroke
}

fn cancelled_outcome() -> Outcome {
    Outcome {
        claim: Claim::Failed,
        status: None,
        attempts: None,
        stop: StopReason::Cancelled,
        body_sha256: None,
        error: None,
    }
}
