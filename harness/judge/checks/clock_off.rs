//! Dates by a server's clock that is off: by which clock a client judged them is told, and never held against it.
//!
//! RFC 9110 does not say whether a date in Retry-After is to be compared with the answer's Date or with the client's
//! own clock. Both are lawful, and they come to very different waits.

use super::controls::Controls;
use super::pushed_back::{control_gap, ended};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::EARLY_TOLERANCE;
use crate::judge::wording::time;
use crate::judge::{Case, Course, Level};
use crate::scenario::{DateOffset, Pushback};
use crate::term::StopReason;

/// Notes what the client made of each date by a clock that is off, where a control shows it.
pub(super) fn note<'a>(
    case: &Case<'a>,
    courses: &[Course<'a>],
    controls: &Controls<'a>,
    ruling: &mut Ruling,
) {
    for course in courses {
        for call in course.attempts.iter().copied().filter(|c| case.certainly_read(c)) {
            if let Some(what) = made(case, controls, course, call) {
                let because = format!("the server's clock was off; {what}");
                let charge = Charge::new(Worth::note(Level::Normative), because).about(course);
                ruling.charge(charge.shown_by([call]).asked_at(case.span_of(call)));
            }
        }
    }
}

fn made<'a>(case: &Case<'a>, controls: &Controls<'a>, course: &Course<'a>, call: &'a Call) -> Option<String> {
    let answer = case.answer_of(call)?;
    let (off, Some(Pushback::Date { offset, .. })) = (answer.clock?, &answer.retry_after) else {
        return None;
    };
    let DateOffset::Ahead(wait) = *offset else {
        return None;
    };
    let own = control_gap(case, controls, course, call).filter(|own| *own < wait)?;
    match (course.gap_after(call), off) {
        (Some(gap), _) if gap + EARLY_TOLERANCE >= wait => Some(format!(
            "{} was judged by the answer's Date: the next call came {} later",
            call.id(),
            time(gap)
        )),
        (Some(gap), DateOffset::Past(_)) => Some(format!(
            "{} was judged by the client's own clock, or not at all: the next call came {} later",
            call.id(),
            time(gap)
        )),
        (Some(gap), DateOffset::Ahead(_)) => Some(format!(
            "{} was judged by neither clock: the next call came {} later, its control's {} later",
            call.id(),
            time(gap),
            time(own)
        )),
        (None, DateOffset::Ahead(_)) if stopped_for_it(case, course) => Some(format!(
            "{} was judged by the client's own clock: it gave up, for the date was far ahead",
            call.id()
        )),
        (None, _) => None,
    }
}

fn stopped_for_it(case: &Case, course: &Course) -> bool {
    let stop = course.outcome().map(|(_, outcome)| outcome.stop);
    ended(case, course) && matches!(stop, Some(StopReason::Deadline | StopReason::Pushback))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::judge::{Grade, Verdict};
    use crate::scenario::DateForm;
    use crate::term::Claim;

    const HOUR: Duration = Duration::from_secs(3600);

    /// op-1 is asked to wait 3 s by a clock that is off, op-2 is its control and waits 100 ms of its own accord.
    fn story(off: DateOffset) -> Story {
        let date = Pushback::Date {
            form: DateForm::Imf,
            offset: DateOffset::Ahead(Duration::from_secs(3)),
        };
        let mut dated = answered(503).times(1).path("/").pushing_back(date);
        dated.answer.as_mut().unwrap().clock = Some(off);
        let turns = vec![dated, answered(503).times(1).path("/control"), answered(200)];
        let story = Story::of(turns).operation("GET", "/control", "quota");
        story.call_of(2, 1, 0).call_of(2, 2, 100)
    }

    fn noted(story: Story) -> String {
        let story = story.reported_of(2, 110, Claim::Ok, StopReason::Ok);
        assert!(story.blamed().is_empty(), "{:?}", story.blamed());
        let result = story.check("pushback.dates");
        let [finding] = &result.findings[..] else {
            panic!("{:?}", result.findings)
        };
        assert_eq!(finding.grade, Grade::Note);
        finding.because.clone()
    }

    fn called_again(off: DateOffset, at_ms: u64) -> String {
        let story = story(off).call(0, 1_000).call(2, 1_000 + at_ms);
        noted(story.ok(10_000))
    }

    #[test]
    fn each_reading_is_told_and_none_is_blamed() {
        for off in [DateOffset::Ahead(HOUR), DateOffset::Past(HOUR)] {
            assert!(called_again(off, 3_100).contains("judged by the answer's Date"));
        }
        let own = called_again(DateOffset::Past(HOUR), 101);
        assert!(own.contains("by the client's own clock, or not at all"), "{own}");
        let neither = called_again(DateOffset::Ahead(HOUR), 101);
        assert!(neither.contains("by neither clock"), "{neither}");
    }

    #[test]
    fn who_gives_up_because_the_date_is_far_ahead_by_its_own_clock_is_right() {
        let story = story(DateOffset::Ahead(HOUR)).deadline_ms(10_000).call(0, 1_000);
        let told = noted(story.reported(1_005, Claim::Failed, StopReason::Deadline));
        assert!(told.contains("it gave up"), "{told}");
    }

    #[test]
    fn a_control_that_waits_as_long_anyway_tells_nothing() {
        let story = story(DateOffset::Past(HOUR))
            .call(0, 1_000)
            .call(2, 5_000)
            .ok(5_010);
        let mut silent = story;
        silent
            .facts
            .retain(|fact| !matches!(fact, crate::evidence::Fact::Arrived(head) if head.at.ms() == 100));
        assert!(silent.check("pushback.dates").findings.is_empty());
        assert_ne!(silent.judge().verdict, Verdict::Fail);
    }
}
