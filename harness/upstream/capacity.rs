//! A call's place in its dependency's capacity, from its decision until its exchange is as good as over; and its share in
//! the load, until it is worked on no more.

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
        (is_let_in(at_head) && served.dependency.capacity.is_some()).then(|| Seat(served.clone()))
    }
}

fn is_let_in(at_head: &AtHead) -> bool {
    match at_head {
        AtHead::Decided(decision) => match decision.falls {
            Falls::Turn(_) => true,
            Falls::Outage(_) | Falls::Overflow => false,
        },
        AtHead::AwaitsBody(_) => true,
    }
}

/// A call's share in a load that slows its dependency, given back when dropped: when its work is done, whether or not
/// anybody waits for it.
pub(super) struct Share(Arc<Served>);

impl Share {
    /// The share of a call that was let in, where the load is counted.
    pub(super) fn of(served: &Arc<Served>, at_head: &AtHead) -> Option<Self> {
        (is_let_in(at_head) && served.dependency.slows.is_some()).then(|| Share(served.clone()))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        lock(&self.0.script).worked_off();
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        lock(&self.0.script).leave();
    }
}
