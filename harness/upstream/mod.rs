//! A dependency on a stream of bytes: sockets, hyper, cuts, raw answers.
//!
//! hyper reads every request and frames the well-formed answers. Where an answer is cut, is raw, or ends with its
//! connection, the connection is taken from hyper and played by hand. What happens is recorded as it happens.

mod accepting;
mod answer;
mod answering;
mod anyway;
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
mod rare;
mod request_body;
mod served;
mod shared;
mod tap;
mod wire;
mod written;

use std::io;
use std::sync::Arc;

use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

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
        let gate = world.listen().await?;
        let (upstream, _) = Upstream::serve_at(gate, dependency, shared)?;
        Ok(upstream)
    }

    /// Serves the dependency at a gate, which comes back when the upstream is taken down or dropped: who connects in
    /// between waits at it.
    ///
    /// # Errors
    /// As for [`Upstream::serve`]; the gate is given up.
    pub fn serve_at<G: Gate>(
        gate: G,
        dependency: Arc<Dependency>,
        shared: Arc<Shared>,
    ) -> io::Result<(Self, oneshot::Receiver<G>)> {
        if let Some(because) = script::refusal(&dependency) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, because));
        }
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
            tasks: JoinSet::new(),
        };
        accepting.start()?;
        let alive = connections.enter();
        let (back, comes_back) = oneshot::channel();
        tokio::spawn(async move {
            let gate = accepting.run().await;
            // Most have no use for it.
            let _ = back.send(gate);
            drop(alive);
        });
        let upstream = Upstream {
            authority,
            served,
            connections,
            down,
        };
        Ok((upstream, comes_back))
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
