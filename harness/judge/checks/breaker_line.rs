//! The calls of one process to one target in a line, and what the client's breaker must make of them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::evidence::Call;
use crate::judge::tolerance::{EARLY_TOLERANCE, LAG_LIMIT, LATE_GRACE};
use crate::judge::{Case, Course};
use crate::promise::Breaker;
use crate::term::{OperationId, Stamp};

/// Statuses that every breaker counts as failures.
const BROKEN: [u16; 4] = [500, 502, 503, 504];

/// The line, as far as it was looked at.
pub(super) struct Line<'c, 'a> {
    case: &'c Case<'a>,
    breaker: &'c Breaker,
    courses: BTreeMap<OperationId, &'c Course<'a>>,
    state: State<'a>,
    /// Whether the breaker opened for certain.
    pub opened: bool,
}

/// What the breaker is for certain.
enum State<'a> {
    /// Closed, with so many failures in a row after a success that the client must have known of.
    Closed {
        run: Vec<&'a Call>,
        success: Option<&'a Call>,
    },
    /// Open by so many of these failures.
    Open { by: Vec<&'a Call>, needed: usize },
    /// This call tries whether the target has recovered.
    Probing { probe: &'a Call, by: Vec<&'a Call> },
    /// How the client counts is not known any more.
    Unknown,
}

/// A call that should not have been made.
pub(super) enum Breach<'a> {
    /// The breaker was open.
    Open {
        by: Vec<&'a Call>,
        call: &'a Call,
        after: Duration,
    },
    /// Another call was trying.
    Crowd { call: &'a Call, probe: &'a Call },
}

impl<'c, 'a> Line<'c, 'a> {
    /// A line with a breaker that is closed.
    pub fn new(
        case: &'c Case<'a>,
        breaker: &'c Breaker,
        courses: BTreeMap<OperationId, &'c Course<'a>>,
    ) -> Self {
        Line {
            case,
            breaker,
            courses,
            state: State::Closed {
                run: Vec::new(),
                success: None,
            },
            opened: false,
        }
    }

    /// The operation of a call.
    pub fn course(&self, call: &Call) -> Option<&'c Course<'a>> {
        self.courses.get(&call.head.op?).copied()
    }

    /// Looks at the next call; what is wrong with it, if anything.
    pub fn next(&mut self, call: &'a Call) -> Option<Breach<'a>> {
        match std::mem::replace(&mut self.state, State::Unknown) {
            State::Closed { run, success } => {
                self.state = self.closed(run, success, call);
                None
            }
            State::Open { by, needed } => self.open(by, needed, call),
            State::Probing { probe, by } => self.probing(probe, by, call),
            State::Unknown => None,
        }
    }

    fn closed(&mut self, mut run: Vec<&'a Call>, success: Option<&'a Call>, call: &'a Call) -> State<'a> {
        if success.is_some_and(|success| !self.knew(call, &[success])) {
            return State::Unknown;
        }
        if self.failed(call) {
            run.push(call);
            return self.grown(run);
        }
        // The client must have counted what failed before, and have called this for another reason.
        match self.succeeded(call) && self.knew(call, &run) {
            true => State::Closed {
                run: Vec::new(),
                success: Some(call),
            },
            false => State::Unknown,
        }
    }

    fn grown(&mut self, run: Vec<&'a Call>) -> State<'a> {
        let needed = usize::try_from(self.breaker.failures).unwrap_or(usize::MAX);
        if run.len() < needed {
            return State::Closed { run, success: None };
        }
        self.opened = true;
        State::Open { by: run, needed }
    }

    fn open(&mut self, mut by: Vec<&'a Call>, needed: usize, call: &'a Call) -> Option<Breach<'a>> {
        let from = earliest(&by, needed);
        let early = call.at().plus(EARLY_TOLERANCE) < from.plus(self.breaker.open);
        match (self.knew(call, &by), early) {
            (true, true) => {
                let after = call.at().since(from);
                let shown = by.clone();
                self.state = State::Open { by, needed };
                Some(Breach::Open {
                    by: shown,
                    call,
                    after,
                })
            }
            (true, false) => {
                self.state = State::Probing { probe: call, by };
                None
            }
            // It may have been on its way when the breaker opened, and its failure one of those that opened it.
            (false, true) if self.failed(call) => {
                by.push(call);
                self.state = State::Open { by, needed };
                None
            }
            (false, _) => None,
        }
    }

    fn probing(&mut self, probe: &'a Call, by: Vec<&'a Call>, call: &'a Call) -> Option<Breach<'a>> {
        let answered = probe.answer_began.is_some_and(|began| began <= call.at());
        if !answered {
            // Its client may have given it up at once, and may try again when the breaker has been open anew.
            let before = call.at().plus(EARLY_TOLERANCE + LAG_LIMIT) < probe.at().plus(self.breaker.open);
            if before && self.knew(call, &by) {
                self.state = State::Probing { probe, by };
                return Some(Breach::Crowd { call, probe });
            }
            return None;
        }
        if self.failed(probe) {
            return self.open(vec![probe], 1, call);
        }
        if self.succeeded(probe) {
            self.state = self.closed(Vec::new(), Some(probe), call);
        }
        None
    }

    /// A whole answer that every breaker counts as a failure.
    fn failed(&self, call: &Call) -> bool {
        let broken = self
            .case
            .status_of(call)
            .is_some_and(|status| BROKEN.contains(&status));
        broken && self.ended(call) && self.case.surely_failed(call)
    }

    /// A whole answer that every breaker counts as a success.
    fn succeeded(&self, call: &Call) -> bool {
        self.ended(call) && self.case.means_success(call)
    }

    fn ended(&self, call: &Call) -> bool {
        self.case.certainly_read(call) && call.answer_began.is_some() && call.answer_ended.is_some()
    }

    /// Whether a call was surely sent after its client knew how others had ended.
    fn knew(&self, call: &Call, others: &[&Call]) -> bool {
        let Some(course) = self.course(call) else {
            return false;
        };
        let last = course
            .attempts
            .iter()
            .rev()
            .find(|c| (c.at(), c.id()) < (call.at(), call.id()));
        let followed = last.filter(|last| course.follows(self.case, last, call));
        let asked = course.record.asked.unwrap_or_default();
        others.iter().all(|other| {
            let Some(ended) = other.answer_ended else {
                return false;
            };
            let in_sequence = other.head.op == call.head.op
                && followed.is_some_and(|last| other.id() == last.id() || ended <= last.at());
            let reported = self
                .course(other)
                .and_then(Course::outcome)
                .is_some_and(|(at, _)| at <= asked);
            in_sequence || reported || ended.plus(LATE_GRACE) <= call.at()
        })
    }
}

/// When the breaker opened at the earliest: so many of these failures had begun to be answered.
fn earliest(failures: &[&Call], so_many: usize) -> Stamp {
    let mut began: Vec<Stamp> = failures.iter().filter_map(|call| call.answer_began).collect();
    began.sort_unstable();
    began.get(so_many.saturating_sub(1)).copied().unwrap_or_default()
}
