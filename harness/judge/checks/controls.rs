//! How long a client waits of its own accord: the gaps of like calls, found once for all operations.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::evidence::Call;
use crate::judge::{Case, Course};
use crate::term::OperationId;

/// What makes two calls alike: their dependency, which attempt there they are, and, where it matters, their status.
type Like<'a> = (&'a str, usize, Option<u16>);

/// The longest gap of like calls, by operation: the two longest, so that each operation has one of another.
#[derive(Debug, Default)]
pub struct Controls<'a>(BTreeMap<Like<'a>, Vec<(Duration, OperationId)>>);

/// How alike a control must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alike {
    /// Answered with the same status.
    InStatus,
    /// The same attempt at the same dependency.
    InPlace,
}

impl<'a> Controls<'a> {
    /// The gaps that followed the calls for which `plain` holds.
    pub fn of(courses: &[Course<'a>], case: &Case<'a>, alike: Alike, plain: impl Fn(&Call) -> bool) -> Self {
        let mut controls = Controls::default();
        for course in courses {
            let mut attempts: BTreeMap<&str, usize> = BTreeMap::new();
            for call in course.attempts.iter().copied() {
                let ordinal = attempts.entry(&call.head.point).or_default();
                if plain(call)
                    && let Some(gap) = course.gap_after(call)
                {
                    let like = like(case, alike, (call, *ordinal));
                    controls.add(like, (gap, course.id()));
                }
                *ordinal += 1;
            }
        }
        controls
    }

    fn add(&mut self, like: Like<'a>, gap: (Duration, OperationId)) {
        let longest = self.0.entry(like).or_default();
        longest.push(gap);
        longest.sort_unstable_by(|a, b| b.cmp(a));
        longest.truncate(2);
    }

    /// The longest gap that followed a call like this one in another operation.
    pub fn gap(
        &self,
        case: &Case<'a>,
        course: &Course<'a>,
        call: &'a Call,
        alike: Alike,
    ) -> Option<Duration> {
        let ordinal = course.ordinal(call)?;
        let longest = self.0.get(&like(case, alike, (call, ordinal)))?;
        let other = longest.iter().find(|(_, op)| *op != course.id());
        other.map(|(gap, _)| *gap)
    }
}

fn like<'a>(case: &Case, alike: Alike, (call, ordinal): (&'a Call, usize)) -> Like<'a> {
    let status = match alike {
        Alike::InStatus => case.status_of(call),
        Alike::InPlace => None,
    };
    (&call.head.point, ordinal, status)
}
