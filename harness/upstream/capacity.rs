//! A call's place in its dependency's capacity, from its decision until its exchange is as good as over.

use std::sync::Arc;

use super::served::Served;
use super::shared::lock;
use crate::script::{AtHead, Falls};

/// A call's place in the capacity of its dependency, given back when dropped.
///
/// It is given back before the last byte of the answer is handed over: whoever has read an answer must find the place
/// free that it took. A call that hangs keeps its place until the client leaves.
pub(super) struct Seat(Arc<Served>);

impl Seat {
    /// The place of a call that was let in, if places are counted.
    pub(super) fn of(served: &Arc<Served>, at_head: &AtHead) -> Option<Self> {
        let let_in = match at_head {
            AtHead::Decided(decision) => match decision.falls {
                Falls::Turn(_) => true,
                Falls::Outage(_) | Falls::Overflow => false,
            },
            AtHead::AwaitsBody(_) => true,
        };
        (let_in && served.dependency.capacity.is_some()).then(|| Seat(served.clone()))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.0.script).leave();
    }
}
