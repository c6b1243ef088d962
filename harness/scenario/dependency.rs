//! A dependency as the scenario scripts it: gates, turns, answers.

use std::time::Duration;

use super::{Bound, DateOffset, Pushback};
use crate::source::Span;
use crate::term::{CutBy, Effect, KeyState, Means, Name, Place};

/// A fake upstream.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependency {
    /// Its name in the scenario.
    pub name: Name,
    /// What its turns' `times` are counted over.
    pub per: Scope,
    /// Times in which it is not there.
    pub outages: Vec<Outage>,
    /// How much it takes at a time.
    pub capacity: Option<Capacity>,
    /// How its load slows it; `None` is not at all.
    pub slows: Option<Slows>,
    /// How it recognises duplicates; `None` is not at all.
    pub keys: Option<Keys>,
    /// Never empty; the last turn has neither `times` nor `when`.
    pub turns: Vec<Turn>,
    /// Whether it was written `{}`: it answers every call at once with 200, and counts.
    pub healthy: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Dependency {
    /// The longest that a call which is taken waits before its turn is played, where so many operations go there and none
    /// is repeated: more calls in flight would make it longer.
    pub fn longest_queue(&self, operations: u32) -> Duration {
        let capacity = self.capacity.as_ref();
        let in_line = capacity.map_or(Duration::ZERO, |c| c.accept.longest_wait());
        let slows = self.slows.map_or(Duration::ZERO, |s| s.per_call_in_flight);
        in_line.saturating_add(slows.saturating_mul(operations.saturating_sub(1)))
    }

    /// The answers that are given before any turn is looked at: those of outages and of overflow.
    pub fn answers_at_gates(&self) -> impl Iterator<Item = &Answer> {
        let answers = self.outages.iter().filter_map(|o| o.be.answer());
        answers.chain(self.capacity.iter().map(|c| &*c.overflow))
    }
}

/// What `times` is counted over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Each operation meets the script from its start.
    #[default]
    Operation,
    /// All calls to the dependency share one count.
    Dependency,
    /// Each connection meets the script from its start.
    Connection,
}

/// One entry of the script: how the calls that fall to it are treated.
///
/// At least one of `answer`, `cut` and `raw` is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// How many calls it takes in its scope; `None` is without end.
    pub times: Option<u32>,
    /// Which calls fall to it; `None` is any.
    pub when: Option<When>,
    /// How long the work takes, before the effect.
    pub takes: Duration,
    /// What the call does besides answering.
    pub effect: Effect,
    /// The answer, if any is begun.
    pub answer: Option<Answer>,
    /// Where and how the exchange is cut.
    pub cut: Option<Cut>,
    /// Bytes sent in place of an answer, as they are; then the connection is closed, or ends as `cut` says.
    pub raw: Option<Vec<u8>>,
    /// Where it is written.
    pub span: Span,
}

/// Which calls fall to a turn: every condition that is there must hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct When {
    /// The method, upper case.
    pub method: Option<String>,
    /// The path, without the operation's marker and without a query.
    pub path: Option<String>,
    /// Request headers: lower-case name and what it must be.
    pub headers: Vec<(String, HeaderIs)>,
    /// What the key store knows of the call's key.
    pub key: Option<KeyState>,
    /// Which call of its operation at this dependency it is, from 1.
    pub attempt: Option<Bound>,
    /// Which request on its connection it is, from 1.
    pub on_connection: Option<Bound>,
    /// Whether it came before the wait was over that this dependency last asked of its operation.
    pub early: Option<bool>,
    /// A chance from 0 to 1, drawn from the trial's seed.
    pub chance: Option<f64>,
}

/// What a request header must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderIs {
    /// Not there.
    Absent,
    /// There, whatever it says.
    Present,
    /// There, and exactly this.
    Exactly(String),
}

/// A cut: where and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Where.
    pub at: Place,
    /// How.
    pub by: CutBy,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its status.
    pub status: AnswerStatus,
    /// Its Retry-After.
    pub retry_after: Option<Pushback>,
    /// Further headers, in order, as written.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: AnswerBody,
    /// How the body's end is told.
    pub framing: Framing,
    /// A wait after the effect, before the first byte.
    pub after: Duration,
    /// A slow body.
    pub drip: Option<Drip>,
    /// Whether the connection is kept; `None` leaves it to the client's wish.
    pub keep_alive: Option<bool>,
    /// What it means, where the status does not say.
    pub means: Option<Means>,
    /// Whether it comes as soon as the request's head was read, while the body is still on its way.
    pub early: bool,
    /// How far the dependency's clock is off; its Date and the dates in its Retry-After are written by that clock.
    pub clock: Option<DateOffset>,
}

/// The status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerStatus {
    /// This one.
    Code(u16),
    /// That of the answer stored with the call's key.
    Stored,
}

/// The body of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerBody {
    /// None.
    Empty,
    /// This text.
    Text(String),
    /// So many zero bytes.
    Zeros(u64),
}

impl AnswerBody {
    /// Its length in bytes.
    pub fn len(&self) -> u64 {
        match self {
            AnswerBody::Empty => 0,
            AnswerBody::Text(t) => t.len() as u64,
            AnswerBody::Zeros(n) => *n,
        }
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How the end of an answer's body is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// By Content-Length.
    #[default]
    Sized,
    /// By the last chunk.
    Chunked,
    /// By the end of the connection.
    Close,
}

/// A body sent in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drip {
    /// Bytes a piece.
    pub bytes: u64,
    /// Wait before each piece but the first.
    pub every: Duration,
}

/// A time in which the dependency is not there, counted from the trial's start.
#[derive(Debug, Clone, PartialEq)]
pub struct Outage {
    /// When it begins.
    pub from: Duration,
    /// When it ends; `None` is never.
    pub until: Option<Duration>,
    /// After how long it comes again.
    pub every: Option<Duration>,
    /// What a client meets in it.
    pub be: Down,
    /// Where it is written.
    pub span: Span,
}

impl Outage {
    /// Whether it holds at `at` after the trial's start.
    pub fn holds(&self, at: Duration) -> bool {
        let Some(since) = at.checked_sub(self.from) else {
            return false;
        };
        let within = match self.every {
            Some(every) if !every.is_zero() => {
                Duration::from_nanos((since.as_nanos() % every.as_nanos()) as u64)
            }
            _ => since,
        };
        self.until
            .is_none_or(|until| within < until.saturating_sub(self.from))
    }
}

/// What a client meets in an outage.
#[derive(Debug, Clone, PartialEq)]
pub enum Down {
    /// Connections are refused.
    Refused,
    /// Connection requests are not answered.
    BlackHole,
    /// Connections are accepted and requests are never answered.
    Hang,
    /// Every request is answered so.
    Answer(Box<Answer>),
}

impl Down {
    /// What every request is answered, if any is.
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            Down::Answer(answer) => Some(answer),
            Down::Refused | Down::BlackHole | Down::Hang => None,
        }
    }
}

/// How much a dependency takes at a time. Calls that meet an outage take none of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    /// What it takes.
    pub accept: Accept,
    /// What every other call is answered: it uses no turn.
    pub overflow: Box<Answer>,
    /// Where it is written.
    pub span: Span,
}

/// What a dependency takes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// So many calls a tick; ticks count from the trial's start.
    PerTick {
        /// Calls.
        calls: u32,
        /// The tick.
        tick: Duration,
    },
    /// So many calls at once.
    AtOnce {
        /// Calls.
        calls: u32,
    },
    /// One call after another, each for so long; the others wait in line, whether or not their client still does.
    Queue {
        /// How long each call is worked on.
        each: Duration,
        /// How many calls may wait behind the one that is worked on.
        waiting: u32,
    },
}

impl Accept {
    /// The longest that a call which is taken waits for its turn.
    pub fn longest_wait(self) -> Duration {
        match self {
            Accept::PerTick { .. } | Accept::AtOnce { .. } => Duration::ZERO,
            Accept::Queue { each, waiting } => each.saturating_mul(waiting.saturating_add(1)),
        }
    }
}

/// How a dependency's load slows it.
///
/// A call is in flight from its arrival until it is worked on no more, whether or not its client is still there: what
/// somebody gave up on slows the others all the same. Calls that meet an outage or find no room are never in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slows {
    /// By how much each call that is in flight when another arrives delays that one, before its turn is played.
    pub per_call_in_flight: Duration,
}

/// How a dependency recognises duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// The request header that carries the key.
    pub header: String,
    /// For how long a key is remembered after its effect.
    pub keep: Duration,
}
