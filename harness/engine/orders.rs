//! The operations that are still to be handed over, and the order of each, made when it is its turn.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Setup;
use super::layers::Entry;
use super::order::{at_entry, order};
use crate::client::protocol::Order;
use crate::scenario::Planned;
use crate::term::{Name, OperationId};
use crate::upstream::Shared;

/// What is still to be handed over.
pub(super) struct Orders {
    setup: Arc<Setup>,
    shared: Arc<Shared>,
    authorities: BTreeMap<Name, String>,
    /// Where they are handed over, if not at the dependencies.
    entry: Option<Entry>,
    left: Mutex<BTreeSet<OperationId>>,
}

impl Orders {
    /// The orders of the operations that are asked. `authorities` says where the dependencies are served.
    ///
    /// # Errors
    /// The plan cannot be played: it lacks an operation that is asked, or one goes where nothing is served.
    pub(super) fn new(
        setup: Arc<Setup>,
        shared: Arc<Shared>,
        authorities: BTreeMap<Name, String>,
        entry: Option<Entry>,
    ) -> io::Result<Self> {
        for op in &setup.asked {
            let planned = setup.trial.operation(*op);
            let planned = planned.ok_or_else(|| io::Error::other(format!("{op} is not in the plan")))?;
            let to = &planned.request().to;
            if let Some(name) = to.iter().find(|name| !authorities.contains_key(*name)) {
                let sentence = format!("{op} goes to `{name}`, which is no dependency");
                return Err(io::Error::other(sentence));
            }
            if to.is_empty() {
                return Err(io::Error::other(format!("{op} goes to no dependency")));
            }
        }
        let left = Mutex::new(setup.asked.iter().copied().collect());
        Ok(Orders {
            setup,
            shared,
            authorities,
            entry,
            left,
        })
    }

    /// The order of an operation, once; `None` where it is not asked, or was taken before.
    pub(super) fn take(&self, planned: Planned<'_>) -> Option<Order> {
        if !self.lock().remove(&planned.id) {
            return None;
        }
        let (setup, to) = (&self.setup, &self.authorities);
        let mut order = order(planned, to, setup.seed, setup.keys_given, setup.deadline_passed)?;
        match &self.entry {
            Some(entry) => at_entry(&mut order, entry, setup.seed, &self.shared),
            None => {
                let request = planned.request();
                self.shared
                    .note_request(planned.id, &request.method, &request.path);
            }
        }
        Some(order)
    }

    /// Operations that were not handed over.
    pub(super) fn left(&self) -> Vec<OperationId> {
        self.lock().iter().copied().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<OperationId>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
