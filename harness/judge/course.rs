//! The course of one operation: its calls in order, and which call follows from which answer.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Case;
use super::tolerance::{CONSEQUENCE, EARLY_TOLERANCE};
use crate::evidence::{AcceptCut, Attribution, Call, GateState, Operation, Outcome};
use crate::scenario::Planned;
use crate::term::{Claim, OperationId, Role, Stamp};

/// When a connection that nobody answered is asked for a second time, at the latest.
const CONNECTS_AGAIN: Duration = Duration::from_secs(1);

/// One operation that was asked and that the client ran, with what became of it.
#[derive(Debug, Clone)]
pub struct Course<'a> {
    /// The plan.
    pub planned: Planned<'a>,
    /// What was recorded of it.
    pub record: &'a Operation,
    /// Its attempts: calls with the operation's own method, in order of arrival.
    pub attempts: Vec<&'a Call>,
    /// All its calls, redirects followed and calls by other methods included, in order of arrival.
    pub calls: Vec<&'a Call>,
    /// Which attempt at its dependency each attempt is, from 0.
    ordinals: Vec<usize>,
    /// When the last of the calls up to each one was over.
    over_by: Vec<Stamp>,
}

impl<'a> Case<'a> {
    /// The course of every operation that was asked and that the client ran, in order of id: also where it said that it
    /// could not, and calls came all the same.
    pub fn courses(&self) -> Vec<Course<'a>> {
        let evidence = self.evidence;
        let mut calls: BTreeMap<OperationId, Vec<&Call>> = BTreeMap::new();
        for call in evidence.calls.iter().filter(|c| c.head.role != Role::Side) {
            if let Some(op) = call.head.op {
                calls.entry(op).or_default().push(call);
            }
        }
        let asked = |o: &Operation| o.asked.is_some() && o.left_out.is_none();
        let asked = evidence.operations.iter().filter(|(_, o)| asked(o));
        asked
            .filter_map(|(id, record)| {
                let calls = calls.remove(id).unwrap_or_default();
                let run = record.could_not_run.is_none() || calls.iter().any(|c| is_surely_its(c));
                let planned = self.trial.operation(*id).filter(|_| run)?;
                Some(Course::new(planned, record, calls))
            })
            .collect()
    }
}

impl<'a> Course<'a> {
    /// The course of an operation from all its calls.
    fn new(planned: Planned<'a>, record: &'a Operation, mut calls: Vec<&'a Call>) -> Self {
        calls.sort_by_key(|c| (c.at(), c.id()));
        // A call by another method is no attempt: preflights and look-ups that SDKs make beside the operation.
        let is_attempt =
            |c: &&Call| c.head.role == Role::Attempt && c.head.method == planned.request().method;
        let attempts: Vec<&Call> = calls.iter().copied().filter(is_attempt).collect();
        Course {
            planned,
            record,
            ordinals: ordinals(&attempts),
            over_by: over_by(&calls),
            attempts,
            calls,
        }
    }

    /// The course of an operation of which no call is known.
    pub fn unasked(planned: Planned<'a>, record: &'a Operation) -> Self {
        Course {
            planned,
            record,
            attempts: Vec::new(),
            calls: Vec::new(),
            ordinals: Vec::new(),
            over_by: Vec::new(),
        }
    }

    /// The operation's id.
    pub fn id(&self) -> OperationId {
        self.planned.id
    }

    /// What the client reported, and when.
    pub fn outcome(&self) -> Option<(Stamp, &'a Outcome)> {
        self.record.outcome.as_ref().map(|(at, outcome)| (*at, outcome))
    }

    /// What the client claims.
    pub fn claim(&self) -> Option<Claim> {
        self.outcome().map(|(_, outcome)| outcome.claim)
    }

    /// When the operation was over: reported, or given up on.
    pub fn over(&self) -> Option<Stamp> {
        self.outcome().map(|(at, _)| at).or(self.record.no_result)
    }

    /// When one of its calls was over for the client at the latest: a call that was never answered ends when the client
    /// leaves it, and where that was not seen, with the operation.
    pub fn over_at_the_latest(&self, call: &Call) -> Stamp {
        let seen = call.answer_ended.max(call.peer_left);
        seen.or(self.over()).unwrap_or(call.at())
    }

    /// The end of its deadline, where one reached the client.
    ///
    /// It runs from the first call's arrival: a client's start-up is not counted against it (rule 2).
    pub fn deadline(&self) -> Option<Stamp> {
        let deadline = Duration::from_millis(self.record.deadline_ms?);
        let first = self.calls.first().map(|c| c.at()).or(self.record.asked)?;
        Some(first.plus(deadline))
    }

    /// The attempts at one dependency, in order of arrival.
    pub fn attempts_at(&self, point: &str) -> impl Iterator<Item = &'a Call> {
        self.attempts
            .iter()
            .copied()
            .filter(move |c| &*c.head.point == point)
    }

    /// Which attempt at its dependency a call is, from 0.
    pub fn ordinal(&self, call: &Call) -> Option<usize> {
        self.ordinals.get(self.place(call)?).copied()
    }

    /// Where a call stands among the attempts.
    pub fn place(&self, call: &Call) -> Option<usize> {
        let key = |c: &Call| (c.at(), c.id());
        self.attempts.binary_search_by_key(&key(call), |c| key(c)).ok()
    }

    /// Whether every call before this one was over when it arrived.
    pub fn comes_alone(&self, call: &Call) -> bool {
        let before = self
            .calls
            .partition_point(|c| (c.at(), c.id()) < (call.at(), call.id()));
        let over = before.checked_sub(1).and_then(|last| self.over_by.get(last));
        over.is_none_or(|over| *over <= call.at())
    }

    /// The first call after an answer at the same dependency.
    pub fn next_at(&self, answered: &Call) -> Option<&'a Call> {
        let began = answered.answer_began?;
        later(&self.calls, answered, began).next()
    }

    /// The first attempt after an answer at the same dependency.
    pub fn next_attempt_at(&self, answered: &Call) -> Option<&'a Call> {
        let began = answered.answer_began?;
        later(&self.attempts, answered, began).next()
    }

    /// The time from an answer to the next call at the same dependency.
    pub fn gap_after(&self, answered: &Call) -> Option<Duration> {
        Some(self.next_at(answered)?.at().since(answered.answer_began?))
    }

    /// A call that came before `wait` was over although it can only be a consequence of the answer that asked for it.
    pub fn early(&self, case: &Case, answered: &Call, wait: Duration) -> Option<&'a Call> {
        let began = answered.answer_began.filter(|_| case.certainly_read(answered))?;
        let early = |c: &&Call| c.at().since(began) + EARLY_TOLERANCE < wait;
        later(&self.calls, answered, began)
            .take_while(early)
            .find(|c| self.follows(case, answered, c))
    }

    /// Whether a call can only be a consequence of an answer: no hedge and no attempt timer explains it.
    ///
    /// Same operation is given; the caller decides which dependency matters.
    pub fn follows(&self, case: &Case, answered: &Call, call: &Call) -> bool {
        let Some(began) = answered.answer_began else {
            return false;
        };
        let at_once = began.since(answered.at()) <= CONSEQUENCE;
        let crossing = call.at().since(began) <= CONSEQUENCE;
        let explained = self.in_flight_at(call.at()).any(|c| {
            let third = c.id() != answered.id() && c.id() != call.id();
            let rival = c.head.point == answered.head.point || c.at() < began;
            third && rival
        });
        match (explained, crossing) {
            (true, _) => false,
            (false, true) => at_once && !case.promises.hedges,
            _ if case.promises.hedges && may_have_waited_to_connect(case, call) => false,
            // A late harness may have stamped an attempt timer's call long after it was sent.
            // So may it a hedge's, however soon the answer came.
            (false, false) => (at_once && !case.promises.hedges) || !case.harness_was_late(),
        }
    }

    /// The calls in flight at `at`, from the last one back to where every earlier one was over.
    fn in_flight_at(&self, at: Stamp) -> impl Iterator<Item = &'a Call> {
        let come = self.calls.partition_point(|c| c.at() <= at);
        // Cut first and turned round then: to take from the front of what is turned round would count from its end.
        let calls = self.calls[..come].iter().zip(&self.over_by[..come]).rev();
        let some_open = move |(_, over): &(&&Call, &Stamp)| is_open(**over, at);
        calls
            .take_while(some_open)
            .map(|(c, _)| *c)
            .filter(move |c| in_flight(c, at))
    }

    /// Whether connections were refused or not answered while the operation ran: such attempts leave no trace.
    pub fn met_refusals(&self, case: &Case) -> bool {
        let (Some(asked), over) = (self.record.asked, self.over()) else {
            return false;
        };
        let targets = &self.planned.request().to;
        targets.iter().any(|to| refused_between(case, to, asked, over))
    }

    /// Connections cut at accept that may have been attempts of this operation.
    pub fn accept_cuts(&self, case: &Case) -> u64 {
        let targets = &self.planned.request().to;
        let (asked, over) = (self.record.asked.unwrap_or_default(), self.over());
        let may_be = |cut: &&AcceptCut| match cut.op {
            Some(op) => op == self.id(),
            None => targets.contains(&cut.point) && cut.at >= asked && over.is_none_or(|over| cut.at <= over),
        };
        case.evidence.accept_cuts.iter().filter(may_be).count() as u64
    }
}

/// Whether a call says by itself whose it is, and is not only taken for the one operation that was running.
pub(super) fn is_surely_its(call: &Call) -> bool {
    !matches!(call.head.by, Attribution::Alone | Attribution::Nothing)
}

/// Whether a call was in flight at `at`, or ended so shortly before that it may have set off what came then.
fn in_flight(call: &Call, at: Stamp) -> bool {
    call.at() <= at && is_open(over(call), at)
}

/// When a call was over for its client; the end of all time where that was not seen.
fn over(call: &Call) -> Stamp {
    let ended = call.peer_left.or(call.answer_ended);
    ended.unwrap_or(Stamp::from_us(u64::MAX))
}

/// Whether what was over then may still have set off what came at `at`.
fn is_open(over: Stamp, at: Stamp) -> bool {
    over.plus(CONSEQUENCE) > at
}

/// The calls after an answer that began at `began`, at the same dependency, out of calls in order of arrival.
fn later<'c, 'a>(
    calls: &'c [&'a Call],
    answered: &'c Call,
    began: Stamp,
) -> impl Iterator<Item = &'a Call> + use<'c, 'a> {
    let from = &calls[calls.partition_point(|c| c.at() < began)..];
    let later = |c: &&Call| c.comes_after(answered) && c.head.point == answered.head.point;
    from.iter().copied().filter(later)
}

fn ordinals(attempts: &[&Call]) -> Vec<usize> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ordinals = Vec::new();
    for call in attempts {
        let next = seen.entry(&call.head.point).or_default();
        ordinals.push(*next);
        *next += 1;
    }
    ordinals
}

fn over_by(calls: &[&Call]) -> Vec<Stamp> {
    let mut last = Stamp::ZERO;
    let latest = |call: &&Call| {
        last = last.max(over(call));
        last
    };
    calls.iter().map(latest).collect()
}

/// Whether a call may have been begun long before it arrived: its connection was asked for while nobody answered. A system asks
/// again after one second, then after twice as long each time (RFC 6298 section 5), so that it may come as late after the
/// black hole as that was long, and a second.
fn may_have_waited_to_connect(case: &Case, call: &Call) -> bool {
    let mut began = None;
    let point = &call.head.point;
    let changes = case
        .evidence
        .gates
        .iter()
        .filter(|(name, at, _)| name == point && *at <= call.at());
    let mut waited = false;
    for (_, at, gate) in changes {
        match (gate, began) {
            (GateState::BlackHole, None) => began = Some(*at),
            (GateState::BlackHole, Some(_)) => {}
            (_, Some(from)) => {
                let latest = at.plus(at.since(from)).plus(CONNECTS_AGAIN);
                waited |= call.at() <= latest;
                began = None;
            }
            (_, None) => {}
        }
    }
    call.head.nth_on_conn == 1 && (waited || began.is_some())
}

fn refused_between(case: &Case, point: &str, from: Stamp, until: Option<Stamp>) -> bool {
    let mut refusing_since = None;
    for (_, at, gate) in case.evidence.gates.iter().filter(|(name, ..)| &**name == point) {
        match gate {
            GateState::Refusing | GateState::BlackHole => {
                refusing_since = refusing_since.or(Some(*at));
            }
            GateState::Open => {
                let over_before = *at < from;
                if refusing_since.is_some_and(|since| until.is_none_or(|u| since <= u)) && !over_before {
                    return true;
                }
                refusing_since = None;
            }
        }
    }
    refusing_since.is_some_and(|since| until.is_none_or(|until| since <= until))
}
