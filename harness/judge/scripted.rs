//! What the script did to a call, read from the scenario and never from the wire.

use std::time::Duration;

use super::Case;
use crate::evidence::Call;
use crate::scenario::{
    Answer, AnswerStatus, Asked, Capacity, Dependency, Down, Outage, Pushback, Turn, plain_success,
};
use crate::source::Span;
use crate::term::Stamp;

/// Headers by which a server may tell a client to wait, in part of a name, lower case.
const PUSHBACK_WORDS: [&str; 3] = ["retry", "ratelimit", "rate-limit"];

impl<'a> Case<'a> {
    /// The dependency at which a call arrived.
    pub fn dependency_of(&self, call: &Call) -> Option<&'a Dependency> {
        self.trial.dependency(&call.head.point)
    }

    /// The turn to which a call fell.
    pub fn turn_of(&self, call: &Call) -> Option<&'a Turn> {
        let index = usize::try_from(call.head.turn?).ok()?;
        self.dependency_of(call)?.turns.get(index)
    }

    /// The outage that a call met.
    pub fn outage_of(&self, call: &Call) -> Option<&'a Outage> {
        let index = usize::try_from(call.head.outage?).ok()?;
        self.dependency_of(call)?.outages.get(index)
    }

    /// What the dependency takes, where a call was more than that.
    pub fn overflow_of(&self, call: &Call) -> Option<&'a Capacity> {
        let capacity = || self.dependency_of(call)?.capacity.as_ref();
        call.head.overflow.then(capacity)?
    }

    /// The answer that the script gives to a call, whether or not it was cut.
    pub fn answer_of(&self, call: &Call) -> Option<&'a Answer> {
        if let Some(capacity) = self.overflow_of(call) {
            return Some(&capacity.overflow);
        }
        match self.outage_of(call) {
            Some(outage) => match &outage.be {
                Down::Answer(answer) => Some(answer),
                Down::Refused | Down::BlackHole | Down::Hang => None,
            },
            None => {
                let answer = self.turn_of(call)?.answer.as_ref()?;
                match answer.status {
                    AnswerStatus::Stored => Some(self.stored_for(call)),
                    AnswerStatus::Code(_) => Some(answer),
                }
            }
        }
    }

    /// The stored answer that a call was given: another call's, or a plain success where nothing was stored.
    fn stored_for(&self, call: &Call) -> &'a Answer {
        let by = call
            .replays
            .and_then(|id| self.evidence.calls.iter().find(|c| c.id() == id));
        let turn = by.and_then(|c| self.turn_of(c));
        turn.and_then(Turn::stored).unwrap_or(plain_success())
    }

    /// The Retry-After that a call was answered with, if an answer was begun.
    pub fn pushback_of(&self, call: &Call) -> Option<&'a Pushback> {
        call.answer_began?;
        let answer = self
            .answer_of(call)
            .filter(|answer| !is_by_a_clock_that_is_off(answer))?;
        answer.retry_after.as_ref()
    }

    /// The wait that a call's answer asked for; `None` where it asked for none, for zero, or was malformed.
    pub fn wait_asked(&self, call: &Call) -> Option<Duration> {
        match self.pushback_of(call)?.asks() {
            Asked::Wait(wait) if !wait.is_zero() => Some(wait),
            Asked::Wait(_) | Asked::Nothing => None,
        }
    }

    /// The moment at which the wait is over that a call's answer asked for: for a date the moment that it names.
    pub fn wait_over(&self, call: &Call) -> Option<Stamp> {
        let counted = call.answer_began?.plus(self.wait_asked(call)?);
        Some(call.asked_until.map_or(counted, |until| until.max(counted)))
    }

    /// Whether a call's answer may have asked for a wait that the judge knows nothing of: by a header written out,
    /// or by a date of a clock that is off: a client may read that by its own clock or by the answer's Date.
    pub fn hints_at_a_wait(&self, call: &Call) -> bool {
        self.answer_of(call).is_some_and(hints)
    }

    /// The status of a call's answer: as it was served, else as scripted.
    pub fn status_of(&self, call: &Call) -> Option<u16> {
        call.status.or_else(|| match self.answer_of(call)?.status {
            AnswerStatus::Code(code) => Some(code),
            AnswerStatus::Stored => None,
        })
    }

    /// The line of the scenario that decided how a call is treated.
    pub fn span_of(&self, call: &Call) -> Option<Span> {
        let before = self.outage_of(call).map(|outage| outage.span);
        before
            .or_else(|| self.overflow_of(call).map(|capacity| capacity.span))
            .or_else(|| self.turn_of(call).map(|turn| turn.span))
    }
}

/// Whether any answer of a dependency asks for a wait, or may.
fn asks_for_waits(dependency: &Dependency) -> bool {
    let of_turns = dependency.turns.iter().filter_map(|turn| turn.answer.as_ref());
    let mut answers = of_turns.chain(dependency.answers_at_gates());
    answers.any(|answer| answer.retry_after.is_some() || hints(answer))
}

/// Whether an answer may ask for a wait that the judge knows nothing of.
fn hints(answer: &Answer) -> bool {
    let mut names = answer.headers.iter().map(|(name, _)| name.to_ascii_lowercase());
    is_by_a_clock_that_is_off(answer)
        || names.any(|name| PUSHBACK_WORDS.iter().any(|word| name.contains(word)))
}

/// Whether an answer's Retry-After is a date by a clock that is off.
fn is_by_a_clock_that_is_off(answer: &Answer) -> bool {
    answer.clock.is_some() && answer.retry_after.as_ref().is_some_and(Pushback::is_date)
}

impl Case<'_> {
    /// Whether a wait that a dependency asked of anybody, or may have asked for, was not over at `at`.
    ///
    /// A client may hold back all its operations at a server that asked one of them to wait.
    pub fn wait_pending(&self, point: &str, at: Stamp) -> bool {
        // Most scripts ask nobody to wait: then there is no need to look through their calls.
        if !self.trial.dependency(point).is_some_and(asks_for_waits) {
            return false;
        }
        let here = self.evidence.calls.iter().filter(|c| &*c.head.point == point);
        here.filter(|c| c.answer_began.is_some_and(|began| began <= at))
            .any(|c| self.wait_over(c).is_some_and(|over| over >= at) || self.hints_at_a_wait(c))
    }
}
