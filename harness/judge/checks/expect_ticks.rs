//! What the scenario's author expects of the most that comes in one tick: a part of `expect.met`.

use super::expect_met::{all_asked, is_too_few, miss, stopped_waiting, words};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::ticks::{self, Peak, Seen};
use crate::judge::wording::time;
use crate::judge::{Case, Level};
use crate::scenario::{Bound, TicksExpect};
use crate::term::Stamp;

/// Judges the peaks at every dependency of which any are expected.
pub(super) fn judge(case: &Case, ticks: &[TicksExpect], ruling: &mut Ruling) {
    let expected = ticks.iter();
    let mut expected = expected.filter(|e| all_asked(case, Some(&e.name))).peekable();
    if expected.peek().is_none() {
        return;
    }
    let courses = case.courses();
    // Where nothing ever came, the peak is none.
    let origin = ticks::origin(&courses).unwrap_or_default();
    for expected in expected {
        let calls = ticks::seen(case, &courses, &expected.name);
        let retries: Vec<Seen> = calls.iter().copied().filter(|s| s.is_retry).collect();
        for (noun, bound, seen) in [
            ("call", expected.peak_calls, &calls),
            ("retry", expected.peak_retries, &retries),
        ] {
            if let Some(bound) = bound {
                judge_peak(case, expected, (noun, bound), (seen, origin), ruling);
            }
        }
    }
}

fn judge_peak(
    case: &Case,
    expected: &TicksExpect,
    (noun, bound): (&str, Bound),
    (seen, origin): (&[Seen], Stamp),
    ruling: &mut Ruling,
) {
    let peak = Peak::of(seen, origin, expected.every);
    let admits = |n| bound.admits(n, |_| None);
    ruling.exercise_at_large();
    if admits(peak.seen) {
        return;
    }
    if is_too_few(bound, peak.seen) && stopped_waiting(case, Some(&expected.name)) {
        return ruling.cut_short();
    }
    let begins = expected
        .every
        .saturating_mul(u32::try_from(peak.tick).unwrap_or(u32::MAX));
    let because = format!(
        "your scenario asks for {} in any {} at `{}`; {} came in the one from {} on",
        words(bound, noun, |_| None),
        time(expected.every),
        expected.name,
        peak.seen,
        time(begins),
    );
    let in_peak = |s: &&Seen| ticks::number(s.call.at(), origin, expected.every) == peak.tick;
    let calls = seen.iter().filter(in_peak).map(|s| s.call);
    // What the machine may have put into a tick, or kept out of it, accuses nobody.
    let (least, most) = (peak.least.min(peak.seen), peak.most.max(peak.seen));
    if (least..=most).any(admits) {
        let because = format!("{because}, and on a machine that delays nobody it may be {least} to {most}");
        let charge = Charge::new(Worth::note(Level::Asked), because).shown_by(calls);
        return ruling.charge_apart_unless_late(case, charge.asked_at(Some(expected.span)));
    }
    miss(case, because, calls, expected.span, ruling);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::scenario::{Bound, TicksExpect};
    use crate::source::Span;

    const AT_MOST: fn(u64) -> Option<Bound> = |most| {
        Some(Bound::Between {
            at_least: None,
            at_most: Some(most),
        })
    };

    /// Operations whose first calls come at 0 and whose retries come then, in ms; a tick is a second.
    fn story(retries: &[u64], peak_calls: Option<Bound>, peak_retries: Option<Bound>) -> Story {
        let mut story = Story::of(vec![answered(503).times(1), answered(200)]);
        for (op, at) in (1..).zip(retries) {
            if op > 1 {
                story = story.operation("GET", "/", "quota");
            }
            story = story.call_of(op, 0, 0).call_of(op, 1, *at);
        }
        story.trial.expect.ticks = vec![TicksExpect {
            name: "quota".into(),
            every: Duration::from_secs(1),
            peak_calls,
            peak_retries,
            span: Span { start: 500, end: 510 },
        }];
        story
    }

    #[test]
    fn in_virtual_time_a_peak_is_judged_to_the_call() {
        let retries = [999, 1000, 1500, 1999, 2000];
        let judged = |calls, most| story(&retries, calls, most).check("expect.met").findings;
        let met = judged(Some(Bound::Exactly(6)), AT_MOST(3));
        assert_eq!((met.len(), met[0].grade), (1, Grade::Pass));
        let missed = judged(Some(Bound::Exactly(5)), AT_MOST(2));
        assert_eq!(missed.len(), 2);
        assert_eq!(
            missed[0].because,
            "your scenario asks for exactly 5 calls in any 1 s at `quota`; 6 came in the one from 0 ms on"
        );
        assert_eq!(
            missed[1].because,
            "your scenario asks for at most 2 retries in any 1 s at `quota`; 3 came in the one from 1 s on"
        );
        assert_eq!((missed[1].grade, missed[1].calls.len()), (Grade::Fail, 3));
        assert_eq!(missed[1].span, Some(Span { start: 500, end: 510 }));
    }

    #[test]
    fn in_real_time_only_what_no_delay_explains_fails() {
        // The second call of an operation may be 150 ms off: its own way, the first one's and that of the trial's first.
        let grade = |retries: &[u64], most| {
            let story = story(retries, None, AT_MOST(most)).late_by_ms(1);
            story.worst("expect.met")
        };
        assert_eq!(grade(&[1151, 1500, 1849], 2).0, Grade::Fail);
        assert_eq!(grade(&[1151, 1500, 1849], 3).0, Grade::Pass);
        for at_the_border in [1149, 1851] {
            let (grade, because) = grade(&[1200, 1500, at_the_border], 2);
            assert_eq!(grade, Grade::Note);
            assert!(because.ends_with("it may be 2 to 3"), "{because}");
        }
    }

    #[test]
    fn too_little_is_held_against_nobody_whom_a_delay_may_have_kept_from_the_tick() {
        let at_least = |least| {
            Some(Bound::Between {
                at_least: Some(least),
                at_most: None,
            })
        };
        let worst = |retries: &[u64], least| {
            let story = story(retries, None, at_least(least)).late_by_ms(1);
            story.worst("expect.met").0
        };
        assert_eq!(worst(&[1500, 1900, 2100], 3), Grade::Note);
        assert_eq!(worst(&[1500, 1900, 2151], 3), Grade::Fail);
        assert!(
            story(&[1151, 1500], None, AT_MOST(1))
                .late_by_ms(60)
                .check("expect.met")
                .withheld
        );
    }

    #[test]
    fn a_client_that_was_left_may_have_sent_more_and_one_that_never_repeats_has_a_peak_of_none() {
        let left = story(&[], None, Some(Bound::Exactly(1))).call(0, 0);
        assert!(left.gave_no_result(1, 5_000).check("expect.met").cut_short);
        let never = story(&[], None, AT_MOST(0)).call(0, 0).failed(5);
        assert_eq!(never.worst("expect.met").0, Grade::Pass);
    }
}
