//! Which kinds of fault a trial holds, and which of them were met.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Case, Course, statuses};
use crate::evidence::Call;
use crate::scenario::{Answer, AnswerStatus, Asked, Dependency, Down, Pushback, RequestPlan, Turn};
use crate::term::{CutBy, Means, Place};

/// A kind of fault, as far as checks differ in what they learn from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultClass {
    /// A failing status that may pass.
    Transient,
    /// A failing status that will not.
    Permanent,
    /// A wait asked for in seconds.
    Pushback,
    /// A wait asked for by a date.
    Date,
    /// A Retry-After that asks for nothing.
    Malformed,
    /// The exchange is cut before any answer.
    Lost,
    /// The answer is cut.
    Truncated,
    /// The connection is cut after a whole answer.
    Closing,
    /// Bytes in place of an answer.
    Garbled,
    /// Connections are refused, or asked for in vain.
    Refused,
    /// The answer takes longer than the client may wait.
    Slow,
}

impl FaultClass {
    /// Every class, in the order of the reports.
    pub const ALL: [FaultClass; 11] = [
        FaultClass::Transient,
        FaultClass::Permanent,
        FaultClass::Pushback,
        FaultClass::Date,
        FaultClass::Malformed,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Closing,
        FaultClass::Garbled,
        FaultClass::Refused,
        FaultClass::Slow,
    ];

    /// What it is called in `explain`.
    pub const fn words(self) -> &'static str {
        match self {
            FaultClass::Transient => "a failing status that may pass",
            FaultClass::Permanent => "a failing status that will not pass",
            FaultClass::Pushback => "a wait asked for in seconds",
            FaultClass::Date => "a wait asked for by a date",
            FaultClass::Malformed => "a malformed Retry-After",
            FaultClass::Lost => "an exchange cut before any answer",
            FaultClass::Truncated => "a cut answer",
            FaultClass::Closing => "a connection cut after a whole answer",
            FaultClass::Garbled => "bytes in place of an answer",
            FaultClass::Refused => "connections that are refused or not answered",
            FaultClass::Slow => "an answer slower than the client may wait",
        }
    }
}

impl<'a> Case<'a> {
    /// The faults that a call fell to.
    pub fn faults_met_by(&self, course: &Course, call: &Call) -> BTreeSet<FaultClass> {
        if let Some(capacity) = self.overflow_of(call) {
            return faults_of_answer(&capacity.overflow);
        }
        match (self.outage_of(call), self.turn_of(call)) {
            (Some(outage), _) => faults_of_outage(&outage.be),
            (None, Some(turn)) => {
                let queued = Duration::from_micros(call.head.queued_us);
                let mut faults = faults_of_turn(turn, queued, self.patience(course));
                // What a stored answer is depends on the call.
                let replayed = self.answer_of(call).filter(|_| turn.answer.is_some());
                faults.extend(replayed.into_iter().flat_map(faults_of_answer));
                faults
            }
            (None, None) => BTreeSet::new(),
        }
    }

    /// The faults that an operation can meet at the dependencies it may go to.
    pub fn faults_in_reach(&self, course: &Course) -> BTreeSet<FaultClass> {
        let request = course.planned.request();
        let targets = request.to.iter().filter_map(|name| self.trial.dependency(name));
        targets
            .flat_map(|d| {
                let queue = d.longest_queue(self.trial.operations_at(&d.name));
                let limits = (queue, self.patience(course));
                faults_of_dependency(d, request, limits, self.is_layered())
            })
            .collect()
    }

    /// Whether an operation could be failed by the load of its dependencies alone, and by nothing that is scripted.
    pub fn fails_by_load_alone(&self, course: &Course) -> bool {
        let patience = self.patience(course);
        let targets = course.planned.request().to.iter();
        let mut targets = targets.filter_map(|name| self.trial.dependency(name));
        targets.all(|d| {
            let fails = |turn: &Turn| !faults_of_turn(turn, Duration::ZERO, patience).is_empty();
            d.outages.is_empty() && !d.turns.iter().any(fails)
        })
    }

    /// Whether the trial scripts a fault anywhere, whoever may meet it.
    pub fn scripts_a_fault(&self) -> bool {
        self.trial.dependencies.iter().any(|d| {
            !d.outages.is_empty()
                || d.capacity.is_some()
                || d.turns
                    .iter()
                    .any(|turn| !faults_of_turn(turn, Duration::ZERO, Duration::MAX).is_empty())
        })
    }

    /// Whether an operation met any fault: by a call, at accept, or by a refused connection.
    pub fn met_a_fault(&self, course: &Course) -> bool {
        course
            .calls
            .iter()
            .any(|call| !self.faults_met_by(course, call).is_empty())
            || course.accept_cuts(self) > 0
            || course.met_refusals(self)
    }

    /// How long an operation's answer may take before that is a fault.
    fn patience(&self, course: &Course) -> Duration {
        let attempt = self.trial.given.as_ref().and_then(|g| g.attempt_timeout);
        let limits = [attempt, course.planned.group.deadline];
        limits.into_iter().flatten().min().unwrap_or(Duration::MAX)
    }
}

/// The faults of a dependency where calls wait in its line for so long at most, and answers are waited for so long.
fn faults_of_dependency(
    d: &Dependency,
    request: &RequestPlan,
    (queue, patience): (Duration, Duration),
    layered: bool,
) -> BTreeSet<FaultClass> {
    // A service makes requests of its own: by which method and path is not known beforehand.
    let turns = d.turns.iter().filter(|turn| layered || may_take(turn, request));
    let of_turns = turns.flat_map(|turn| faults_of_turn(turn, queue, patience));
    of_turns
        .chain(d.outages.iter().flat_map(|o| faults_of_outage(&o.be)))
        .chain(d.capacity.iter().flat_map(|c| faults_of_answer(&c.overflow)))
        .collect()
}

/// Whether a request can fall to a turn by its method and path; what else the turn asks for is not known beforehand.
fn may_take(turn: &Turn, request: &RequestPlan) -> bool {
    let path = request.path.split('?').next().unwrap_or_default();
    turn.when.as_ref().is_none_or(|when| {
        when.method
            .as_ref()
            .is_none_or(|method| *method == request.method)
            && when.path.as_ref().is_none_or(|wanted| wanted == path)
    })
}

fn faults_of_outage(be: &Down) -> BTreeSet<FaultClass> {
    match be {
        Down::Refused | Down::BlackHole => BTreeSet::from([FaultClass::Refused]),
        Down::Hang => BTreeSet::from([FaultClass::Lost]),
        Down::Answer(answer) => faults_of_answer(answer),
    }
}

/// The faults of a turn that is played when its call was in line for so long.
fn faults_of_turn(turn: &Turn, queued: Duration, patience: Duration) -> BTreeSet<FaultClass> {
    let mut faults = BTreeSet::new();
    if turn.raw.is_some() {
        faults.insert(FaultClass::Garbled);
    }
    if let Some(cut) = turn.cut {
        faults.extend(fault_of_cut(cut.at, cut.by));
    }
    if let Some(answer) = &turn.answer {
        faults.extend(faults_of_answer(answer));
        if queued.saturating_add(turn.takes).saturating_add(answer.after) > patience {
            faults.insert(FaultClass::Slow);
        }
    }
    faults
}

fn fault_of_cut(at: Place, by: CutBy) -> Option<FaultClass> {
    match at {
        Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer => {
            Some(FaultClass::Lost)
        }
        Place::StatusLine(_) | Place::Headers(_) | Place::Body(_) => Some(FaultClass::Truncated),
        // A silence after the whole answer is what every kept connection looks like.
        Place::AfterAnswer | Place::Idle(_) => (by != CutBy::Hang).then_some(FaultClass::Closing),
    }
}

fn faults_of_answer(answer: &Answer) -> BTreeSet<FaultClass> {
    let mut faults = BTreeSet::new();
    match (answer.means, answer.status) {
        (Some(Means::Success), _) | (None, AnswerStatus::Stored) => {}
        (Some(Means::Failure), AnswerStatus::Code(..400) | AnswerStatus::Stored) => {
            faults.insert(FaultClass::Transient);
        }
        (None, AnswerStatus::Code(..400)) => {}
        (_, AnswerStatus::Code(code)) => {
            let passes =
                statuses::transient(code) || code == 425 || (code > 500 && !statuses::permanent(code));
            faults.insert(if passes {
                FaultClass::Transient
            } else {
                FaultClass::Permanent
            });
        }
    }
    faults.extend(answer.retry_after.as_ref().and_then(fault_of_pushback));
    faults
}

fn fault_of_pushback(pushback: &Pushback) -> Option<FaultClass> {
    match pushback.asks() {
        Asked::Nothing => Some(FaultClass::Malformed),
        Asked::Wait(_) if pushback.is_date() => Some(FaultClass::Date),
        Asked::Wait(wait) => (!wait.is_zero()).then_some(FaultClass::Pushback),
    }
}
