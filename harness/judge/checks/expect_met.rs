//! What the scenario's author expects.

use super::{Check, CheckResult, Levels, expect_ticks};
use crate::judge::counts::DependencyCounts;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Grade, LayerCounts, Level, TrialCounts, ends};
use crate::promise::PolicyCan;
use crate::scenario::{Bound, Counts, Expect, LayerExpect, PolicyNumber, StopExpect};
use crate::source::Span;
use crate::term::StopReason;

const ID: &str = "expect.met";
const CITES: &[&str] = &[];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "The scenario's own expectations are met.",
    requirement: "What a scenario states under `expect` is judged whatever the client promises: calls, effects delivered \
        and successes acknowledged at a dependency, how much of it came in one tick at the most, and how many operations ended for which reason. Expectations of a \
        dependency are dropped where an operation that goes there cannot be asked of the client or could not be run (not where the \
        client kept silent before it, or had called); expectations of \
        stop reasons where any was, or where the client does not say why it stopped. A bound by policy asks for nothing \
        where the client promises no such number, and counts for each operation. Expectations of layers are dropped where \
        the client has no such layer. What is expected under `given` is asked of a client that takes the policy handed \
        over, and of no other. Where retrial stopped waiting for an operation, nothing is made of it that too little \
        came. In real time the machine may move a call over the border of a tick, by up to 50 ms a step: a peak that hangs on that is \
        a note, and exact in virtual time.",
    cites: CITES,
    levels: Levels {
        silent: "fail",
        promised: "fail",
        opted_out: "fail",
    },
    bears_on: &FaultClass::ALL,
    mutants: &[],
    judge,
};

const MISSED: Worth = Worth {
    level: Level::Asked,
    grade: Grade::Fail,
};

fn judge(case: &Case) -> CheckResult {
    let counts = TrialCounts::of(case);
    let mut ruling = Ruling::new(ID, CITES);
    let of_all = &case.trial.expect;
    let takes_policy = case.can.policy == PolicyCan::Given;
    let of_policy = of_all.given.as_deref().filter(|_| takes_policy);
    for expect in [of_all].into_iter().chain(of_policy) {
        judge_all(case, expect, &counts, &mut ruling);
    }
    ruling.finish(Level::Asked, |_| "what the scenario expects was met".to_owned())
}

fn judge_all(case: &Case, expect: &Expect, counts: &TrialCounts, ruling: &mut Ruling) {
    for expected in &expect.dependencies {
        if let Some(found) = counts
            .dependencies
            .get(&*expected.name)
            .filter(|_| all_asked(case, Some(&expected.name)))
        {
            judge_dependency(case, expected, found, ruling);
        }
    }
    for expected in expect.layers.iter().filter(|_| all_asked(case, None)) {
        let of_role = counts.layers.iter().filter(|l| l.role == expected.role);
        if let Some(found) = of_role.into_iter().nth(expected.nth.saturating_sub(1)) {
            judge_layer(case, expected, found, counts.operations, ruling);
        }
    }
    expect_ticks::judge(case, &expect.ticks, ruling);
    let unreported = counts.stop_reasons.contains_key(&StopReason::Unreported);
    if all_asked(case, None) && !unreported {
        for expected in &expect.stop {
            judge_stop(case, expected, counts, ruling);
        }
    }
}

/// Whether every operation that may go to a dependency, or to any, was asked and could be run. The client cannot excuse
/// itself: what was not asked because it kept silent, and what it called and said that it could not run, counts as asked.
pub(super) fn all_asked(case: &Case, name: Option<&str>) -> bool {
    let courses = case.courses();
    let silent = ends::waited_for(&courses).is_some_and(|(course, _)| course.silent_since(case).is_some());
    let there = |to: &[crate::term::Name]| name.is_none_or(|name| to.iter().any(|t| &**t == name));
    case.trial.planned().filter(|p| there(&p.request().to)).all(|p| {
        let record = case.evidence.operations.get(&p.id);
        record.is_some_and(|r| {
            let could = r.asked.is_some() && r.left_out.is_none() && r.could_not_run.is_none();
            let unheard = silent && r.not_reached.is_some();
            could || unheard || courses.iter().any(|c| c.id() == p.id && c.ran_all_the_same())
        })
    })
}

fn judge_dependency(case: &Case, expected: &Counts, found: &DependencyCounts, ruling: &mut Ruling) {
    let counted = [
        ("call", "came", expected.calls, found.calls),
        ("effect", "delivered", expected.delivered, found.delivered),
        (
            "success",
            "acknowledged",
            expected.acknowledged,
            found.acknowledged,
        ),
    ];
    let point = Point {
        name: &expected.name,
        to: Some(&expected.name),
        operations: found.operations,
        span: expected.span,
    };
    judge_point(case, &point, &counted, ruling);
}

fn judge_layer(
    case: &Case,
    expected: &LayerExpect,
    found: &LayerCounts,
    operations: u64,
    ruling: &mut Ruling,
) {
    let counted = [
        ("call", "came", expected.calls, found.calls),
        (
            "success",
            "acknowledged",
            expected.acknowledged,
            found.acknowledged,
        ),
    ];
    let point = Point {
        name: &found.name,
        to: None,
        operations,
        span: expected.span,
    };
    judge_point(case, &point, &counted, ruling);
}

/// Whether more waiting could meet a bound.
pub(super) fn is_too_few(bound: Bound, n: u64) -> bool {
    match bound {
        Bound::Exactly(least) => n < least,
        Bound::Between { at_least, .. } => at_least.is_some_and(|least| n < least),
        Bound::Policy(_) => false,
    }
}

/// Whether an operation that goes to a dependency, or to any, was left although it may have gone on: more could have come of
/// it, and of those that were not asked any more (rule 9).
pub(super) fn stopped_waiting(case: &Case, name: Option<&str>) -> bool {
    let there = |to: &[crate::term::Name]| name.is_none_or(|name| to.iter().any(|t| &**t == name));
    let courses = case.courses();
    let may_go_on = |course: &Course| course.silent_since(case).is_none() && !is_past_its_deadline(course);
    let left = |course: &Course| course.record.no_result.is_some() && may_go_on(course);
    case.evidence.ceilings.is_empty() && courses.iter().any(|c| there(&c.planned.request().to) && left(c))
}

/// Whether the client knew a deadline that had passed: nothing more could rightly come.
fn is_past_its_deadline(course: &Course) -> bool {
    let passed = course.deadline().zip(course.record.no_result);
    passed.is_some_and(|(deadline, left)| left > deadline)
}

/// Where something is counted.
struct Point<'a> {
    name: &'a str,
    /// The dependency whose operations count here; `None` where all do.
    to: Option<&'a str>,
    operations: u64,
    span: Span,
}

/// What is counted, how it is said, what is expected, and what was found.
type Counted = (&'static str, &'static str, Option<Bound>, u64);

fn judge_point(case: &Case, point: &Point, counted: &[Counted], ruling: &mut Ruling) {
    for (noun, verb, bound, n) in counted.iter().copied() {
        let Some(bound) = bound else { continue };
        let promised = |number: PolicyNumber| match number {
            PolicyNumber::Attempts => Some(u64::from(case.promises.attempts?) * point.operations),
        };
        if matches!(bound, Bound::Policy(number) if promised(number).is_none()) {
            continue;
        }
        ruling.exercise_at_large();
        if !bound.admits(n, promised) && is_too_few(bound, n) && stopped_waiting(case, point.to) {
            ruling.cut_short();
        } else if !bound.admits(n, promised) {
            let asks = words(bound, noun, promised);
            let because = format!("your scenario asks for {asks} at `{}`; {n} {verb}", point.name);
            let calls = case.evidence.calls.iter().chain(&case.evidence.passed);
            let calls = calls.filter(|c| &*c.head.point == point.name && c.is_attempt());
            miss(case, because, calls, point.span, ruling);
        }
    }
}

fn judge_stop(case: &Case, expected: &StopExpect, counts: &TrialCounts, ruling: &mut Ruling) {
    let n = counts.stop_reasons.get(&expected.reason).copied().unwrap_or(0);
    let promised = |_: PolicyNumber| None;
    if matches!(expected.bound, Bound::Policy(_)) {
        return;
    }
    ruling.exercise_at_large();
    if !expected.bound.admits(n, promised) {
        let asks = words(expected.bound, "operation", promised);
        let because = format!(
            "your scenario asks for {asks} ended by `{}`; {n} ended so",
            expected.reason
        );
        miss(case, because, [], expected.span, ruling);
    }
}

pub(super) fn miss<'c>(
    case: &Case,
    because: String,
    calls: impl IntoIterator<Item = &'c crate::evidence::Call>,
    span: Span,
    ruling: &mut Ruling,
) {
    // Expectations at one line are several findings: each is its own sentence, so they are not told as one.
    ruling.charge_apart_unless_late(
        case,
        Charge::new(MISSED, because).shown_by(calls).asked_at(Some(span)),
    );
}

/// `exactly 3 calls`, `at most 5 calls`, `2 to 4 effects`.
pub(super) fn words(bound: Bound, noun: &str, promised: impl Fn(PolicyNumber) -> Option<u64>) -> String {
    let plural = |n: u64| match (n, noun) {
        (1, _) => format!("1 {noun}"),
        (n, "success") => format!("{n} successes"),
        (n, "retry") => format!("{n} retries"),
        (n, _) => count(n, noun),
    };
    match bound {
        Bound::Exactly(n) => format!("exactly {}", plural(n)),
        Bound::Between {
            at_least: Some(low),
            at_most: Some(high),
        } => format!("{low} to {}", plural(high)),
        Bound::Between {
            at_least: Some(low),
            at_most: None,
        } => format!("at least {}", plural(low)),
        Bound::Between {
            at_least: None,
            at_most: Some(high),
        } => format!("at most {}", plural(high)),
        Bound::Between {
            at_least: None,
            at_most: None,
        } => format!("any number of {noun}s"),
        Bound::Policy(number) => match promised(number) {
            Some(n) => format!("at most the {} that the client promises", plural(n)),
            None => format!("what the client promises of {noun}s"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Fact;
    use crate::judge::Verdict;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::term::OperationId;

    fn expecting(calls: Bound, story: Story) -> Story {
        let mut story = story;
        let span = Span { start: 500, end: 510 };
        let delivered = Some(Bound::Exactly(1));
        story.trial.expect.dependencies = vec![Counts {
            name: "quota".into(),
            calls: Some(calls),
            delivered,
            acknowledged: None,
            span,
        }];
        story
    }

    fn story() -> Story {
        Story::of(vec![answered(503).times(1), answered(200).applied()])
            .call(0, 0)
            .call(1, 100)
            .ok(110)
    }

    #[test]
    fn what_is_expected_and_met_passes() {
        let result = expecting(
            Bound::Between {
                at_least: None,
                at_most: Some(2),
            },
            story(),
        )
        .check(ID);
        assert_eq!(result.findings[0].grade, Grade::Pass);
    }

    #[test]
    fn a_miss_is_told_with_what_was_asked_and_what_came() {
        let finding = expecting(Bound::Exactly(1), story()).check(ID).findings.remove(0);
        assert_eq!(
            finding.because,
            "your scenario asks for exactly 1 call at `quota`; 2 came"
        );
        assert_eq!((finding.level, finding.grade), (Level::Asked, Grade::Fail));
        assert_eq!(finding.span, Some(Span { start: 500, end: 510 }));
    }

    #[test]
    fn a_policy_that_is_not_promised_asks_for_nothing() {
        let by_policy = || expecting(Bound::Policy(PolicyNumber::Attempts), story());
        assert_eq!(by_policy().worst(ID).0, Grade::Pass);
        assert_eq!(
            by_policy().promising(|p| p.attempts = Some(2)).worst(ID).0,
            Grade::Pass
        );
        assert_eq!(
            by_policy().promising(|p| p.attempts = Some(1)).worst(ID).0,
            Grade::Fail
        );
    }

    #[test]
    fn what_is_expected_of_a_policy_is_asked_of_who_takes_it() {
        let of_a_policy = |can| {
            let mut story = expecting(Bound::Exactly(1), story());
            let given = std::mem::take(&mut story.trial.expect);
            story.trial.expect.given = Some(Box::new(given));
            story.can.policy = can;
            story.check(ID)
        };
        let taken = of_a_policy(PolicyCan::Given);
        assert_eq!(
            taken.findings[0].because,
            "your scenario asks for exactly 1 call at `quota`; 2 came"
        );
        assert_eq!(of_a_policy(PolicyCan::Own), CheckResult::default());
    }

    #[test]
    fn what_was_not_asked_takes_its_expectations_with_it() {
        let story = expecting(Bound::Exactly(7), story().operation("POST", "/", "quota"));
        let story = story.and(Fact::LeftOut {
            op: OperationId(2),
            because: "the client can only GET".to_owned(),
            at: None,
        });
        assert_eq!(story.check(ID), CheckResult::default());
    }

    #[test]
    fn too_little_of_a_client_that_was_left_is_nobodys_fault_and_too_much_is() {
        let left = || {
            let turns = vec![answered(503).times(1), answered(200).applied()];
            Story::of(turns).call(0, 0).gave_no_result(1, 5_000)
        };
        let judged = expecting(Bound::Exactly(2), left()).judge();
        assert_eq!(judged.verdict, Verdict::Inconclusive);
        assert!(
            judged
                .because
                .is_some_and(|b| b.starts_with("retrial stopped waiting for op-1"))
        );
        let result = expecting(Bound::Exactly(0), left()).check(ID);
        assert_eq!(result.findings[0].grade, Grade::Fail);
        let knew = expecting(Bound::Exactly(2), left().deadline_ms(3_000));
        assert_eq!(knew.worst(ID).0, Grade::Fail);
    }

    #[test]
    fn stop_reasons_are_counted_where_they_are_reported() {
        let expecting = |bound, mut story: Story| {
            story.trial.expect.stop = vec![StopExpect {
                reason: StopReason::Ok,
                bound,
                span: Span::default(),
            }];
            story
        };
        assert_eq!(expecting(Bound::Exactly(1), story()).worst(ID).0, Grade::Pass);
        assert_eq!(expecting(Bound::Exactly(2), story()).worst(ID).0, Grade::Fail);
        let unreported = Story::of(vec![answered(503)]).call(0, 0).failed(5);
        assert_eq!(
            expecting(Bound::Exactly(1), unreported).check(ID),
            CheckResult::default()
        );
    }
}
