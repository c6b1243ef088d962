//! Whatever a server does, the client's conduct is right: told from the script and the calls alone.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Builder;

use crate::reference::lines::{Claim, Order, Report};
use crate::reference::mutants::Mutant;
use crate::reference::policy::Policy;
use crate::stage::{NEW_YEAR, Stage, Step, answer, get, play, post, raw};

/// What a server does to one call.
#[derive(Debug, Clone)]
struct Turn {
    after_ms: u64,
    does: Does,
}

#[derive(Debug, Clone)]
enum Does {
    Answers(u16, Asks),
    Closes,
    Truncates,
}

/// What an answer says under Retry-After.
#[derive(Debug, Clone)]
enum Asks {
    Nothing,
    Seconds(u64),
    /// Until so many seconds after the stage was set.
    Date(u64),
    Junk(&'static str),
}

impl Turn {
    fn step(&self) -> Step {
        match &self.does {
            Does::Answers(status, asks) => answer(self.after_ms, *status, &asks.header()),
            Does::Closes => raw(""),
            Does::Truncates => raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel"),
        }
    }

    /// The answer, unless the client's own timer is faster.
    fn heard(&self) -> Option<(u16, &Asks)> {
        match &self.does {
            Does::Answers(status, asks) if self.after_ms < 10_000 => Some((*status, asks)),
            Does::Answers(..) | Does::Closes | Does::Truncates => None,
        }
    }

    fn is_success(&self) -> bool {
        matches!(self.heard(), Some((200..=399, _)))
    }

    fn surely_not_applied(&self) -> bool {
        matches!(self.heard(), Some((425, _)))
    }

    /// The moment before which no call may follow one that came at `at`.
    fn not_before(&self, at: u64) -> u64 {
        match self.heard() {
            Some((_, Asks::Seconds(seconds))) => at + self.after_ms + seconds * 1000,
            Some((_, Asks::Date(seconds))) => seconds * 1000,
            Some((_, Asks::Nothing | Asks::Junk(_))) | None => at,
        }
    }
}

impl Asks {
    fn header(&self) -> String {
        let value = match self {
            Asks::Nothing => return String::new(),
            Asks::Seconds(seconds) => seconds.to_string(),
            Asks::Date(seconds) => {
                let moment = std::time::UNIX_EPOCH + std::time::Duration::from_secs(NEW_YEAR + seconds);
                httpdate::fmt_http_date(moment)
            }
            Asks::Junk(junk) => (*junk).to_owned(),
        };
        format!("retry-after: {value}\r\n")
    }
}

fn asks() -> impl Strategy<Value = Asks> {
    prop_oneof![
        3 => Just(Asks::Nothing),
        2 => (0..70_u64).prop_map(Asks::Seconds),
        2 => (0..70_u64).prop_map(Asks::Date),
        1 => prop::sample::select(vec!["", "soon", "-1", "2.5", "3, 5"]).prop_map(Asks::Junk),
    ]
}

fn turn() -> impl Strategy<Value = Turn> {
    let statuses = vec![
        200, 204, 302, 400, 404, 408, 425, 429, 500, 501, 502, 503, 504, 503,
    ];
    let answers = (prop::sample::select(statuses), asks());
    let does = prop_oneof![
        6 => answers.prop_map(|(status, asks)| Does::Answers(status, asks)),
        1 => Just(Does::Closes),
        1 => Just(Does::Truncates),
    ];
    let after = prop_oneof![4 => 0..300_u64, 1 => 0..9_000_u64, 1 => 10_500..12_000_u64];
    (after, does).prop_map(|(after_ms, does)| Turn { after_ms, does })
}

fn order() -> impl Strategy<Value = Order> {
    let key = prop::option::of(Just("k-1".to_owned()));
    let deadline = prop::option::of(0..40_000_u64);
    (prop::bool::ANY, key, deadline).prop_map(|(posts, key, deadline_ms)| Order {
        key,
        deadline_ms,
        ..if posts { post() } else { get() }
    })
}

/// Plays one operation: its report, when it ended, and the stage, watched long after.
fn run(policy: Policy, order: &Order, turns: &[Turn]) -> (Report, u64, Stage) {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    let script = turns.iter().map(Turn::step).collect();
    runtime.block_on(async {
        let (report, stage) = play(policy, order.clone(), script).await;
        let ended = stage.now();
        // Whoever calls late shows it now.
        tokio::time::sleep(std::time::Duration::from_secs(120)).await;
        (report, ended, stage)
    })
}

fn is_right(policy: Policy, order: &Order, turns: &[Turn]) -> Result<(), TestCaseError> {
    let (report, ended, stage) = run(policy, order, turns);
    let calls = stage.dispatched();
    prop_assert_eq!(report.attempts, Some(calls.len() as u32));
    prop_assert!(calls.len() <= 4);
    for ((turn, call), next) in turns.iter().zip(&calls).zip(calls.iter().skip(1)) {
        prop_assert!(*next >= turn.not_before(*call), "{:?}: {:?}", turn, calls);
        let repeatable = order.method == "GET" || order.key.is_some();
        prop_assert!(
            repeatable || turn.surely_not_applied(),
            "{:?} is not repeated",
            turn
        );
    }
    if let Some(deadline) = order.deadline_ms {
        prop_assert!(ended <= deadline, "it ended at {}", ended);
    }
    let last = calls.len().checked_sub(1).map(|last| &turns[last]);
    let claims = report.claim == Some(Claim::Ok);
    prop_assert!(!claims || last.is_some_and(Turn::is_success));
    Ok(())
}

/// The first case in which the conduct is wrong, if any.
fn search(mutant: Option<Mutant>) -> Result<(), String> {
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: if mutant.is_some() { 0 } else { 1000 },
        ..Config::default()
    };
    let cases = (order(), prop::collection::vec(turn(), 6));
    let found = TestRunner::new(config).run(&cases, |(order, turns)| {
        is_right(Policy::default().with_mutant(mutant), &order, &turns)
    });
    found.map_err(|case| case.to_string())
}

#[test]
fn the_conduct_is_right_whatever_the_server_does() {
    search(None).unwrap();
}

#[test]
fn the_search_finds_the_mutants_whose_defect_it_can_see() {
    for mutant in [
        Mutant::EarlyRetry,
        Mutant::IgnoresDates,
        Mutant::SleepsLong,
        Mutant::OneMore,
        Mutant::RepeatsUnsafe,
        Mutant::ClaimsTruncated,
        Mutant::ClaimsAnyway,
    ] {
        assert!(search(Some(mutant)).is_err(), "{mutant:?}");
    }
}
