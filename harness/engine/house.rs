//! The dependencies of a trial, served.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::Setup;
use super::layers::Entry;
use super::order::{at_entry, order};
use crate::client::protocol::Order;
use crate::evidence::Fact;
use crate::term::{Name, OperationId};
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

    /// The orders of the operations that are asked.
    ///
    /// # Errors
    /// The plan cannot be played.
    pub(super) fn orders(
        &self,
        setup: &Setup,
        entry: Option<&Entry>,
        shared: &Shared,
    ) -> io::Result<BTreeMap<OperationId, Order>> {
        let mut orders = BTreeMap::new();
        for op in &setup.asked {
            let planned = setup.trial.operation(*op);
            let planned = planned.ok_or_else(|| io::Error::other(format!("{op} is not in the plan")))?;
            if planned.group.clients > 1 {
                return Err(io::Error::other(
                    "several client processes in one trial are not played yet",
                ));
            }
            let keys = setup.keys_given;
            let order = order(
                planned,
                &self.authorities,
                setup.seed,
                keys,
                setup.deadline_passed,
            );
            let mut order = order.map_err(io::Error::other)?;
            if let Some(entry) = entry {
                at_entry(&mut order, entry, setup.seed, shared);
            }
            orders.insert(*op, order);
        }
        Ok(orders)
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
