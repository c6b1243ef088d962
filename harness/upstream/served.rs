//! What the connections of one dependency share, and what its script orders.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;

use super::dates::Dates;
use super::rare::Rare;
use super::shared::Shared;
use crate::scenario::{Answer, Cut, Dependency, Down};
use crate::script::{Falls, Outages, Script};
use crate::term::{CutBy, Effect, OperationId, Place};

/// What the connections of one dependency share.
pub(super) struct Served {
    pub dependency: Arc<Dependency>,
    pub shared: Arc<Shared>,
    pub script: Mutex<Script>,
    pub outages: Outages,
    /// The dates of its answers.
    pub dates: Dates,
    /// Where an operation was last redirected to within this dependency.
    pub redirects: Rare<BTreeMap<OperationId, String>>,
    /// Effects that are still due.
    pub effects: Tally,
}

impl Served {
    pub(super) fn new(dependency: Arc<Dependency>, shared: Arc<Shared>) -> Self {
        Served {
            dates: Dates::default(),
            script: Mutex::new(Script::new(dependency.clone(), shared.seed)),
            outages: Outages::of(dependency.clone()),
            dependency,
            shared,
            redirects: Rare::default(),
            effects: Tally::default(),
        }
    }

    /// How long ago the first operation was handed over; it stands at zero where neither outages nor a capacity count by it,
    /// which spares a look at the clock.
    pub(super) fn since_start(&self) -> Duration {
        let counts = !self.dependency.outages.is_empty() || self.dependency.capacity.is_some();
        match counts {
            true => self.shared.since_start(self.shared.clock.now()),
            false => Duration::ZERO,
        }
    }

    /// The effect that the script orders for this: outages and overflow have none.
    pub(super) fn effect(&self, falls: Falls) -> Effect {
        match falls {
            Falls::Turn(i) => self
                .dependency
                .turns
                .get(i as usize)
                .map_or(Effect::None, |t| t.effect),
            Falls::Outage(_) | Falls::Overflow => Effect::None,
        }
    }

    /// What the script orders for this.
    pub(super) fn ordered(&self, falls: Falls) -> Ordered<'_> {
        Ordered::of(&self.dependency, falls)
    }
}

/// What is ordered for a call, whether by a turn or by an outage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ordered<'a> {
    pub takes: Duration,
    pub effect: Effect,
    pub answer: Option<&'a Answer>,
    /// The wait between the effect and the first byte of the answer.
    pub after: Duration,
    pub cut: Option<Cut>,
    pub raw: Option<&'a [u8]>,
}

impl<'a> Ordered<'a> {
    /// What the dependency orders for what a call fell to.
    pub(super) fn of(dependency: &'a Dependency, falls: Falls) -> Self {
        match falls {
            Falls::Turn(i) => dependency
                .turns
                .get(i as usize)
                .map_or(Ordered::down(None), |turn| Ordered {
                    takes: turn.takes,
                    effect: turn.effect,
                    answer: turn.answer.as_ref(),
                    after: turn.answer.as_ref().map_or(Duration::ZERO, |a| a.after),
                    cut: turn.cut,
                    raw: turn.raw.as_deref(),
                }),
            Falls::Overflow => Ordered::answered(dependency.capacity.as_ref().map(|c| &*c.overflow)),
            Falls::Outage(i) => Ordered::down(dependency.outages.get(i as usize).map(|o| &o.be)),
        }
    }

    fn down(be: Option<&'a Down>) -> Self {
        let cut = |at, by| Some(Cut { at, by });
        let (answer, cut) = match be {
            Some(Down::Answer(answer)) => (Some(&**answer), None),
            // From a black hole nothing comes, on a connection that was kept either.
            Some(Down::Hang | Down::BlackHole) => (None, cut(Place::BeforeAnswer, CutBy::Hang)),
            // A dependency that is not there has no connections either: one that was kept is reset.
            Some(Down::Refused) | None => (None, cut(Place::RequestHead, CutBy::Rst)),
        };
        Ordered {
            cut,
            ..Ordered::answered(answer)
        }
    }

    fn answered(answer: Option<&'a Answer>) -> Self {
        Ordered {
            takes: Duration::ZERO,
            effect: Effect::None,
            answer,
            after: answer.map_or(Duration::ZERO, |a| a.after),
            cut: None,
            raw: None,
        }
    }
}

/// How many tasks of a kind are alive.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally(watch::Sender<usize>);

/// One of a tally, until dropped.
pub(super) struct Counted(watch::Sender<usize>);

impl Tally {
    pub(super) fn enter(&self) -> Counted {
        self.0.send_modify(|n| *n += 1);
        Counted(self.0.clone())
    }

    /// Waits until none is alive.
    pub(super) async fn empty(&self) {
        // The sender is this tally's own, so the wait cannot fail.
        let _ = self.0.subscribe().wait_for(|n| *n == 0).await;
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|n| *n = n.saturating_sub(1));
    }
}
