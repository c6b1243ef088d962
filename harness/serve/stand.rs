//! The dependencies of a trial, standing at their addresses until they are taken down, reset, or changed for others.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::addresses::Addresses;
use super::ledger::{Ledger, News, PointCounts};
use crate::scenario::Trial;
use crate::script;
use crate::term::{Name, OperationId};
use crate::upstream::{Limits, Shared, Upstream};
use crate::world::{Gate, PortGate, RealWorld, World};

/// Nothing is judged and nothing is kept, so nothing needs a ceiling but the numbers themselves.
const LIMITS: Limits = Limits {
    calls: u32::MAX,
    connections: u32::MAX,
    bytes: u64::MAX,
    time: Duration::MAX,
};

/// The one operation that all calls count as.
const EVERYTHING: OperationId = OperationId(1);

/// The version of what the lines and the control endpoint say.
const VERSION: u32 = 1;

/// Dependencies that are served.
pub struct Stand {
    addresses: Addresses,
    seed: u64,
    /// `None` when it was closed.
    news: Option<UnboundedSender<News>>,
    trial: Arc<Trial>,
    ledger: Ledger,
    standing: Vec<Served>,
    /// Gates that are not served: they keep the addresses of dependencies that another trial may have again.
    spare: BTreeMap<Name, PortGate>,
}

/// One dependency that is served, and where its gate comes back to.
struct Served {
    name: Name,
    url: String,
    upstream: Upstream,
    gate: oneshot::Receiver<PortGate>,
}

/// What is served, and what was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The version of this format.
    pub retrial: u32,
    /// The trial's id.
    pub trial: String,
    /// Its title.
    pub title: String,
    /// The seed of its chances.
    pub seed: u64,
    /// The dependencies, by name.
    pub dependencies: BTreeMap<String, Standing>,
}

/// Where a dependency is served, and what was counted there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Its URL, without a path.
    pub url: String,
    /// The counts.
    #[serde(flatten)]
    pub counts: PointCounts,
}

impl Stand {
    /// Serves every dependency of the trial; what happens is told to `news`.
    ///
    /// # Errors
    /// A port is chosen for no dependency or for two, or an address cannot be had: a sentence.
    pub async fn open(
        addresses: Addresses,
        trial: Arc<Trial>,
        seed: u64,
        news: UnboundedSender<News>,
    ) -> io::Result<Self> {
        known(&addresses, &trial)?;
        let mut stand = Stand {
            addresses,
            seed,
            ledger: Ledger::new(std::iter::empty(), None),
            news: Some(news),
            trial: trial.clone(),
            standing: Vec::new(),
            spare: BTreeMap::new(),
        };
        stand.switch(trial).await?;
        Ok(stand)
    }

    /// What is served now, and the counts so far.
    pub fn summary(&self) -> Summary {
        let standing = self.standing.iter().map(|served| {
            let (url, counts) = (served.url.clone(), self.ledger.counts(&served.name));
            (served.name.to_string(), Standing { url, counts })
        });
        self.summary_of(standing.collect())
    }

    fn summary_of(&self, dependencies: BTreeMap<String, Standing>) -> Summary {
        Summary {
            retrial: VERSION,
            trial: self.trial.id.clone(),
            title: self.trial.title.clone(),
            seed: self.seed,
            dependencies,
        }
    }

    /// Begins the same trial anew: scripts and counts at their start, open connections closed, addresses kept.
    ///
    /// # Errors
    /// As for [`Stand::switch`].
    pub async fn reset(&mut self) -> io::Result<()> {
        self.switch(self.trial.clone()).await
    }

    /// Serves another trial's dependencies. One whose name was served before keeps its address, and who connects
    /// meanwhile waits.
    ///
    /// # Errors
    /// An address that is new cannot be had, or a dependency cannot be played: then nothing has changed. The system
    /// does not let a gate be opened: then that dependency is not served.
    pub async fn switch(&mut self, trial: Arc<Trial>) -> io::Result<()> {
        let new = self.reserve(&trial)?;
        self.take_down().await;
        self.spare.extend(new);
        self.ledger = Ledger::new(trial.dependency_names().cloned(), self.news.clone());
        self.trial = trial;
        self.announce();
        self.serve()
    }

    /// Takes down what is served. Its gates are kept, and refuse until they are served again.
    async fn take_down(&mut self) {
        self.ledger.close();
        for served in std::mem::take(&mut self.standing) {
            drop(served.upstream);
            // It comes back unless the runtime is ending.
            if let Ok(gate) = served.gate.await {
                self.spare.insert(served.name, gate);
            }
        }
    }

    /// Tells what is about to be served, before any of its calls can be told.
    fn announce(&self) {
        let urls = self.trial.dependency_names().filter_map(|name| {
            let (url, counts) = (self.addresses.url(self.spare.get(name)?), PointCounts::default());
            Some((name.to_string(), Standing { url, counts }))
        });
        if let Some(watcher) = &self.news {
            // A watcher that has left needs no news.
            let _ = watcher.send(News::Serving(self.summary_of(urls.collect())));
        }
    }

    /// Ends all of it. Effects still due are not waited for. What was counted is given back; there are no more news.
    pub fn close(&mut self) -> Summary {
        self.ledger.close();
        self.news = None;
        let summary = self.summary();
        self.standing.clear();
        self.spare.clear();
        summary
    }

    /// Addresses for the dependencies that never were served, and nothing that cannot be played.
    fn reserve(&self, trial: &Trial) -> io::Result<BTreeMap<Name, PortGate>> {
        let mut gates = BTreeMap::new();
        for dependency in &trial.dependencies {
            let name = &dependency.name;
            if let Some(because) = script::refusal(dependency) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, because));
            }
            let has_gate = self.spare.contains_key(name) || self.standing.iter().any(|s| s.name == *name);
            if !has_gate {
                gates.insert(name.clone(), self.addresses.reserve(name)?);
            }
        }
        Ok(gates)
    }

    fn serve(&mut self) -> io::Result<()> {
        let shared = self.shared();
        for dependency in &self.trial.dependencies {
            let Some(gate) = self.spare.remove(&dependency.name) else {
                continue;
            };
            let (name, url) = (dependency.name.clone(), self.addresses.url(&gate));
            let (upstream, gate) = Upstream::serve_at(gate, Arc::new(dependency.clone()), shared.clone())?;
            self.standing.push(Served {
                name,
                url,
                upstream,
                gate,
            });
        }
        self.spare.values_mut().for_each(Gate::refuse);
        Ok(())
    }

    /// A clock, numbers and a recorder that start now.
    fn shared(&self) -> Arc<Shared> {
        let (clock, recorder) = (RealWorld.start_clock(), self.ledger.recorder());
        let shared = Shared::new(clock, recorder, self.seed, LIMITS);
        let mut running = shared.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.insert(EVERYTHING);
        drop(running);
        // Behind a gate that refuses, no first call could begin the time.
        shared.start_now();
        Arc::new(shared)
    }
}

/// Refuses ports that were chosen for no dependency, or twice.
fn known(addresses: &Addresses, trial: &Trial) -> io::Result<()> {
    let refuse = |sentence| Err(io::Error::new(io::ErrorKind::InvalidInput, sentence));
    let mut taken = BTreeMap::new();
    for (name, port) in &addresses.ports {
        if trial.dependency(name).is_none() {
            let names: Vec<&str> = trial.dependency_names().map(|n| &**n).collect();
            let (trial, names) = (&trial.id, names.join(", "));
            return refuse(format!("{trial} has no dependency {name}; it has {names}"));
        }
        if let Some(other) = taken.insert(*port, name).filter(|_| *port != 0) {
            return refuse(format!("{other} and {name} cannot share port {port}"));
        }
    }
    Ok(())
}
