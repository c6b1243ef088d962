//! Clients that hold operations back, so that a dependency which can be overloaded never is.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Case, Course};
use crate::evidence::Call;
use crate::scenario::{Accept, Dependency, Start};
use crate::term::{OperationId, Stamp};

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

/// Whether nothing but load could have failed anybody, and it failed nobody: each operation made one call, and waited for
/// its success however late that came. Such a client adds no load of its own, which is what the trial is to show.
pub fn waited_out(case: &Case, courses: &[Course]) -> bool {
    let succeeded = |call: &Call| {
        let success = call.status.is_some_and(|status| status < 400);
        success && call.complete && call.peer_left.is_none()
    };
    let once = |course: &Course| matches!(course.attempts.as_slice(), [only] if succeeded(only));
    courses.iter().all(|c| case.fails_by_load_alone(c) && once(c))
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
    let meant = meant(courses);
    let most = most_pending(courses, &meant);
    let gone = Gone::of(courses);
    let waited = |c: &&&Course| {
        let bounds = meant.get(&c.id()).zip(c.attempts.first());
        bounds.is_some_and(|(asked, first)| gone.between(*asked, first.at()))
    };
    most > room && courses.iter().filter(waited).count() >= most - room
}

/// When each operation was to begin: with the first of its group, where that is to begin at once, though a client that
/// takes so many operations at a time and no more is handed the others later.
fn meant(courses: &[&Course]) -> BTreeMap<OperationId, Stamp> {
    let mut first: BTreeMap<OperationId, Stamp> = BTreeMap::new();
    let asked = || courses.iter().filter_map(|c| Some((*c, c.record.asked?)));
    for (course, at) in asked() {
        let earliest = first.entry(course.planned.group.first).or_insert(at);
        *earliest = at.min(*earliest);
    }
    let begins = |(course, at): (&Course, Stamp)| {
        let group = course.planned.group;
        let at = match group.start {
            Start::AtOnce | Start::At(_) => first.get(&group.first).copied().unwrap_or(at),
            Start::InSequence | Start::PerSecond(_) => at,
        };
        (course.id(), at)
    };
    asked().map(begins).collect()
}

/// How many operations were pending together at most.
fn most_pending(courses: &[&Course], meant: &BTreeMap<OperationId, Stamp>) -> usize {
    let spans = courses
        .iter()
        .filter_map(|c| Some((*meant.get(&c.id())?, c.over())));
    let mut events: Vec<(Stamp, bool)> = Vec::new();
    for (begins, over) in spans {
        events.push((begins, true));
        events.extend(over.map(|over| (over, false)));
    }
    // What is over at a moment is over before another begins then.
    events.sort_unstable();
    let (mut pending, mut most) = (0_usize, 0);
    for (_, begins) in events {
        pending = if begins {
            pending + 1
        } else {
            pending.saturating_sub(1)
        };
        most = most.max(pending);
    }
    most
}

/// Calls that came and went: by their ends, with the latest arrival among all that ended by then.
struct Gone(Vec<(Stamp, Stamp)>);

impl Gone {
    fn of(courses: &[&Course]) -> Self {
        let calls = courses.iter().flat_map(|c| &c.attempts);
        let ended = calls.filter_map(|call| Some((call.answer_ended?, call.at())));
        let mut gone: Vec<(Stamp, Stamp)> = ended.collect();
        gone.sort_unstable();
        let mut latest = Stamp::ZERO;
        for (_, at) in &mut gone {
            latest = latest.max(*at);
            *at = latest;
        }
        Gone(gone)
    }

    /// Whether a call came after the one moment and was gone by the other, which is that of an operation's first call: so
    /// it is another operation's.
    fn between(&self, asked: Stamp, first: Stamp) -> bool {
        let ended = self.0.partition_point(|(ended, _)| *ended <= first);
        let latest = ended.checked_sub(1).and_then(|last| self.0.get(last));
        latest.is_some_and(|(_, at)| *at >= asked)
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::Fact;
    use crate::judge::Verdict;
    use crate::judge::evidence_builder::{Story, answered};
    use crate::scenario::{Accept, Capacity, Start};
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

    /// The same of a client that is handed two at a time, as it asked for: the others when there is room.
    #[test]
    fn a_client_that_takes_few_operations_at_a_time_is_spared_too() {
        let handed = |start: Start| {
            let mut story = story([10, 10, 20, 20], false);
            story.trial.operations[0].count = 4;
            story.trial.operations.truncate(1);
            story.trial.operations[0].start = start;
            for fact in &mut story.facts {
                if let Fact::Asked { op, at, .. } = fact {
                    *at = Stamp::from_ms(if op.0 > 2 { 17 } else { 0 });
                }
            }
            long_lived(story).judge().verdict
        };
        assert_eq!(handed(Start::AtOnce), Verdict::Pass);
        assert_eq!(handed(Start::InSequence), Verdict::Inconclusive);
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
