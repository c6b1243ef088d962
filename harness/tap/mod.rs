//! What passes between two layers? A byte pump with a parser beside it, which counts and changes nothing.
//!
//! Bytes are handed on as they come, in both directions; so are the end of a direction (FIN) and a reset (RST). The
//! parser hears a copy. What it does not understand it reports, and the bytes go on all the same. One thing differs from
//! a direct connection: where nobody listens behind the tap, the connection is accepted and reset, not refused.

mod answers;
mod body;
mod ear;
mod pump;
mod requests;

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use self::ear::Ear;
use crate::evidence::Fact;
use crate::term::{CallId, ConnId, Name};
use crate::world::{Clock, Gate, Socket, World};

pub use self::requests::Head;

/// After a connection that could not be accepted: the system has run out of something, and needs time to find it.
const ACCEPT_AGAIN: Duration = Duration::from_millis(20);

/// Where what is heard at a tap is written down, and who belongs to whom is known.
pub trait Register: Send + Sync + 'static {
    /// The trial's clock.
    fn clock(&self) -> Clock;

    /// Numbers a connection and records it; `None` where a ceiling of the trial is hit.
    fn connection(&self, point: &Name) -> Option<ConnId>;

    /// Numbers a call and records it; `None` where a ceiling of the trial is hit.
    fn call(&self, point: &Name, conn: ConnId, nth_on_conn: u32, head: &Head) -> Option<CallId>;

    /// Counts bytes that passed; false where a ceiling of the trial is hit.
    fn bytes(&self, n: usize) -> bool;

    /// Records what else is heard.
    fn note(&self, fact: Fact);

    /// Is told of a connection that could not be had or made: for want of open files, it may be the harness's fault.
    fn failed(&self, error: &io::Error);
}

/// A tap before one layer. Dropping it ends what passes through it.
pub struct Tap {
    authority: String,
    down: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

impl Tap {
    /// Reserves an address and hands on whatever comes there to `to`, which is `host:port`.
    ///
    /// # Errors
    /// The address cannot be had.
    pub async fn serve<W: World>(
        world: &W,
        point: Name,
        to: String,
        register: Arc<dyn Register>,
    ) -> io::Result<Self> {
        let mut gate = world.listen().await?;
        gate.open()?;
        let authority = gate.authority();
        let down = watch::Sender::new(false);
        let told = down.subscribe();
        let before = Before {
            world: world.clone(),
            point,
            to,
            register,
        };
        let serving = tokio::spawn(before.accept(gate, told));
        Ok(Tap {
            authority,
            down,
            serving,
        })
    }

    /// `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Ends the tap, and what still passes through it.
    pub async fn down(mut self) {
        self.down.send_replace(true);
        // A task that panicked is down as well.
        let _ = (&mut self.serving).await;
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.down.send_replace(true);
    }
}

/// What every connection of a tap shares.
#[derive(Clone)]
struct Before<W> {
    world: W,
    point: Name,
    to: String,
    register: Arc<dyn Register>,
}

impl<W: World> Before<W> {
    async fn accept(self, mut gate: W::Gate, mut down: watch::Receiver<bool>) {
        // Dropped with this, and every connection with it.
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = ended(&mut down) => return,
                Some(_) = connections.join_next() => {}
                accepted = gate.accept() => match accepted {
                    Ok(client) => {
                        connections.spawn(self.clone().connection(client));
                    }
                    Err(e) => {
                        self.register.failed(&e);
                        self.register.clock().sleep(ACCEPT_AGAIN).await;
                    }
                },
            }
        }
    }

    async fn connection(self, mut client: W::Stream) {
        let conn = self.register.connection(&self.point);
        let layer = match conn {
            Some(_) => self
                .world
                .connect(&self.to)
                .await
                .inspect_err(|e| self.register.failed(e))
                .ok(),
            None => None,
        };
        let (Some(conn), Some(layer)) = (conn, layer) else {
            client.reset_on_drop();
            return;
        };
        let ear = Mutex::new(Ear::new(self.register, self.point, conn));
        pump::pump(client, layer, &ear).await;
    }
}

/// Ready when the tap is down; so it is when it is dropped.
async fn ended(down: &mut watch::Receiver<bool>) {
    // The sender that is gone says the same.
    let _ = down.wait_for(|down| *down).await;
}
