//! The dependencies of a trial, served.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::Setup;
use crate::evidence::Fact;
use crate::term::Name;
use crate::upstream::{Shared, Upstream};
use crate::world::{Clock, World};

/// All dependencies of a trial.
pub(super) struct House {
    upstreams: Vec<Upstream>,
    authorities: BTreeMap<Name, String>,
}

impl House {
    /// Serves every dependency of the trial.
    ///
    /// # Errors
    /// An address cannot be had; those that were had are given back.
    pub(super) async fn serve<W: World>(world: &W, setup: &Setup, shared: &Arc<Shared>) -> io::Result<Self> {
        let mut house = House {
            upstreams: Vec::new(),
            authorities: BTreeMap::new(),
        };
        for dependency in &setup.trial.dependencies {
            match Upstream::serve(world, Arc::new(dependency.clone()), shared.clone()).await {
                Ok(upstream) => house.add(dependency.name.clone(), upstream, setup),
                Err(e) => {
                    house.down(shared.clock, Duration::from_secs(1)).await;
                    return Err(e);
                }
            }
        }
        Ok(house)
    }

    fn add(&mut self, point: Name, upstream: Upstream, setup: &Setup) {
        let authority = upstream.authority().to_owned();
        let base = format!("http://{authority}");
        self.authorities.insert(point.clone(), authority);
        self.upstreams.push(upstream);
        setup.recorder.record(Fact::PointServed { point, base });
    }

    /// Where each is served, without any operation's marker.
    pub(super) fn bases(&self) -> BTreeMap<String, String> {
        let base = |(name, authority): (&Name, &String)| (name.to_string(), format!("http://{authority}"));
        self.authorities.iter().map(base).collect()
    }

    /// Where each is served: `host:port` by name.
    pub(super) fn authorities(&self) -> BTreeMap<Name, String> {
        self.authorities.clone()
    }

    /// Ends all of them, within bounds.
    pub(super) async fn down(self, clock: Clock, within: Duration) {
        let mut down = tokio::task::JoinSet::new();
        for upstream in self.upstreams {
            down.spawn(upstream.down());
        }
        // What is not down by then is dropped.
        let _ = clock
            .within(within, async { while down.join_next().await.is_some() {} })
            .await;
    }
}
