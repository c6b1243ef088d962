//! Any driver of a world, by a table of functions: what orders a trial is then made once for each world, not for each driver.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::{Brief, Driver, Layers, OperationEnd, Session, StartError};
use crate::client::protocol::Order;
use crate::term::OperationId;
use crate::world::World;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A driver of any kind.
pub struct AnyDriver<'a, W>(&'a dyn Drives<W>);

impl<'a, W: World> AnyDriver<'a, W> {
    /// A driver as one of any kind.
    pub fn new(driver: &'a impl Driver<W>) -> Self {
        AnyDriver(driver)
    }
}

/// A running client of any kind.
pub struct AnySession(Box<dyn Runs>);

impl<W: World> Driver<W> for AnyDriver<'_, W> {
    type Session = AnySession;

    fn concurrency(&self) -> u32 {
        self.0.places()
    }

    fn starts_per_operation(&self) -> bool {
        self.0.starts_each()
    }

    fn layers(&self) -> Option<Layers<'_>> {
        self.0.pieces()
    }

    async fn start(&self, brief: Brief) -> Result<AnySession, StartError> {
        self.0.begin(brief).await
    }
}

impl Session for AnySession {
    async fn operate(&self, order: Order) -> OperationEnd {
        self.0.hand_over(order).await
    }

    async fn cancel(&self, op: OperationId) {
        self.0.call_off(op).await;
    }

    async fn finish(self, grace: Duration) {
        self.0.end(grace).await;
    }
}

/// [`Driver`] as a table.
trait Drives<W>: Send + Sync {
    fn places(&self) -> u32;
    fn starts_each(&self) -> bool;
    fn pieces(&self) -> Option<Layers<'_>>;
    fn begin(&self, brief: Brief) -> Boxed<'_, Result<AnySession, StartError>>;
}

impl<W: World, D: Driver<W>> Drives<W> for D {
    fn places(&self) -> u32 {
        self.concurrency()
    }

    fn starts_each(&self) -> bool {
        self.starts_per_operation()
    }

    fn pieces(&self) -> Option<Layers<'_>> {
        self.layers()
    }

    fn begin(&self, brief: Brief) -> Boxed<'_, Result<AnySession, StartError>> {
        Box::pin(async move { Ok(AnySession(Box::new(self.start(brief).await?))) })
    }
}

/// [`Session`] as a table.
trait Runs: Send + Sync {
    fn hand_over(&self, order: Order) -> Boxed<'_, OperationEnd>;
    fn call_off(&self, op: OperationId) -> Boxed<'_, ()>;
    fn end(self: Box<Self>, grace: Duration) -> Boxed<'static, ()>;
}

impl<S: Session> Runs for S {
    fn hand_over(&self, order: Order) -> Boxed<'_, OperationEnd> {
        Box::pin(self.operate(order))
    }

    fn call_off(&self, op: OperationId) -> Boxed<'_, ()> {
        Box::pin(self.cancel(op))
    }

    fn end(self: Box<Self>, grace: Duration) -> Boxed<'static, ()> {
        Box::pin((*self).finish(grace))
    }
}
