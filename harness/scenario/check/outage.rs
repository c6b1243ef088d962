//! Outages, capacity, load, keys: what comes before the turns.

use std::time::Duration;

use super::super::raw;
use super::super::{Accept, Capacity, Down, Keys, Outage, Slows};
use super::Check;
use crate::source::Placed;

/// How often an outage may come while one operation is waited for: with the longest deadline, a year, every half a minute.
const MOST_ROUNDS: u32 = 1_000_000;

impl Check<'_> {
    /// An outage.
    pub(super) fn outage(&self, raw: &Placed<raw::Outage>, lasts: Duration) -> Outage {
        let written = &raw.value;
        let from = self.problems.duration(&written.from);
        let until = written.until.as_ref().map(|d| self.problems.duration(d));
        let every = written.every.as_ref().map(|d| self.problems.duration(d));
        self.has_a_length(written, from, until);
        self.can_come_again(written, from, (until, every));
        self.comes_again_in_bounds(written, every, lasts);
        Outage {
            from,
            until,
            every,
            be: match &written.be.value {
                raw::Down::Refused => Down::Refused,
                raw::Down::BlackHole => Down::BlackHole,
                raw::Down::Hang => Down::Hang,
                raw::Down::Answer(answer) => Down::Answer(Box::new(self.answer(answer))),
            },
            span: self.problems.source().snug(raw.span),
        }
    }

    fn has_a_length(&self, raw: &raw::Outage, from: Duration, until: Option<Duration>) {
        if let (Some(written), Some(until)) = (&raw.until, until)
            && until <= from
        {
            self.problems.add(
                self.problems
                    .at(written.span, "this outage ends before it begins")
                    .labelled("must be later than `from`")
                    .beside(raw.from.span, "begins here"),
            );
        }
    }

    fn can_come_again(&self, raw: &raw::Outage, from: Duration, times: (Option<Duration>, Option<Duration>)) {
        let (until, Some(every), Some(written)) = (times.0, times.1, &raw.every) else {
            return;
        };
        match until {
            None => self.problems.say(
                written.span,
                "an outage without `until` never comes again",
                "it never ends",
            ),
            Some(until) if every <= until.saturating_sub(from) => {
                let label = "must be longer than from `from` to `until`";
                self.problems
                    .say(written.span, "this outage comes again before it ends", label);
            }
            Some(_) => {}
        }
    }

    /// Each time that it comes is a fact, and `lasts` is how long one operation can be waited for.
    fn comes_again_in_bounds(&self, raw: &raw::Outage, every: Option<Duration>, lasts: Duration) {
        if let (Some(every), Some(written)) = (every, &raw.every)
            && every.saturating_mul(MOST_ROUNDS) < lasts
        {
            let message =
                format!("this outage comes more than {MOST_ROUNDS} times while one operation is waited for");
            self.problems.say(written.span, message, "less often");
        }
    }

    /// A capacity.
    pub(super) fn capacity(&self, raw: &Placed<raw::Capacity>) -> Capacity {
        let written = &raw.value;
        let (accept, calls) = match &written.accept {
            raw::Accept::PerTick(per) => {
                let (calls, tick) = (per.calls.value, self.positive(&per.tick));
                (Accept::PerTick { calls, tick }, &per.calls)
            }
            raw::Accept::AtOnce(calls) => (Accept::AtOnce { calls: calls.value }, calls),
            raw::Accept::Queue(queue) => {
                let (each, waiting) = (self.positive(&queue.each), queue.waiting.value);
                self.has_a_bound(queue, each);
                (Accept::Queue { each, waiting }, &queue.waiting)
            }
        };
        // A queue without a place to wait in still works on one call at a time.
        if calls.value == 0 && !matches!(accept, Accept::Queue { .. }) {
            let label = "to answer every call so, write an outage: {from: 0s, be: {answer: ..}}";
            self.problems
                .say(calls.span, "with a capacity of 0 no turn is ever reached", label);
        }
        Capacity {
            accept,
            overflow: Box::new(self.answer(&written.overflow)),
            span: self.problems.source().snug(raw.span),
        }
    }

    /// The last in line is waited for like anybody else.
    fn has_a_bound(&self, queue: &raw::Queue, each: Duration) {
        let (waiting, most) = (queue.waiting.value, Duration::from_secs(3600));
        if each.saturating_mul(waiting.saturating_add(1)) > most {
            let label = "`each`, once for every place in line, must fit into an hour";
            self.problems.say(
                queue.waiting.span,
                "the last in this line waits for too long",
                label,
            );
        }
    }

    /// How its load slows a dependency.
    pub(super) fn slows(&self, raw: &raw::Slows) -> Slows {
        let per_call_in_flight = self.positive(&raw.per_call_in_flight);
        if per_call_in_flight > Duration::from_secs(10) {
            let label = "at most 10s; a call that takes long by itself has `takes`";
            self.problems.say(
                raw.per_call_in_flight.span,
                "this is too much for each call in flight",
                label,
            );
        }
        Slows { per_call_in_flight }
    }

    /// How duplicates are recognised.
    pub(super) fn keys(&self, raw: &raw::Keys) -> Keys {
        Keys {
            header: self.header_name(&raw.header, &mut Default::default()),
            keep: self.positive(&raw.keep),
        }
    }
}
