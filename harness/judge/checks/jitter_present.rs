//! Waits that are promised to be drawn by chance are not all alike.

use std::collections::BTreeMap;

use super::jitter_draws::{Draw, draws, judge_kinds, promise};
use super::{Check, CheckResult, FAILURES, Levels};
use crate::judge::ruling::Ruling;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Level};
use crate::term::ProcessId;

const ID: &str = "jitter.present";
const CITES: &[&str] = &["aws-jitter", "sre-cascading"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "Waits that the client promises to draw by chance differ from each other.",
    requirement: "A client that promises `backoff` with jitter draws each wait from a window. Compared are the waits \
        before one retry, the first or the second or so on, of all operations of a process: so many honest draws lie within a part r of their \
        window with the chance n r^(n-1) - (n-1) r^n. A client is accused where that is at most one in ten thousand, \
        over all that is compared in the trial; 50 ms are added to what is seen, since no wait is seen to the moment. \
        With `decorrelated` jitter only the first wait is compared, whose window is known. Nothing is said of few waits or \
        short windows, and where something may have chosen among the waits: a breaker, a budget that fills with time, \
        a deadline that is near, a hedge; or where the scenario hands over rolls or rounds waits. Of a client that promises nothing it is \
        noted where its waits lie closer together than draws from no more than the upper half of the wait would.",
    cites: CITES,
    levels: Levels {
        silent: "note (waits that are all alike)",
        promised: "fail (`backoff` with jitter)",
        opted_out: "note",
    },
    bears_on: &FAILURES,
    mutants: &["no-jitter"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    let draws = draws(case, &courses);
    let mut kinds: BTreeMap<(ProcessId, u32), Vec<&Draw>> = BTreeMap::new();
    for draw in &draws {
        kinds.entry((draw.process, draw.retry)).or_default().push(draw);
    }
    let looked_at = kinds.len();
    let told = |draws: &[&Draw], range| {
        format!(
            "{} before retry {} differ by no more than {}{}",
            count(draws.len() as u64, "wait"),
            draws[0].retry,
            time(range),
            promise(draws, "the client promises to draw them from"),
        )
    };
    let kinds = (kinds.into_values().collect(), looked_at);
    judge_kinds(case, ID, kinds, told, &mut ruling);
    ruling.finish(Level::Promised, |ops| {
        format!("the waits of {} differ", count(ops.len() as u64, "operation"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::{BackoffPromise, Breaker, Jitter};
    use crate::term::{Claim, StopReason};
    use std::time::Duration;

    /// One retry of each operation, after these waits; drawn from a second.
    fn story(jitter: Jitter, waits: &[u64]) -> Story {
        let mut story = Story::of(vec![answered(503).times(1), answered(200)]);
        for (i, wait) in waits.iter().enumerate() {
            let op = i as u32 + 1;
            story = if op > 1 {
                story.operation("GET", "/", "quota")
            } else {
                story
            };
            let at = u64::from(op) * 10_000;
            story = story.call_of(op, 0, at).call_of(op, 1, at + 1 + wait);
            story = story.reported_of(op, at + wait + 5, Claim::Ok, StopReason::Ok);
        }
        let (base, cap) = (Duration::from_secs(1), Duration::from_secs(2));
        story.promising(|p| {
            p.backoff = Some(BackoffPromise {
                at_once: 0,
                base,
                factor_per_mille: 2_000,
                cap,
                jitter,
            });
        })
    }

    #[test]
    fn waits_that_are_alike_are_no_draws() {
        let (grade, because) = story(Jitter::Full, &[1000, 1003, 1001, 1000, 1002]).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "5 waits before retry 1 differ by no more than 3 ms; the client promises to draw them from 1 s"
        );
    }

    #[test]
    fn draws_pass_and_few_of_them_prove_nothing() {
        let drawn = story(Jitter::Full, &[100, 900, 400, 650, 30]).check(ID);
        assert_eq!(drawn.findings[0].grade, Grade::Pass);
        let few = story(Jitter::Full, &[1000, 1000, 1000]).check(ID);
        assert!(few.findings.is_empty() && !few.exercised);
        // Half of the window is drawn from, so that it takes more of them.
        assert!(!story(Jitter::Equal, &[1000; 5]).check(ID).exercised);
        assert_eq!(story(Jitter::Equal, &[1000; 7]).worst(ID).0, Grade::Fail);
        assert_eq!(story(Jitter::Hashed, &[1000; 7]).worst(ID).0, Grade::Fail);
        assert_eq!(story(Jitter::Decorrelated, &[2000; 7]).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn no_jitter_is_owed_where_none_is_promised_or_something_chose_among_the_waits() {
        let alike = |jitter| story(jitter, &[1000; 9]);
        assert!(alike(Jitter::None).check(ID).findings.is_empty());
        assert!(alike(Jitter::Full).late_by_ms(60).check(ID).withheld);
        let open = Duration::from_secs(1);
        let broken = alike(Jitter::Full).promising(|p| p.breaker = Some(Breaker { failures: 3, open }));
        assert!(broken.check(ID).findings.is_empty());
        let near = alike(Jitter::Full).deadline_ms(2_500);
        assert!(near.check(ID).findings.is_empty());
    }

    #[test]
    fn waits_that_are_alike_are_noted_of_a_client_that_promises_none() {
        let silent = |waits: &[u64]| story(Jitter::Full, waits).promising(|p| p.backoff = None);
        let alike = silent(&[1000, 1003, 1001, 1000, 1002, 1000]);
        let (grade, because) = alike.worst(ID);
        assert_eq!(grade, Grade::Note);
        assert_eq!(
            because,
            "6 waits before retry 1 differ by no more than 3 ms: no jitter is seen, and none is promised"
        );
        assert!(!alike.check(ID).exercised);
        for says_nothing in [
            silent(&[1000, 700, 810, 990, 540, 600]),
            // Too few, and too short to tell a draw from the machine.
            silent(&[1000, 1003, 1001]),
            silent(&[80; 30]),
        ] {
            assert!(says_nothing.check(ID).findings.is_empty());
        }
    }
}
