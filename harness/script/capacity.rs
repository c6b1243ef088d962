//! How much a dependency takes at a time: so many calls a tick, or so many at once. And how those that it took slow it.

use std::time::Duration;

use crate::scenario::{Accept, Slows};

/// What is left of a dependency's capacity.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Room {
    /// The tick that calls were last counted in, from 0.
    tick: u128,
    /// Calls taken in that tick.
    taken: u32,
    /// Calls that are at work.
    at_work: u32,
    /// When the last call in line will have been worked on, since the trial's start.
    worked_off: Duration,
}

impl Room {
    /// Takes a call in, if there is room for it `since_start` of the trial: for how long it is in line and worked on
    /// before its turn is played, or `None` where there is no room.
    pub(super) fn take(&mut self, accept: Accept, since_start: Duration) -> Option<Duration> {
        let at_once = |fits: bool| fits.then_some(Duration::ZERO);
        let queued = match accept {
            Accept::PerTick { calls, tick } => at_once(self.taken_in(number(since_start, tick)) < calls),
            Accept::AtOnce { calls } => at_once(self.at_work < calls),
            Accept::Queue { each, waiting } => self.line_up(each, waiting, since_start),
        }?;
        self.taken = self.taken.saturating_add(1);
        self.at_work = self.at_work.saturating_add(1);
        Some(queued)
    }

    /// Puts a call in line. Whoever leaves does not leave the line: what was taken is worked on, for nobody.
    fn line_up(&mut self, each: Duration, waiting: u32, since_start: Duration) -> Option<Duration> {
        let before = self.worked_off.saturating_sub(since_start);
        // One call is worked on, so there is room until that one and all places behind it are taken.
        if before > each.saturating_mul(waiting) {
            return None;
        }
        let queued = before.saturating_add(each);
        self.worked_off = since_start.saturating_add(queued);
        Some(queued)
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

/// The calls that a dependency is working on, where they slow it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InFlight(u32);

impl InFlight {
    /// Takes another call on: for how long the others delay it.
    pub(super) fn begin(&mut self, slows: Slows) -> Duration {
        let delay = slows.per_call_in_flight.saturating_mul(self.0);
        self.0 = self.0.saturating_add(1);
        delay
    }

    /// One of them is worked on no more.
    pub(super) fn end(&mut self) {
        self.0 = self.0.saturating_sub(1);
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
        let taken = [0, 10, 99, 100, 150, 199, 500, 501, 502].map(|ms| room.take(accept, MS(ms)).is_some());
        assert_eq!(taken, [true, true, false, true, true, false, true, true, false]);
    }

    #[test]
    fn a_place_at_work_is_free_again_when_its_call_is_over() {
        let accept = Accept::AtOnce { calls: 2 };
        let mut room = Room::default();
        let take = |room: &mut Room| room.take(accept, MS(0)).is_some();
        assert_eq!(
            [take(&mut room), take(&mut room), take(&mut room)],
            [true, true, false]
        );
        room.leave();
        assert_eq!([take(&mut room), take(&mut room)], [true, false]);
    }

    #[test]
    fn a_line_works_off_one_call_after_another_and_takes_no_more_than_it_has_places() {
        let accept = Accept::Queue {
            each: MS(50),
            waiting: 2,
        };
        let mut room = Room::default();
        let mut queued = |ms| room.take(accept, MS(ms)).map(|queued| queued.as_millis());
        // One is worked on and two wait; at 50 ms the first is done, and one place is free.
        assert_eq!([0, 0, 10].map(&mut queued), [Some(50), Some(100), Some(140)]);
        assert_eq!([10, 49, 50, 50].map(&mut queued), [None, None, Some(150), None]);
        assert_eq!(queued(400), Some(50));
    }

    #[test]
    fn a_line_without_a_place_to_wait_in_works_on_one_call_at_a_time() {
        let accept = Accept::Queue {
            each: MS(50),
            waiting: 0,
        };
        let mut room = Room::default();
        let taken = [0, 20, 50, 99].map(|ms| room.take(accept, MS(ms)).is_some());
        assert_eq!(taken, [true, false, true, false]);
    }

    #[test]
    fn every_call_in_flight_delays_the_next_one_by_as_much_and_none_when_it_is_over() {
        let slows = Slows {
            per_call_in_flight: MS(5),
        };
        let mut load = InFlight::default();
        assert_eq!([0, 1, 2].map(|_| load.begin(slows)), [0, 5, 10].map(MS));
        load.end();
        load.end();
        assert_eq!(load.begin(slows), MS(5));
        (0..9).for_each(|_| load.end());
        assert_eq!(load.begin(slows), MS(0));
    }

    #[test]
    fn what_comes_out_of_order_reopens_no_tick() {
        let accept = Accept::PerTick {
            calls: 1,
            tick: MS(100),
        };
        let mut room = Room::default();
        let taken = [100, 99, 101, 200].map(|ms| room.take(accept, MS(ms)).is_some());
        assert_eq!(taken, [true, false, false, true]);
    }
}
