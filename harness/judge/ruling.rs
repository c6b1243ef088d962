//! How one check comes to its result: charges are collected, like ones merged, and what is unsound withheld.

use super::checks::CheckResult;
use super::{Case, Course, Finding, Grade, Level};
use crate::evidence::Call;
use crate::source::Span;
use crate::term::{CallId, OperationId};

/// What a charge is worth, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worth {
    /// Where the requirement comes from.
    pub level: Level,
    /// What the finding is worth.
    pub grade: Grade,
}

impl Worth {
    /// A broken promise.
    pub const BROKEN_PROMISE: Worth = Worth {
        level: Level::Promised,
        grade: Grade::Fail,
    };
    /// An untruth that no client may tell, or a harm that none may do.
    pub const UNTRUE: Worth = Worth {
        level: Level::Integrity,
        grade: Grade::Fail,
    };

    /// A note at this level.
    pub const fn note(level: Level) -> Worth {
        Worth {
            level,
            grade: Grade::Note,
        }
    }

    /// What a deviation from a standard's advice is worth where nothing is promised.
    pub const fn advice(grade: Grade) -> Worth {
        Worth {
            level: Level::Normative,
            grade,
        }
    }
}

/// One thing that a check has to say.
#[derive(Debug, Clone)]
pub struct Charge {
    worth: Worth,
    because: String,
    operations: Vec<OperationId>,
    calls: Vec<CallId>,
    span: Option<Span>,
    apart: bool,
}

impl Charge {
    /// A charge without calls or place.
    pub fn new(worth: Worth, because: String) -> Self {
        Charge {
            worth,
            because,
            operations: Vec::new(),
            calls: Vec::new(),
            span: None,
            apart: false,
        }
    }

    fn is_like(&self, other: &Charge) -> bool {
        !self.apart && !other.apart && self.worth == other.worth && self.span == other.span
    }

    /// It is about this operation.
    pub fn about(mut self, course: &Course) -> Self {
        self.operations.push(course.id());
        self
    }

    /// These calls show it.
    pub fn shown_by<'c>(mut self, calls: impl IntoIterator<Item = &'c Call>) -> Self {
        self.calls.extend(calls.into_iter().map(Call::id));
        self
    }

    /// This line of the scenario asked for it.
    pub fn asked_at(mut self, span: Option<Span>) -> Self {
        self.span = span;
        self
    }
}

/// The result of one check in the making.
#[derive(Debug)]
pub struct Ruling {
    check: &'static str,
    cites: &'static [&'static str],
    charges: Vec<Charge>,
    exercised_by: Vec<OperationId>,
    exercised: bool,
    withheld: bool,
    cut_short: bool,
}

impl Ruling {
    /// Nothing exercised and nothing found yet.
    pub fn new(check: &'static str, cites: &'static [&'static str]) -> Self {
        Ruling {
            check,
            cites,
            charges: Vec::new(),
            exercised_by: Vec::new(),
            exercised: false,
            withheld: false,
            cut_short: false,
        }
    }

    /// The conduct was put to the test by this operation.
    pub fn exercise(&mut self, course: &Course) {
        self.exercised = true;
        if self.exercised_by.last() != Some(&course.id()) {
            self.exercised_by.push(course.id());
        }
    }

    /// The conduct was put to the test, by no operation in particular.
    pub fn exercise_at_large(&mut self) {
        self.exercised = true;
    }

    /// Says something.
    pub fn charge(&mut self, charge: Charge) {
        self.charges.push(charge);
    }

    /// Says something that rests on a count or on lateness: withheld where the harness itself was late (rule 19).
    pub fn charge_unless_late(&mut self, case: &Case, charge: Charge) {
        if !case.harness_was_late() {
            self.charges.push(charge);
        } else if charge.worth.grade > Grade::Note {
            self.withheld = true;
        }
    }

    /// Says nothing, because waiting for longer could have changed what is found (rule 9).
    pub fn cut_short(&mut self) {
        self.cut_short = true;
    }

    /// As `charge_unless_late`, for a charge that stays a finding of its own.
    pub fn charge_apart_unless_late(&mut self, case: &Case, charge: Charge) {
        self.charge_unless_late(
            case,
            Charge {
                apart: true,
                ..charge
            },
        );
    }

    /// The result; `praise` is its sentence where the conduct was exercised and nothing speaks against it.
    pub fn finish(self, level: Level, praise: impl FnOnce(&[OperationId]) -> String) -> CheckResult {
        let blamed =
            self.withheld || self.cut_short || self.charges.iter().any(|c| c.worth.grade > Grade::Note);
        let mut findings = self.merged();
        if self.exercised && !blamed {
            let because = praise(&self.exercised_by);
            let charge = Charge::new(
                Worth {
                    level,
                    grade: Grade::Pass,
                },
                because,
            );
            let mut finding = self.finding(&charge, 0);
            finding.operations.clone_from(&self.exercised_by);
            findings.push(finding);
        }
        CheckResult {
            findings,
            exercised: self.exercised,
            withheld: self.withheld,
            cut_short: self.cut_short,
        }
    }

    /// Charges of one kind at one line of the scenario become one finding, told by the first.
    fn merged(&self) -> Vec<Finding> {
        let mut groups: Vec<(Charge, usize)> = Vec::new();
        for charge in &self.charges {
            match groups.iter_mut().find(|(g, _)| g.is_like(charge)) {
                Some((group, more)) => {
                    *more += 1;
                    let new = charge
                        .operations
                        .iter()
                        .filter(|op| !group.operations.contains(op));
                    let new: Vec<_> = new.copied().collect();
                    group.operations.extend(new);
                    group.calls.extend(&charge.calls);
                }
                None => groups.push((charge.clone(), 0)),
            }
        }
        groups
            .iter()
            .map(|(charge, more)| self.finding(charge, *more))
            .collect()
    }

    fn finding(&self, charge: &Charge, more: usize) -> Finding {
        let because = match more {
            0 => charge.because.clone(),
            n => format!("{} (and {n} more like it)", charge.because),
        };
        let mut calls = charge.calls.clone();
        calls.sort_unstable();
        calls.dedup();
        Finding {
            check: self.check.to_owned(),
            level: charge.worth.level,
            grade: charge.worth.grade,
            because,
            operations: charge.operations.clone(),
            calls,
            span: charge.span,
            cites: self.cites.iter().map(|key| (*key).to_owned()).collect(),
        }
    }
}
