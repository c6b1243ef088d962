//! How much a dependency takes at a time: so many calls a tick, or so many at once.

use std::time::Duration;

use crate::scenario::Accept;

/// What is left of a dependency's capacity.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Room {
    /// The tick that calls were last counted in, from 0.
    tick: u128,
    /// Calls taken in that tick.
    taken: u32,
    /// Calls that are at work.
    at_work: u32,
}

impl Room {
    /// Takes a call in, if there is room for it `since_start` of the trial.
    pub(super) fn take(&mut self, accept: Accept, since_start: Duration) -> bool {
        let fits = match accept {
            Accept::PerTick { calls, tick } => self.taken_in(number(since_start, tick)) < calls,
            Accept::AtOnce { calls } => self.at_work < calls,
        };
        if fits {
            self.taken = self.taken.saturating_add(1);
            self.at_work = self.at_work.saturating_add(1);
        }
        fits
    }

    /// A call that was taken in is at work no more.
    pub(super) fn leave(&mut self) {
        self.at_work = self.at_work.saturating_sub(1);
    }

    fn taken_in(&mut self, tick: u128) -> u32 {
        // Two connections may be a moment out of order: what comes late counts in the tick that has begun.
        if tick > self.tick {
            (self.tick, self.taken) = (tick, 0);
        }
        self.taken
    }
}

/// Which tick a moment lies in, from 0.
fn number(since_start: Duration, tick: Duration) -> u128 {
    since_start.as_nanos() / tick.as_nanos().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn each_tick_takes_its_own_calls_and_lends_none_to_the_next() {
        let accept = Accept::PerTick {
            calls: 2,
            tick: MS(100),
        };
        let mut room = Room::default();
        let taken = [0, 10, 99, 100, 150, 199, 500, 501, 502].map(|ms| room.take(accept, MS(ms)));
        assert_eq!(taken, [true, true, false, true, true, false, true, true, false]);
    }

    #[test]
    fn a_place_at_work_is_free_again_when_its_call_is_over() {
        let accept = Accept::AtOnce { calls: 2 };
        let mut room = Room::default();
        let take = |room: &mut Room| room.take(accept, MS(0));
        assert_eq!(
            [take(&mut room), take(&mut room), take(&mut room)],
            [true, true, false]
        );
        room.leave();
        assert_eq!([take(&mut room), take(&mut room)], [true, false]);
    }

    #[test]
    fn what_comes_out_of_order_reopens_no_tick() {
        let accept = Accept::PerTick {
            calls: 1,
            tick: MS(100),
        };
        let mut room = Room::default();
        let taken = [100, 99, 101, 200].map(|ms| room.take(accept, MS(ms)));
        assert_eq!(taken, [true, false, false, true]);
    }
}
