//! The layers of a client: a port for each to listen on, a tap before it, and a register for what passes.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::drive::{Layers, Station};
use crate::evidence::Fact;
use crate::tap::{Head, Register, Tap};
use crate::term::{CallId, ConnId, Name};
use crate::upstream::{Passing, Shared};
use crate::world::{Clock, Gate, World};

/// Places for the layers of a client, with their taps.
pub(super) struct Taps<W: World> {
    stations: Vec<Station>,
    taps: Vec<Tap>,
    /// Never opened: they keep the ports that the layers listen on.
    reserved: Vec<W::Gate>,
    entry: Option<Entry>,
    /// Whether no call is on its way at any tap.
    quiet: Option<watch::Receiver<bool>>,
}

/// Where operations are handed over to a client that is asked from outside.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// `host:port` of the tap before it.
    pub(super) authority: String,
    /// A header that it passes on, lower case.
    pub(super) invocation: Option<String>,
}

/// Where a trial takes place.
pub(super) struct Places {
    /// Where the dependencies are served, by name.
    pub(super) authorities: BTreeMap<Name, String>,
    /// Where operations are handed over, if not at the dependencies.
    pub(super) entry: Option<Entry>,
    /// True while no call is on its way, where calls are known only by being the only operation's.
    pub(super) quiet: Option<watch::Receiver<bool>>,
}

impl<W: World> Taps<W> {
    /// A place and a tap for each layer; nothing where the client is of one piece.
    ///
    /// # Errors
    /// An address cannot be had.
    pub(super) async fn serve(
        world: &W,
        layers: Option<Layers<'_>>,
        shared: &Arc<Shared>,
    ) -> io::Result<Self> {
        let mut taps = Taps {
            stations: Vec::new(),
            taps: Vec::new(),
            reserved: Vec::new(),
            entry: None,
            quiet: None,
        };
        let Some(layers) = layers else {
            return Ok(taps);
        };
        let desk = Arc::new(Desk::new(shared.clone()));
        for process in &layers.plan.processes {
            let gate = world.listen().await?;
            let listens = gate.authority();
            let tap = Tap::serve(world, process.name.clone(), listens.clone(), desk.clone()).await?;
            shared.recorder.record(Fact::LayerServed {
                point: process.name.clone(),
                role: process.role,
                base: format!("http://{}", tap.authority()),
            });
            taps.stations.push(Station {
                name: process.name.clone(),
                listens,
                tap: tap.authority().to_owned(),
            });
            taps.taps.push(tap);
            taps.reserved.push(gate);
        }
        taps.entry = taps.stations.last().map(|station| Entry {
            authority: station.tap.clone(),
            invocation: layers.invocation.map(str::to_owned),
        });
        if let Some(header) = layers.invocation {
            // Nobody else sets it: a trial has one client.
            let _ = shared.invocation.set(header.to_owned());
        }
        if layers.are_marked() {
            let _ = shared.all_marked.set(());
        }
        taps.quiet = (!layers.are_marked()).then(|| desk.quiet.subscribe());
        Ok(taps)
    }

    /// Where each layer stands, from the bottom up.
    pub(super) fn stations(&self) -> Vec<Station> {
        self.stations.clone()
    }

    /// Where operations are handed over.
    pub(super) fn entry(&self) -> Option<Entry> {
        self.entry.clone()
    }

    /// Becomes true when no call is on its way, for a client whose calls carry no mark.
    pub(super) fn quiet(&self) -> Option<watch::Receiver<bool>> {
        self.quiet.clone()
    }

    /// Ends the taps, and gives the ports back.
    pub(super) async fn down(self) {
        for tap in self.taps {
            tap.down().await;
        }
        drop(self.reserved);
    }
}

/// Writes down what the taps of one trial hear.
struct Desk {
    shared: Arc<Shared>,
    open: Mutex<BTreeSet<CallId>>,
    quiet: watch::Sender<bool>,
}

impl Desk {
    fn new(shared: Arc<Shared>) -> Self {
        Desk {
            shared,
            open: Mutex::default(),
            quiet: watch::Sender::new(true),
        }
    }

    fn change(&self, with: impl FnOnce(&mut BTreeSet<CallId>)) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        with(&mut open);
        self.quiet.send_replace(open.is_empty());
    }
}

impl Register for Desk {
    fn clock(&self) -> Clock {
        self.shared.clock
    }

    fn connection(&self, point: &Name) -> Option<ConnId> {
        self.shared.connection_passes(point)
    }

    fn call(&self, point: &Name, conn: ConnId, nth_on_conn: u32, head: &Head) -> Option<CallId> {
        let call = self.shared.call_passes(&Passing {
            point,
            conn,
            nth_on_conn,
            protocol: head.protocol,
            method: head.method.as_str(),
            path: &head.path,
            query: head.query.as_deref(),
            headers: &head.headers,
            at: head.at,
        })?;
        self.change(|open| {
            open.insert(call);
        });
        Some(call)
    }

    fn bytes(&self, n: usize) -> bool {
        self.shared.count_bytes(n)
    }

    fn note(&self, fact: Fact) {
        if let Fact::AnswerEnded { call, .. } = &fact {
            self.change(|open| {
                open.remove(call);
            });
        }
        self.shared.recorder.record(fact);
    }

    fn failed(&self, error: &io::Error) {
        self.shared.note_failed(error);
    }
}
