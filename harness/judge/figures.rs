//! What retries did over all operations: the figures by which retrying is watched in operation.
//!
//! They are observations from evidence alone; no promise bears on them. Where connections are refused or left
//! unanswered an attempt leaves no trace, so there every figure of calls is a lower bound.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Case, Course, Reading, TrialCounts};
use crate::evidence::Call;
use crate::promise::FailureKind;
use crate::term::{Claim, StopReason};

/// The figures of one trial, or of several added up.
///
/// First-attempt success that falls under a stable total is degradation hidden by retries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Operations asked of the client.
    pub operations: u64,
    /// Operations that succeeded with one call.
    pub succeeded_at_first: u64,
    /// Operations that succeeded with more calls than one.
    pub succeeded_after_retry: u64,
    /// How many operations made so many calls.
    pub attempts: BTreeMap<u64, u64>,
    /// Calls of operations.
    pub calls: u64,
    /// Calls after the first of their operation: the whole retry traffic.
    pub retries: u64,
    /// Retries by what the call before them came to: a status, or a word for an exchange that failed.
    pub retries_after: BTreeMap<String, u64>,
    /// Time from the end of the first call to the end of the operation, over all operations with retries, in ms.
    pub added_latency_ms: u64,
    /// The most that one operation waited so, in ms.
    pub worst_added_latency_ms: u64,
    /// Operations that ended because the next attempt did not fit before their deadline: each is an attempt that the
    /// deadline prevented.
    pub prevented_by_deadline: u64,
    /// Calls refused because of their key: in flight, or seen with other content.
    pub key_conflicts: u64,
    /// The greatest age that an operation without an end had reached, in ms.
    pub oldest_pending_ms: u64,
}

impl Figures {
    /// The figures of a case.
    pub fn of(case: &Case, counts: &TrialCounts) -> Self {
        let mut figures = Figures {
            key_conflicts: counts.dependencies.values().map(|d| d.key_conflicts).sum(),
            ..Figures::default()
        };
        // A service's calls are no attempts of its operation: what its layers repeat is told segment by segment.
        for course in case.courses().iter().filter(|_| !case.is_layered()) {
            figures.count(case, course);
        }
        figures
    }

    /// Adds the figures of another trial.
    pub fn add(&mut self, other: &Figures) {
        self.operations += other.operations;
        self.succeeded_at_first += other.succeeded_at_first;
        self.succeeded_after_retry += other.succeeded_after_retry;
        add_each(&mut self.attempts, &other.attempts);
        self.calls += other.calls;
        self.retries += other.retries;
        add_each(&mut self.retries_after, &other.retries_after);
        self.added_latency_ms += other.added_latency_ms;
        self.worst_added_latency_ms = self.worst_added_latency_ms.max(other.worst_added_latency_ms);
        self.prevented_by_deadline += other.prevented_by_deadline;
        self.key_conflicts += other.key_conflicts;
        self.oldest_pending_ms = self.oldest_pending_ms.max(other.oldest_pending_ms);
    }

    /// Calls for each thousand operations.
    pub fn multiplier_per_mille(&self) -> u64 {
        (self.calls * 1000).checked_div(self.operations).unwrap_or(0)
    }

    fn count(&mut self, case: &Case, course: &Course) {
        let calls = course.attempts.len() as u64;
        self.operations += 1;
        self.calls += calls;
        self.retries += calls.saturating_sub(1);
        *self.attempts.entry(calls).or_default() += 1;
        if succeeded(case, course) {
            match calls {
                1 => self.succeeded_at_first += 1,
                _ => self.succeeded_after_retry += 1,
            }
        }
        for pair in course.attempts.windows(2) {
            *self
                .retries_after
                .entry(class(case, pair[0], pair[1]))
                .or_default() += 1;
        }
        let stop = course.outcome().map(|(_, outcome)| outcome.stop);
        self.prevented_by_deadline += u64::from(stop == Some(StopReason::Deadline));
        let added = whole_ms(added_latency(course));
        self.added_latency_ms += added;
        self.worst_added_latency_ms = self.worst_added_latency_ms.max(added);
        self.oldest_pending_ms = self.oldest_pending_ms.max(whole_ms(age(case, course)));
    }
}

fn add_each<K: Ord + Clone>(to: &mut BTreeMap<K, u64>, from: &BTreeMap<K, u64>) {
    for (key, n) in from {
        *to.entry(key.clone()).or_default() += n;
    }
}

/// Whether the caller got what it wanted: the client claims so, or, where it only claims an answer or says nothing, a
/// success was acknowledged. What was never called did not succeed.
fn succeeded(case: &Case, course: &Course) -> bool {
    let acknowledged = || course.attempts.iter().any(|call| case.acknowledged(call));
    let called = !course.attempts.is_empty();
    called
        && match course.claim() {
            Some(Claim::Ok) => true,
            Some(Claim::Failed) => false,
            Some(Claim::Answered | Claim::Unknown) | None => acknowledged(),
        }
}

/// What the call before a retry came to.
fn class(case: &Case, before: &Call, retry: &Call) -> String {
    let ended = before.peer_left.or(before.answer_ended);
    if ended.is_none_or(|ended| ended > retry.at())
        && before.answer_began.is_none_or(|began| began > retry.at())
    {
        // The client did not wait for its end: a hedge, or a timer whose close was not seen yet.
        return "no answer yet".to_owned();
    }
    if was_left_unanswered(before) {
        return word(FailureKind::Timeout).to_owned();
    }
    match case.readings(before).first() {
        Some(Reading::Success) => "success".to_owned(),
        Some(Reading::Status(status)) => status.to_string(),
        Some(Reading::Broken(kind)) => word(*kind).to_owned(),
        None => "unknown".to_owned(),
    }
}

/// Whether the client was gone before the answer began, which was then written to nobody.
fn was_left_unanswered(call: &Call) -> bool {
    let left = call.peer_left.zip(call.answer_began);
    call.cut.is_none() && left.is_some_and(|(left, began)| left < began)
}

const fn word(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Refused => "refused",
        FailureKind::Closed => "closed",
        FailureKind::Reset => "reset",
        FailureKind::Timeout => "timeout",
        FailureKind::Truncated => "truncated",
        FailureKind::Malformed => "malformed",
    }
}

/// What retries added to the time that the caller waited; zero without a retry.
fn added_latency(course: &Course) -> Duration {
    let [first, second, ..] = course.attempts.as_slice() else {
        return Duration::ZERO;
    };
    let ended = [first.peer_left, first.answer_ended].into_iter().flatten().min();
    // A call that was left behind was over for the client when it made the next, at the latest.
    let first_over = ended.map_or(second.at(), |ended| ended.min(second.at()));
    course
        .over()
        .map_or(Duration::ZERO, |over| over.since(first_over))
}

/// How long an operation was pending: until its end, or as long as was watched.
fn age(case: &Case, course: &Course) -> Duration {
    let since = course.record.asked.unwrap_or_default();
    let until = course.over().or(case.evidence.watch_ended);
    until.map_or(Duration::ZERO, |until| until.since(since))
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::evidence_builder::{Story, Written, answered};
    use super::*;
    use crate::evidence::Fact;
    use crate::scenario::{Cut, Keys};
    use crate::term::{CallId, CutBy, Effect, KeyState, Place, Stamp};

    fn figures(story: &Story) -> Figures {
        let evidence = story.evidence();
        let case = story.case(&evidence);
        Figures::of(&case, &TrialCounts::of(&case))
    }

    fn failing() -> Story {
        Story::of(vec![answered(503), answered(200).applied()])
    }

    #[test]
    fn an_operation_that_needs_no_retry_succeeds_at_first() {
        let seen = figures(&failing().call(1, 10).ok(20));
        let expected = Figures {
            operations: 1,
            succeeded_at_first: 1,
            attempts: [(1, 1)].into(),
            calls: 1,
            oldest_pending_ms: 20,
            ..Figures::default()
        };
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_retry_is_counted_with_its_cause_and_what_it_added() {
        // The first answer ends at 11 ms, a millisecond after its arrival.
        let seen = figures(&failing().call(0, 10).call(1, 110).ok(120));
        let expected = Figures {
            operations: 1,
            succeeded_after_retry: 1,
            attempts: [(2, 1)].into(),
            calls: 2,
            retries: 1,
            retries_after: [("503".to_owned(), 1)].into(),
            added_latency_ms: 109,
            worst_added_latency_ms: 109,
            oldest_pending_ms: 120,
            ..Figures::default()
        };
        assert_eq!(seen, expected);
        assert_eq!(seen.multiplier_per_mille(), 2000);
    }

    #[test]
    fn an_attempt_that_the_deadline_prevented_is_counted_and_is_no_success() {
        let seen = figures(
            &failing()
                .call(0, 10)
                .reported(11, Claim::Failed, StopReason::Deadline),
        );
        assert_eq!((seen.prevented_by_deadline, seen.retries), (1, 0));
        assert_eq!(seen.succeeded_at_first + seen.succeeded_after_retry, 0);
    }

    #[test]
    fn a_client_that_says_nothing_succeeds_where_a_success_was_acknowledged() {
        let seen = figures(&failing().call(0, 10).call(1, 30).gave_no_result(1, 90));
        assert_eq!((seen.succeeded_after_retry, seen.oldest_pending_ms), (1, 90));
        let seen = figures(&failing().call(0, 10).gave_no_result(1, 90));
        assert_eq!(seen.succeeded_at_first + seen.succeeded_after_retry, 0);
    }

    #[test]
    fn a_claim_without_a_call_is_no_success() {
        let seen = figures(&failing().ok(5));
        assert_eq!(seen.succeeded_at_first + seen.succeeded_after_retry, 0);
        assert_eq!(seen.attempts, [(0, 1)].into());
    }

    #[test]
    fn retries_are_told_apart_by_what_went_before_them() {
        let turns = vec![
            answered(503),
            answered(429),
            answered(200).applied(),
            cut_before_answer(),
        ];
        let story = Story::of(turns).operation("GET", "/", "quota");
        // One is failed by two statuses and by a reset, the other by a status and by its own timer.
        let story = story
            .call_of(1, 0, 10)
            .call_of(1, 1, 30)
            .call_of(1, 3, 50)
            .call_of(1, 2, 70);
        let story = story.call_of(2, 0, 10).call_of(2, 2, 30);
        let story = left_before_its_answer(story).call_of(2, 2, 300);
        let story = story.reported_of(1, 80, Claim::Ok, StopReason::Ok);
        let seen = figures(&story.reported_of(2, 310, Claim::Ok, StopReason::Ok));
        let after = [("429", 1), ("503", 2), ("reset", 1), ("timeout", 1)];
        let after: BTreeMap<String, u64> = after.map(|(class, n)| (class.to_owned(), n)).into();
        assert_eq!(seen.retries_after, after);
        assert_eq!((seen.retries, seen.calls), (5, 7));
        assert_eq!(seen.attempts, [(3, 1), (4, 1)].into());
        assert_eq!((seen.succeeded_at_first, seen.succeeded_after_retry), (0, 2));
    }

    fn cut_before_answer() -> crate::scenario::Turn {
        let mut turn = answered(200);
        turn.answer = None;
        turn.cut = Some(Cut {
            at: Place::BeforeAnswer,
            by: CutBy::Rst,
        });
        turn
    }

    /// The client of the last call leaves, and the answer is written for nobody 200 ms later.
    fn left_before_its_answer(mut story: Story) -> Story {
        for fact in story.facts.iter_mut().rev().take(3) {
            if let Fact::AnswerBegan { at, .. } | Fact::AnswerEnded { at, .. } = fact {
                *at = at.plus(Duration::from_millis(200));
            }
        }
        story.left(90)
    }

    #[test]
    fn refusals_of_keys_are_counted_trial_by_trial_whatever_their_kind() {
        let conflict = |status, key: KeyState| {
            let mut story = Story::of(vec![answered(status), answered(200).applied()]);
            story.trial.dependencies[0].keys = Some(Keys {
                header: "idempotency-key".to_owned(),
                keep: Duration::from_secs(3600),
            });
            let story = story.by("POST").keyed().call(0, 10);
            let decided = Fact::Decided {
                call: CallId(1),
                at: Stamp::from_ms(10),
                turn: 0,
                effect: Effect::None,
                key,
                replays: None,
            };
            figures(&story.and(decided).call(1, 50).ok(60)).key_conflicts
        };
        assert_eq!(conflict(409, KeyState::InFlight), 1);
        assert_eq!(conflict(422, KeyState::OtherContent), 1);
        // These are no conflicts: the same statuses for another reason, and a key that was not there.
        assert_eq!(conflict(409, KeyState::New), 0);
        assert_eq!(conflict(400, KeyState::Missing), 0);
        assert_eq!(conflict(503, KeyState::InFlight), 0);
        let mut sum = Figures::default();
        for n in [2, 3] {
            sum.add(&Figures {
                key_conflicts: n,
                ..Figures::default()
            });
        }
        assert_eq!(sum.key_conflicts, 5);
    }

    #[test]
    fn figures_of_trials_add_up_and_the_worst_stays() {
        let mut sum = figures(&failing().call(0, 10).call(1, 110).ok(120));
        sum.add(&figures(&failing().call(0, 10).call(0, 40).call(1, 60).ok(70)));
        assert_eq!((sum.operations, sum.calls, sum.retries), (2, 5, 3));
        assert_eq!(sum.attempts, [(2, 1), (3, 1)].into());
        assert_eq!(sum.retries_after, [("503".to_owned(), 3)].into());
        assert_eq!((sum.added_latency_ms, sum.worst_added_latency_ms), (168, 109));
        assert_eq!(sum.oldest_pending_ms, 120);
    }
}
