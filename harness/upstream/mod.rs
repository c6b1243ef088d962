//! A dependency on a stream of bytes: sockets, hyper, cuts, raw answers.
//!
//! hyper reads every request and frames the well-formed answers. Where an answer is cut, is raw, or ends with its
//! connection, the connection is taken from hyper and played by hand. What happens is recorded as it happens.

mod accepting;
mod answer;
mod arrival;
mod attribution;
mod body;
mod by_hand;
mod capacity;
mod connection;
mod dates;
mod early;
mod effect;
mod exchange;
mod head;
mod keyed;
mod passing;
mod request_body;
mod served;
mod shared;
mod tap;
mod wire;
mod written;

use std::io;
use std::sync::Arc;

use tokio::sync::watch;

use crate::scenario::Dependency;
use crate::script;
use crate::world::{Gate, World};

pub use passing::Passing;
pub use shared::{Limits, Running, Shared};

use accepting::Accepting;
use served::{Served, Tally};

/// One dependency, served. Dropping it ends it without waiting for effects still due.
pub struct Upstream {
    authority: String,
    served: Arc<Served>,
    connections: Tally,
    down: watch::Sender<bool>,
}

impl Upstream {
    /// Reserves an address and serves the dependency on it, with its gate as the script's outages have it at time 0.
    ///
    /// # Errors
    /// The address cannot be had, or the script says what is not played yet (`InvalidInput`, with a sentence).
    pub async fn serve<W: World>(
        world: &W,
        dependency: Arc<Dependency>,
        shared: Arc<Shared>,
    ) -> io::Result<Self> {
        if let Some(because) = script::refusal(&dependency) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, because));
        }
        let gate = world.listen().await?;
        let authority = gate.authority();
        let served = Arc::new(Served::new(dependency, shared));
        let (down, connections) = (watch::Sender::new(false), Tally::default());
        let mut accepting = Accepting {
            served: served.clone(),
            gate,
            connections: connections.clone(),
            down: down.subscribe(),
            refusing: watch::Sender::new(false),
            is: script::GateIs::Open,
        };
        accepting.start()?;
        let alive = connections.enter();
        tokio::spawn(async move {
            accepting.run().await;
            drop(alive);
        });
        Ok(Upstream {
            authority,
            served,
            connections,
            down,
        })
    }

    /// `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Ends the dependency: no new connections, those that live are closed, effects still due are waited for.
    pub async fn down(self) {
        self.down.send_replace(true);
        self.connections.empty().await;
        self.served.effects.empty().await;
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.down.send_replace(true);
    }
}
