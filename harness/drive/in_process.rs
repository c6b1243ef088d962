//! A client in the same process: an async closure, in real or virtual time.
//!
//! In virtual time the closure must not wait for anything outside the trial's world (sockets of the system, other
//! runtimes): a paused clock runs ahead while it does.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::oneshot;

use super::tree::Owned;
use super::{Brief, Driver, OperationEnd, Session, StartError};
use crate::client::protocol::{Hello, Order};
use crate::evidence::{Fact, Outcome};
use crate::term::{Claim, OperationId, StopReason};
use crate::world::World;

/// The client of one trial: runs an operation to its end.
type Operate = Arc<dyn Fn(Order, Cancelled) -> Pin<Box<dyn Future<Output = Ended> + Send>> + Send + Sync>;

/// What a client says of an operation: how it ended, or in a clause why it could not be run at all.
pub type Ended = Result<Outcome, String>;

/// Ready when the caller has given the operation up; never, where it does not.
#[derive(Debug)]
pub struct Cancelled(oneshot::Receiver<()>);

impl Future for Cancelled {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match Pin::new(&mut self.0).poll(cx) {
            Poll::Ready(Ok(())) => Poll::Ready(()),
            // Nobody is left who could give it up.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

/// Drives an async closure.
#[derive(Clone)]
pub struct InProcess {
    name: String,
    version: Option<String>,
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
        let operate = dropped_when_cancelled(operate);
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
        Self::from_begin(name, Arc::new(move |hello| dropped_when_cancelled(begin(hello))))
    }

    /// As [`InProcess::per_trial`], for a client that is told when its caller gives up, and says itself what came of
    /// the operation. With the others, the operation's future is dropped then, as Rust callers do.
    pub fn cancellable<B, F, R>(name: &str, begin: B) -> Self
    where
        B: Fn(Hello) -> F + Send + Sync + 'static,
        F: Fn(Order, Cancelled) -> R + Send + Sync + 'static,
        R: Future<Output = Ended> + Send + 'static,
    {
        let begin = move |hello| -> Operate {
            let operate = begin(hello);
            Arc::new(move |order, cancelled| Box::pin(operate(order, cancelled)))
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

    /// The same with the version that it gives.
    #[must_use]
    pub fn with_version(self, version: &str) -> Self {
        InProcess {
            version: Some(version.to_owned()),
            ..self
        }
    }

    fn from_begin(name: &str, begin: Arc<dyn Fn(Hello) -> Operate + Send + Sync>) -> Self {
        InProcess {
            name: name.to_owned(),
            version: None,
            concurrency: 64,
            begin,
        }
    }
}

fn dropped_when_cancelled<F, R>(operate: F) -> Operate
where
    F: Fn(Order) -> R + Send + Sync + 'static,
    R: Future<Output = Outcome> + Send + 'static,
{
    Arc::new(move |order, cancelled| {
        let operation = operate(order);
        Box::pin(async move {
            tokio::select! {
                // What has ended by itself has not been given up.
                biased;
                outcome = operation => Ok(outcome),
                () = cancelled => Ok(cancelled_outcome()),
            }
        })
    })
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
            version: self.version.clone(),
            at: brief.clock.now(),
        });
        Ok(InProcessSession {
            brief,
            operate,
            running: Mutex::default(),
            grace_is_free: W::IS_VIRTUAL,
        })
    }
}

/// A closure and the operations that it runs.
pub struct InProcessSession {
    brief: Brief,
    operate: Operate,
    running: Mutex<BTreeMap<OperationId, Running>>,
    /// Whether time is virtual, so that what a closure left running can be waited for.
    grace_is_free: bool,
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
        let (cancel, cancelled) = oneshot::channel();
        // A task of its own, so that a panic in it is seen, and does not take the trial along.
        let mut inner = Owned(tokio::spawn((self.operate)(order, Cancelled(cancelled))));
        let brief = self.brief.clone();
        let task = Owned(tokio::spawn(async move {
            let end = match (&mut inner.0).await {
                Ok(Ok(outcome)) => reported(&brief, op, outcome),
                Ok(Err(because)) => could_not_run(&brief, op, because),
                Err(e) => broke(&brief, op, &e),
            };
            // Nobody waits any more where the engine gave up.
            let _ = tell.send(end);
        }));
        let running = Running {
            task,
            cancel: Some(cancel),
        };
        self.running().insert(op, running);
        told.await.unwrap_or(OperationEnd::ClientBroke)
    }

    async fn cancel(&self, op: OperationId) {
        let mut running = self.running();
        if let Some(cancel) = running.get_mut(&op).and_then(|r| r.cancel.take()) {
            // The operation may have ended by itself.
            let _ = cancel.send(());
        }
    }

    /// A closure has no end of input to notice: what still runs is dropped, in virtual time after the grace.
    async fn finish(self, grace: Duration) {
        if self.grace_is_free {
            self.brief.clock.sleep(grace).await;
        }
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

fn could_not_run(brief: &Brief, op: OperationId, because: String) -> OperationEnd {
    let at = brief.clock.now();
    brief.recorder.record(Fact::CouldNotRun { op, at, because });
    OperationEnd::CouldNotRun
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
