//! Stretches of time: for each kind of budget what is just allowed and what is one too many, and correct clients of every habit.

use std::time::Duration;

use super::ID;
use crate::evidence::Fact;
use crate::judge::Grade;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::promise::{BucketBudget, Budget, Payer, QuotaBudget, ThrottleBudget, WindowBudget};
use crate::scenario::Turn;
use crate::term::{Claim, CutBy, OperationId, Place, ProcessId, Stamp, StopReason};

const FINE: usize = 0;
const DOWN: usize = 1;
const SLOW: usize = 2;
const SILENT: usize = 3;
const THROTTLED: usize = 4;

fn turns() -> Vec<Turn> {
    let silent = answered(200).cut(Place::BeforeAnswer, CutBy::Hang);
    vec![
        answered(200),
        answered(503),
        answered(503).taking_ms(900),
        silent,
        answered(429),
    ]
}

/// A story in which operations are told one after another.
struct Told(Story, u32);

impl Told {
    fn of(budget: Budget) -> Told {
        Told(Story::of(turns()).promising(|p| p.budget = Some(budget)), 0)
    }

    /// An operation with these calls, each at its time, reported 2 ms after the last.
    fn operation(self, calls: &[(usize, u64)]) -> Told {
        let (first, last) = (calls[0].1, calls[calls.len() - 1]);
        let claim = if last.0 == FINE { Claim::Ok } else { Claim::Failed };
        let Told(story, n) = self.begun(first);
        let story = calls.iter().fold(story, |s, (turn, at)| s.call_of(n, *turn, *at));
        Told(story.reported_of(n, last.1 + 2, claim, StopReason::Unreported), n)
    }

    fn begun(self, at: u64) -> Told {
        let n = self.1 + 1;
        let story = if n > 1 {
            self.0.operation("GET", "/", "quota")
        } else {
            self.0
        };
        let asked = Fact::Asked {
            op: OperationId(n),
            at: Stamp::from_ms(at),
            deadline_ms: None,
            key: None,
            process: ProcessId::FIRST,
        };
        Told(story.and(asked), n)
    }

    /// So many operations from `at` on, one every 10 ms, that succeed at once.
    fn fine(self, n: u64, at: u64) -> Told {
        (0..n).fold(self, |told, n| told.operation(&[(FINE, at + n * 10)]))
    }

    /// So many operations from `at` on, side by side, each with one retry 20 ms after it began.
    fn retried(self, n: u64, at: u64) -> Told {
        (0..n).fold(self, |told, n| {
            told.operation(&[(DOWN, at + n), (DOWN, at + n + 20)])
        })
    }

    fn says(&self) -> (Grade, String) {
        self.0.worst(ID)
    }

    fn passes(&self) -> bool {
        self.says().0 < Grade::Fail
    }
}

fn bucket(initial: u32, cap: u32, earn_per_mille: u32, earned_by: Payer, refill_ms: Option<u64>) -> Budget {
    Budget::Bucket(BucketBudget {
        initial,
        cap,
        earn_per_mille,
        earned_by,
        refill_every: refill_ms.map(Duration::from_millis),
    })
}

fn window(ms: u64, ratio_per_mille: u32, at_least: u32, paid_by: Payer) -> Budget {
    Budget::Window(WindowBudget {
        window: Duration::from_millis(ms),
        ratio_per_mille,
        at_least,
        paid_by,
    })
}

#[test]
fn a_bucket_keeps_no_more_than_its_cap() {
    // Twenty successes earn ten credits, of which three are kept.
    let told = || Told::of(bucket(0, 3, 500, Payer::Successes, None)).fine(20, 0);
    assert!(told().retried(3, 5_000).passes());
    let (grade, because) = told().retried(4, 5_000).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "4 retries were made within 22 ms; the budget allows 3 there: it keeps 3, and 0 may have come in"
    );
}

#[test]
fn a_success_may_be_counted_until_a_quarter_of_a_second_after_its_report() {
    let told = |at| {
        Told::of(bucket(0, 3, 500, Payer::Successes, None))
            .fine(20, 0)
            .retried(4, at)
    };
    // The last of them are reported at 182 and 192 ms.
    assert!(told(430).passes());
    assert!(!told(444).passes());
}

#[test]
fn what_operations_earn_before_their_first_call_counts_where_they_may_have_come() {
    let told = || Told::of(bucket(2, 2, 500, Payer::Originals, None)).fine(20, 0);
    // Four that run side by side earn two more, as far as they begin after the first of them has failed.
    assert!(told().retried(3, 5_000).passes());
    assert!(
        !told()
            .operation(&[(DOWN, 5_000), (DOWN, 5_010), (DOWN, 5_020), (DOWN, 5_030)])
            .passes()
    );
}

#[test]
fn what_is_refilled_counts_and_one_step_of_its_timer() {
    let refilled = |retries: u64, every| {
        let calls: Vec<(usize, u64)> = (0..=retries).map(|n| (DOWN, 60_000 + n * every)).collect();
        Told::of(bucket(2, 2, 0, Payer::Originals, Some(1_000))).operation(&calls)
    };
    // Two that are kept, four seconds, and a step at the very beginning.
    assert!(refilled(7, 600).passes());
    assert!(!refilled(8, 500).passes());
}

#[test]
fn a_bucket_begins_with_its_first_credit_and_not_with_what_comes_later() {
    let told = |retries| {
        Told::of(bucket(1, 5, 500, Payer::Successes, None))
            .retried(retries, 100)
            .fine(20, 5_000)
    };
    assert!(told(1).passes());
    let (grade, because) = told(2).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "2 retries were made until 121 ms; the budget allows 1 there: it begins with 1, and 0 may have come in"
    );
}

#[test]
fn a_floor_is_there_once_in_half_a_window() {
    let told = |later| {
        Told::of(window(2_000, 0, 3, Payer::Originals))
            .fine(1, 0)
            .retried(3, 1_000)
            .retried(3, later)
    };
    let (grade, because) = told(1_900).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "6 retries were made within 921 ms; the budget allows 3 there: its floor in 2 s is 3, and 0 may have come in"
    );
    // Tower may have forgotten the first of them after half of it, and all are forgotten after the whole.
    assert!(told(2_050).passes());
    assert!(told(3_050).passes());
}

#[test]
fn a_window_that_is_a_quarter_as_long_or_begins_anew_at_a_border_is_found() {
    let told = |earlier, later| {
        Told::of(window(2_000, 0, 2, Payer::Originals))
            .fine(1, 0)
            .retried(2, earlier)
            .retried(2, later)
    };
    assert!(!told(1_000, 1_600).passes());
    assert!(!told(1_900, 2_010).passes());
    assert!(told(0, 2_010).passes());
}

#[test]
fn what_paid_in_the_window_and_a_tenth_before_counts() {
    let told = |retries, at| {
        Told::of(window(1_000, 200, 0, Payer::Successes))
            .fine(10, 0)
            .retried(retries, at)
    };
    assert!(told(2, 500).passes());
    // The last success is over at 92 ms, is counted until 342 ms, and is remembered until 1442 ms.
    assert!(told(1, 1_300).passes());
    let late = || told(2, 1_600);
    assert!(!late().passes(), "{}", late().says().1);
    assert!(!told(3, 500).passes());
}

#[test]
fn a_ratio_above_one_is_rounded_for_the_client() {
    let told = |retries| {
        Told::of(window(10_000, 1_500, 0, Payer::Originals))
            .fine(4, 0)
            .fine(2, 40_000)
            .retried(retries, 41_000)
    };
    // Two and up to eight that begin themselves allow a retry and a half each.
    assert!(told(6).passes());
    let one = |retries: u64| {
        let calls: Vec<(usize, u64)> = (0..=retries).map(|n| (DOWN, 41_000 + n * 10)).collect();
        Told::of(window(10_000, 1_500, 0, Payer::Originals))
            .fine(4, 0)
            .fine(2, 40_000)
            .operation(&calls)
    };
    assert!(one(4).passes());
    assert!(!one(5).passes());
}

#[test]
fn a_throttle_is_never_more_than_full() {
    let told = |retries| {
        let throttle = ThrottleBudget {
            max_tokens: 6,
            token_ratio_per_mille: 1_000,
        };
        Told::of(Budget::Throttle(throttle))
            .fine(20, 0)
            .retried(retries, 5_000)
    };
    assert!(told(2).passes());
    let (grade, because) = told(3).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "3 retries were made within 21 ms; the budget allows 2 there: half of its 6 tokens are kept, and 0 may have come back"
    );
}

/// gRPC counts for each server.
#[test]
fn a_throttle_is_one_dependencys() {
    let throttle = ThrottleBudget {
        max_tokens: 6,
        token_ratio_per_mille: 0,
    };
    let mut told = Told::of(Budget::Throttle(throttle)).retried(4, 1_000);
    assert!(!told.passes());
    let mut other = told.0.trial.dependencies[0].clone();
    other.name = "inbox".into();
    told.0.trial.dependencies.push(other);
    let Told(story, n) = told;
    let story = story.operation("GET", "/", "inbox").call_of(n + 1, FINE, 2_000);
    assert!(Told(story, n + 1).passes());
}

#[test]
fn a_quota_is_never_more_than_full_and_each_retry_takes_its_price() {
    let told = |turn, retries: u64| {
        let quota = QuotaBudget {
            tokens: 15,
            retry: 5,
            timeout: None,
            throttled: Some(3),
            throttled_on: vec![429],
            success: 1,
        };
        let calls: Vec<(usize, u64)> = (0..=retries).map(|n| (turn, 5_000 + n * 30)).collect();
        Told::of(Budget::Quota(quota)).fine(20, 0).operation(&calls)
    };
    assert!(told(DOWN, 3).passes());
    assert!(told(THROTTLED, 5).passes());
    assert!(!told(THROTTLED, 6).passes());
    let (grade, because) = told(DOWN, 4).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "4 retries were made within 119 ms; the budget allows 3 there: it keeps 15 tokens, 0 may have come back, and the \
         retries take 20"
    );
}

#[test]
fn a_retry_counts_from_the_failure_that_it_repeats_and_not_from_its_arrival() {
    // Decided before its backoff, and paid for with what the first window allowed.
    let told = |turn| {
        let told = Told::of(window(1_000, 0, 1, Payer::Originals));
        told.operation(&[(turn, 0), (DOWN, 1_500)])
            .operation(&[(DOWN, 1_490), (DOWN, 1_520)])
    };
    assert!(told(DOWN).passes());
    assert!(told(SLOW).passes());
}

#[test]
fn an_attempt_that_was_not_answered_at_once_may_have_been_given_up_before() {
    let told = |turn: usize, first: u64| {
        let told = Told::of(window(1_000, 0, 1, Payer::Originals)).fine(1, 0);
        let told = told.operation(&[(turn, first), (DOWN, 10_950)]);
        told.operation(&[(DOWN, 11_250), (DOWN, 11_290)])
    };
    // The slow answer began at 10901 ms; a timer may have been quicker, and its retry been forgotten.
    assert!(told(SLOW, 10_000).passes());
    assert!(!told(DOWN, 10_900).passes());
}

#[test]
fn attempts_that_overlap_and_hedges_are_decided_no_one_knows_when() {
    let told = |hedges: bool| {
        let mut told = Told::of(window(1_000, 0, 1, Payer::Originals));
        told = told.begun(0);
        let Told(story, n) = told;
        let story = story
            .call_of(n, SILENT, 0)
            .call_of(n, SILENT, 2_000)
            .call_of(n, DOWN, 2_400);
        let story = story.reported_of(n, 2_500, Claim::Failed, StopReason::Unreported);
        Told(story.promising(|p| p.hedges = hedges), n)
    };
    assert!(told(true).passes());
    assert!(told(false).passes());
}

#[test]
fn processes_that_cannot_be_told_apart_have_a_cap_each() {
    use crate::evidence::ClientEnd;
    let told = |processes: u64| {
        let Told(story, n) = Told::of(bucket(2, 2, 500, Payer::Successes, None))
            .fine(20, 0)
            .retried(4, 5_000);
        let ended = |at| Fact::ClientEnded {
            at: Stamp::from_ms(at),
            how: ClientEnd::Exited(22),
        };
        Told(
            (0..processes).fold(story, |story, at| story.and(ended(6_000 + at))),
            n,
        )
    };
    assert!(!told(1).passes());
    assert!(told(2).passes());
}

#[test]
fn a_late_harness_accuses_nobody_of_a_stretch() {
    let Told(story, _) = Told::of(bucket(0, 3, 500, Payer::Successes, None))
        .fine(20, 0)
        .retried(4, 5_000);
    assert!(story.late_by_ms(60).check(ID).withheld);
}

#[test]
fn of_two_budgets_one_is_to_be_kept() {
    let Told(mut story, _) = Told::of(bucket(0, 3, 500, Payer::Successes, None))
        .fine(20, 0)
        .retried(4, 5_000);
    let handed = |cap| crate::promise::Given {
        budget: Some(bucket(0, cap, 500, Payer::Successes, None)),
        ..crate::promise::Given::default()
    };
    story.trial.given = Some(handed(4));
    assert_eq!(story.worst(ID).0, Grade::Pass);
    story.trial.given = Some(handed(2));
    assert_eq!(story.worst(ID).0, Grade::Fail);
}

#[test]
fn what_is_called_off_while_it_waits_may_give_back_what_it_paid() {
    // The first pays and is called off at 5500 ms, between the two retries of the second.
    let told = |cancelled: bool| {
        let Told(story, n) = Told::of(bucket(1, 1, 1_000, Payer::Successes, None))
            .fine(20, 0)
            .begun(5_000);
        let story = story.call_of(n, DOWN, 5_000);
        let story = if cancelled {
            story.cancelled(n, 5_500)
        } else {
            story
        };
        let story = story.reported_of(n, 5_501, Claim::Failed, StopReason::Unreported);
        Told(story, n).operation(&[(DOWN, 5_300), (DOWN, 5_400), (DOWN, 5_600)])
    };
    assert!(told(true).passes());
    assert!(!told(false).passes());
}

#[test]
fn what_its_deadline_ends_may_give_back_what_it_paid_and_what_ends_early_does_not() {
    let told = |over: u64| {
        let told = Told::of(bucket(1, 1, 1_000, Payer::Successes, None)).fine(20, 0);
        let Told(story, n) = told.begun(5_000);
        let story = story.call_of(n, DOWN, 5_000).and(Fact::Asked {
            op: OperationId(n),
            at: Stamp::from_ms(5_000),
            deadline_ms: Some(1_000),
            key: None,
            process: ProcessId::FIRST,
        });
        let story = story.reported_of(n, over, Claim::Failed, StopReason::Unreported);
        Told(story, n).operation(&[(DOWN, 5_300), (DOWN, 5_400), (DOWN, 5_600)])
    };
    assert!(told(5_500).passes());
    assert!(!told(5_499).passes());
}
