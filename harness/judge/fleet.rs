//! What the clients of a fleet did together, against what one process may.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Case, Course, checks};
use crate::term::ProcessId;

/// What a fleet did, or one client that was started anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetCounts {
    /// Clients side by side.
    pub clients: u64,
    /// Processes that were asked anything, those that took the place of another among them.
    pub processes: u64,
    /// Operations asked of them.
    pub operations: u64,
    /// Calls that arrived for these.
    pub calls: u64,
    /// Calls that one process may make for as many operations, if it keeps its budget; `None` where none is promised.
    pub one_process_may: Option<u64>,
}

impl FleetCounts {
    /// What the fleet of a trial did; `None` where its client is one process from beginning to end.
    pub fn of(case: &Case, courses: &[Course]) -> Option<Self> {
        let restarted = !case.evidence.restarts.is_empty();
        if courses.is_empty() || (case.trial.clients() < 2 && !restarted) {
            return None;
        }
        let process = |course: &Course| course.record.process;
        let processes: BTreeSet<ProcessId> = courses.iter().map(process).collect();
        let (operations, calls) = (
            courses.len() as u64,
            courses.iter().map(|c| c.attempts.len() as u64).sum(),
        );
        Some(FleetCounts {
            clients: u64::from(case.trial.clients()),
            processes: processes.len() as u64,
            operations,
            calls,
            one_process_may: checks::one_process_may(case, courses),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::evidence::Fact;
    use crate::judge::evidence_builder::{Story, answered};
    use crate::judge::{Grade, judge};
    use crate::promise::{BucketBudget, Budget, Payer};
    use crate::term::{Claim, OperationId, Stamp, StopReason};

    /// Two operations with so many calls; the second falls to the process that took the first one's place.
    fn restarted(calls: [u64; 2]) -> Story {
        let story = Story::of(vec![answered(503)]).operation("GET", "/", "quota");
        let story = (1..).zip(calls).fold(story, |story, (op, calls)| {
            let at = u64::from(op) * 10_000;
            let asked = Fact::Asked {
                op: OperationId(op),
                at: Stamp::from_ms(at),
                deadline_ms: None,
                key: None,
                process: ProcessId(op),
            };
            let story = (0..calls).fold(story.and(asked), |s, n| s.call_of(op, 0, at + n * 10));
            story.reported_of(op, at + 900, Claim::Failed, StopReason::Unreported)
        });
        let restart = Fact::ClientRestarted {
            at: Stamp::from_ms(19_000),
            process: ProcessId(1),
            successor: ProcessId(2),
        };
        story
            .and(restart)
            .promising(|p| p.budget = Some(Budget::bucket(2, 4, 100)))
    }

    #[test]
    fn a_process_that_took_anothers_place_begins_with_a_full_budget_and_the_fleet_shows_it() {
        let story = restarted([3, 3]);
        assert_eq!(story.check("budget.kept").findings[0].grade, Grade::Pass);
        let evidence = story.evidence();
        let fleet = judge(&story.case(&evidence)).counts.fleet;
        assert_eq!(
            fleet,
            Some(FleetCounts {
                clients: 1,
                processes: 2,
                operations: 2,
                calls: 6,
                one_process_may: Some(4),
            })
        );
    }

    #[test]
    fn a_process_that_took_anothers_place_has_no_more_than_its_budget() {
        let (grade, because) = restarted([3, 4]).worst("budget.kept");
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "3 retries were made for 1 operation of process 2; the budget allows 2"
        );
    }

    #[test]
    fn what_is_refilled_in_time_counts_from_the_start_of_the_process() {
        let refilled = |calls| {
            restarted([1, calls]).promising(|p| {
                p.budget = Some(Budget::Bucket(BucketBudget {
                    initial: 0,
                    cap: 4,
                    earn_per_mille: 0,
                    earned_by: Payer::Originals,
                    refill_every: Some(Duration::from_secs(1)),
                }));
            })
        };
        // The second is asked twenty seconds into the trial, and one after its start.
        assert_eq!(refilled(2).worst("budget.kept").0, Grade::Pass);
        let (grade, because) = refilled(3).worst("budget.kept");
        assert_eq!(grade, Grade::Fail);
        assert!(because.contains("of process 2"), "{because}");
    }

    #[test]
    fn one_client_that_is_never_started_anew_is_no_fleet() {
        let alone = Story::of(vec![answered(503)]).call(0, 10).failed(20);
        let evidence = alone.evidence();
        assert_eq!(judge(&alone.case(&evidence)).counts.fleet, None);
    }
}
