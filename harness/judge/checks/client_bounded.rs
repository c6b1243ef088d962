//! The client comes to an end by itself, within the trial's ceilings.

use super::{Check, CheckResult, Levels};
use crate::evidence::Ceiling;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Level};

const ID: &str = "client.bounded";
const CITES: &[&str] = &["sre-cascading"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "The client reaches none of the trial's ceilings.",
    requirement: "A trial bounds the calls, the connections, the bytes and the time that a client may use, far above what \
        any policy needs. A client that reaches a ceiling repeats without end. Time is not held against it where the \
        harness itself was late.",
    cites: CITES,
    levels: Levels {
        silent: "fail",
        promised: "fail",
        opted_out: "fail",
    },
    bears_on: &[],
    mutants: &["endless"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let kept = case.evidence.calls.len() + case.evidence.passed.len();
    let calls = case.evidence.beyond.calls.saturating_add(kept as u64);
    if case.evidence.watch_ended.is_some() {
        ruling.exercise_at_large();
    }
    for (at, ceiling) in &case.evidence.ceilings {
        let because = format!(
            "the client reached the trial's ceiling of {} at {at}, after {}",
            name(*ceiling),
            count(calls, "call")
        );
        // The first calls show it as well as a thousand would.
        let charge = Charge::new(Worth::UNTRUE, because).shown_by(case.evidence.calls.iter().take(5));
        match ceiling {
            Ceiling::Time => ruling.charge_unless_late(case, charge),
            Ceiling::Calls | Ceiling::Connections | Ceiling::Bytes => ruling.charge(charge),
        }
    }
    ruling.finish(Level::Integrity, |_| {
        "the client stayed within every ceiling".to_owned()
    })
}

fn name(ceiling: Ceiling) -> &'static str {
    match ceiling {
        Ceiling::Calls => "calls",
        Ceiling::Connections => "connections",
        Ceiling::Bytes => "bytes",
        Ceiling::Time => "time",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Fact;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, answered};
    use crate::term::Stamp;

    fn hit(ceiling: Ceiling) -> Story {
        let story = Story::of(vec![answered(503)]).call(0, 0).call(0, 1);
        story
            .and(Fact::CeilingHit {
                at: Stamp::from_ms(2_300),
                ceiling,
            })
            .gave_no_result(1, 2_310)
    }

    #[test]
    fn a_ceiling_that_is_reached_fails() {
        let (grade, because) = hit(Ceiling::Calls).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "the client reached the trial's ceiling of calls at 2300 ms, after 2 calls"
        );
    }

    #[test]
    fn a_flood_makes_the_harness_late_and_is_judged_all_the_same() {
        assert_eq!(hit(Ceiling::Calls).late_by_ms(900).worst(ID).0, Grade::Fail);
        assert!(hit(Ceiling::Time).late_by_ms(900).check(ID).withheld);
    }
}
