//! Clients that hold operations back, so that a dependency which can be overloaded never is.

use std::time::Duration;

use super::{Case, Course};
use crate::scenario::{Accept, Dependency};
use crate::term::Stamp;

/// The dependency that a client kept from more than it takes, where nothing but load could have failed anybody.
///
/// Such a client met no fault, and yet it was put to the test: more operations than the dependency takes were handed to
/// it side by side, and those that were too many began only after calls of others had come and gone.
pub fn spared<'t>(case: &Case<'t>, courses: &[Course]) -> Option<&'t Dependency> {
    // A command is a process for each operation: none of them can hold another back.
    case.evidence.client.ready?;
    let by_load = |course: &Course| case.fails_by_load_alone(course);
    if !courses.iter().all(by_load) {
        return None;
    }
    let mut dependencies = case.trial.dependencies.iter();
    dependencies.find(|d| {
        let goes_there = |course: &&Course| course.planned.request().to == [d.name.clone()];
        let courses: Vec<&Course> = courses.iter().filter(goes_there).collect();
        room(case, d).is_some_and(|room| were_held_back(&courses, room))
    })
}

/// How many calls a dependency takes side by side before it fails any of them for that.
fn room(case: &Case, dependency: &Dependency) -> Option<usize> {
    let by_capacity = dependency.capacity.as_ref().map(|c| match c.accept {
        Accept::PerTick { calls, .. } | Accept::AtOnce { calls } => calls,
        Accept::Queue { waiting, .. } => waiting.saturating_add(1),
    });
    let timeout = case.trial.given.as_ref().and_then(|g| g.attempt_timeout);
    let by_load = dependency.slows.zip(timeout).map(|(slows, timeout)| {
        let each = slows.per_call_in_flight.max(Duration::from_micros(1));
        u32::try_from(timeout.as_nanos() / each.as_nanos()).unwrap_or(u32::MAX)
    });
    let room = by_capacity.into_iter().chain(by_load).min()?;
    usize::try_from(room).ok()
}

/// Whether more operations were pending at a time than there is room for, and all beyond it waited for others.
fn were_held_back(courses: &[&Course], room: usize) -> bool {
    let pending_at = |at: Stamp| {
        let is = |c: &&&Course| c.record.asked.is_some_and(|a| a <= at) && c.over().is_none_or(|o| o > at);
        courses.iter().filter(is).count()
    };
    let most = courses
        .iter()
        .filter_map(|c| c.record.asked)
        .map(pending_at)
        .max();
    let held = courses.iter().filter(|c| waited_for_another(c, courses)).count();
    most.is_some_and(|most| most > room && held >= most - room)
}

/// Whether an operation's first call came only after one of another had come and gone while it was pending.
fn waited_for_another(course: &Course, others: &[&Course]) -> bool {
    let Some((asked, first)) = course.record.asked.zip(course.attempts.first()) else {
        return false;
    };
    let others = others.iter().filter(|other| other.id() != course.id());
    let mut calls = others.flat_map(|other| &other.attempts);
    calls.any(|call| call.at() >= asked && call.answer_ended.is_some_and(|ended| ended <= first.at()))
}

#[cfg(test)]
mod tests {
    use crate::evidence::Fact;
    use crate::judge::Verdict;
    use crate::judge::evidence_builder::{Story, answered};
    use crate::scenario::{Accept, Capacity};
    use crate::source::Span;
    use crate::term::{Claim, OperationId, ProcessId, Stamp, StopReason};

    /// Four operations handed over together at a dependency that takes two at once; their only calls come then, in ms.
    fn story(calls: [u64; 4], failing: bool) -> Story {
        let mut story = Story::of(vec![answered(if failing { 503 } else { 200 })]);
        story.trial.dependencies[0].capacity = Some(Capacity {
            accept: Accept::AtOnce { calls: 2 },
            overflow: Box::new(answered(503).answer.expect("an answer")),
            span: Span::default(),
        });
        for (op, at) in (1..).zip(calls) {
            if op > 1 {
                story = story.operation("GET", "/", "quota");
            }
            story = story.and(Fact::Asked {
                op: OperationId(op),
                at: Stamp::ZERO,
                deadline_ms: None,
                key: None,
                process: ProcessId::FIRST,
            });
            story = story.call_of(op, 0, at);
            story = story.reported_of(op, at + 5, Claim::Ok, StopReason::Ok);
        }
        story
    }

    fn long_lived(story: Story) -> Story {
        story.and(Fact::ClientReady {
            at: Stamp::ZERO,
            name: "queues".to_owned(),
            version: None,
        })
    }

    #[test]
    fn a_client_with_a_queue_of_its_own_passes_and_the_verdict_says_why() {
        let judged = long_lived(story([10, 10, 20, 20], false)).judge();
        assert_eq!(judged.verdict, Verdict::Pass);
        let because = judged.because.expect("a reason");
        assert!(
            because.starts_with("the client held operations back"),
            "{because}"
        );
    }

    #[test]
    fn who_was_spared_by_chance_or_by_the_harness_proves_nothing() {
        let verdict = |story: Story| story.judge().verdict;
        // One call went before the others' ends: three would have been too many, had they been slower.
        assert_eq!(
            verdict(long_lived(story([10, 10, 10, 20], false))),
            Verdict::Inconclusive
        );
        // A command for each operation cannot hold any back.
        assert_eq!(verdict(story([10, 10, 20, 20], false)), Verdict::Inconclusive);
    }

    #[test]
    fn where_something_else_fails_the_queue_excuses_nobody() {
        let judged = long_lived(story([10, 10, 20, 20], true)).judge();
        assert!(!judged.because.is_some_and(|b| b.contains("held operations back")));
    }
}
