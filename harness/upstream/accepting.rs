//! The gate of one dependency: opened and closed by the script's outages, and what comes through it.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::connection::{self, is_true};
use super::served::{Served, Tally};
use super::shared::lock;
use crate::evidence::{Fact, GateState};
use crate::script::GateIs;
use crate::term::{ConnId, CutBy, Stamp};
use crate::world::{Gate, Socket};

/// How long to wait before the system is asked again for what it would not give: a port to listen on, a connection.
const AGAIN: Duration = Duration::from_millis(10);

/// A dependency's gate and what it lets in.
pub(super) struct Accepting<G> {
    pub served: Arc<Served>,
    pub gate: G,
    /// Connections that live.
    pub connections: Tally,
    /// Becomes true when the dependency ends.
    pub down: watch::Receiver<bool>,
    /// Tells the connections that live when the gate closes.
    pub refusing: watch::Sender<bool>,
    /// What the gate is now.
    pub is: GateIs,
    /// The tasks of connections: they end with this, wherever they are.
    pub tasks: JoinSet<()>,
}

impl<G: Gate> Accepting<G> {
    /// Opens the gate, or leaves it closed, as the outages have it at time zero.
    pub(super) fn start(&mut self) -> io::Result<()> {
        self.is = self.served.outages.gate(Duration::ZERO);
        match self.is {
            GateIs::Open => return self.gate.open(),
            // So a fresh gate begins; one that was served before may be open.
            GateIs::Refusing => self.gate.refuse(),
            GateIs::BlackHole => self.gate.black_hole()?,
        }
        self.refusing.send_replace(self.is == GateIs::Refusing);
        self.record(self.is);
        Ok(())
    }

    /// Accepts until the dependency ends, and gives the gate back as it is then.
    pub(super) async fn run(mut self) -> G {
        let mut over = self.served.shared.over();
        let mut down = self.down.clone();
        loop {
            let served = self.served.clone();
            let is = self.is;
            tokio::select! {
                // The gate is moved before anything is let through it.
                biased;
                () = is_true(&mut down) => return self.gate,
                () = is_true(&mut over) => break,
                () = changed(&served, is) => self.follow().await,
                // What is over is let go of.
                Some(_) = self.tasks.join_next() => {}
                accepted = self.gate.accept() => match accepted {
                    Ok(socket) => self.let_in(socket),
                    // Such as too many open files: it passes, or the trial's time does.
                    Err(e) => {
                        served.shared.note_failed(&e);
                        served.shared.clock.sleep(AGAIN).await;
                    }
                }
            }
        }
        self.turn_away().await;
        self.gate
    }

    /// A ceiling is hit: refusing is the cheapest answer to a flood, and those who came before are reset.
    async fn turn_away(&mut self) {
        self.gate.refuse();
        loop {
            tokio::select! {
                biased;
                () = is_true(&mut self.down) => return,
                accepted = self.gate.accept() => if let Ok(mut socket) = accepted {
                    socket.reset_on_drop();
                }
            }
        }
    }

    /// Brings the gate to where the outages have it now.
    async fn follow(&mut self) {
        let shared = &self.served.shared;
        let becomes = self.served.outages.gate(shared.since_start(shared.clock.now()));
        if becomes == self.is {
            return;
        }
        // What is recorded spans the absence: from before it begins to after it ends.
        match becomes {
            GateIs::Open => {
                self.until_done(G::open).await;
                self.record(becomes);
            }
            GateIs::Refusing => {
                self.record(becomes);
                self.gate.refuse();
            }
            GateIs::BlackHole => {
                self.record(becomes);
                self.until_done(G::black_hole).await;
            }
        }
        self.is = becomes;
        self.refusing.send_replace(becomes == GateIs::Refusing);
    }

    /// Moves the gate, as soon as the system lets it.
    async fn until_done(&mut self, moved: impl Fn(&mut G) -> io::Result<()>) {
        while let Err(e) = moved(&mut self.gate)
            && !*self.down.borrow()
        {
            self.served.shared.note_failed(&e);
            self.served.shared.clock.sleep(AGAIN).await;
        }
    }

    fn record(&self, is: GateIs) {
        let gate = match is {
            GateIs::Open => GateState::Open,
            GateIs::Refusing => GateState::Refusing,
            GateIs::BlackHole => GateState::BlackHole,
        };
        let shared = &self.served.shared;
        shared.recorder.record(Fact::GateChanged {
            point: self.served.dependency.name.clone(),
            at: shared.clock.now(),
            gate,
        });
    }

    /// Numbers a connection and cuts or serves it, in a task of its own.
    fn let_in(&mut self, mut socket: G::Stream) {
        let Some((conn, cut)) = self.number() else {
            return socket.reset_on_drop();
        };
        let (served, alive) = (self.served.clone(), self.connections.enter());
        // Asked at each turn of the connection, so only where it can be told anything.
        let may_refuse = !served.dependency.outages.is_empty();
        let refusing = may_refuse.then(|| self.refusing.subscribe());
        self.tasks.spawn(async move {
            match cut {
                Some(by) => connection::cut(served, socket, by).await,
                None => connection::serve(served, conn, socket, refusing).await,
            }
            drop(alive);
        });
    }

    fn number(&self) -> Option<(ConnId, Option<CutBy>)> {
        let shared = &self.served.shared;
        shared.number_connection(|conn| {
            let at = shared.clock.now();
            let alone = shared.alone();
            let cut = lock(&self.served.script).accept(alone, at);
            shared.recorder.record(Fact::Connected {
                conn,
                point: self.served.dependency.name.clone(),
                at,
                cut: cut.map(|c| c.by),
                turn: cut.map(|c| c.turn),
                op: cut.and(alone),
            });
            (conn, cut.map(|c| c.by))
        })
    }
}

/// Ready when the outages have the gate otherwise than it is. Cancel-safe.
async fn changed(served: &Served, is: GateIs) {
    let (shared, outages) = (&served.shared, &served.outages);
    let Some(started) = started(served).await else {
        return pending().await;
    };
    loop {
        let now = shared.clock.now().since(started);
        // Looked at first: an edge may have passed while something else was done.
        if outages.gate(now) != is {
            return;
        }
        match outages.next_change(now) {
            Some(next) => shared.clock.sleep_until(started.plus(next)).await,
            None => pending().await,
        }
    }
}

/// Waits for the trial's start; `None` where no outage makes it matter.
async fn started(served: &Served) -> Option<Stamp> {
    if served.dependency.outages.is_empty() {
        return None;
    }
    loop {
        let told = served.shared.start.notified();
        tokio::pin!(told);
        told.as_mut().enable();
        if let Some(started) = served.shared.started.get() {
            return Some(*started);
        }
        told.await;
    }
}
