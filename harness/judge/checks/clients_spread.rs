//! The clients of a fleet draw their waits each by itself, so that they do not come back together.

use std::collections::BTreeMap;
use std::time::Duration;

use super::jitter_draws::{Draw, draws, judge_kinds, promise};
use super::{Check, CheckResult, FAILURES, Levels};
use crate::judge::ruling::Ruling;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Level};

const ID: &str = "clients.spread";
const CITES: &[&str] = &["aws-jitter"];

/// Calls that come within so long of each other come together.
const TICK: Duration = Duration::from_millis(100);

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "The clients of a fleet that promise jitter do not come back in step.",
    requirement: "Clients that are started together and fail together come back together unless each draws its waits by \
        itself: from one seed, each client's waits differ and are those of all the others. Compared are the waits before the same retry of \
        the same operation, the first or second or so on of each client, across the clients of a fleet (`clients: N`); \
        the rule and what is left alone are those of `jitter.present`. The peak is the most of these calls in a tenth of a \
        second.",
    cites: CITES,
    levels: Levels {
        silent: "note (clients that wait alike)",
        promised: "fail (`backoff` with jitter)",
        opted_out: "note",
    },
    bears_on: &FAILURES,
    mutants: &["same-seed"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    let draws = draws(case, &courses);
    let mut kinds: BTreeMap<(usize, usize, u32), Vec<&Draw>> = BTreeMap::new();
    for draw in &draws {
        let kind = (draw.generation, draw.nth, draw.retry);
        kinds.entry(kind).or_default().push(draw);
    }
    let looked_at = kinds.len();
    let told = |draws: &[&Draw], range| {
        format!(
            "{} waited alike before retry {}, to within {}: {} came in a tenth of a second{}",
            count(draws.len() as u64, "client"),
            draws[0].retry,
            time(range),
            count(peak_of(draws), "call"),
            promise(draws, "each promises to draw its waits from"),
        )
    };
    let of_fleets = kinds.into_values().filter(|draws| is_of_a_fleet(draws)).collect();
    let looked = judge_kinds(case, ID, (of_fleets, looked_at), told, &mut ruling);
    ruling.finish(Level::Promised, |_| {
        let peak = looked.iter().map(|draws| peak_of(draws)).max().unwrap_or(0);
        format!(
            "the clients came back apart: {} in a tenth of a second at the most",
            count(peak, "call")
        )
    })
}

fn is_of_a_fleet(draws: &[&Draw]) -> bool {
    let first = draws.first().map(|draw| draw.process);
    draws.iter().any(|draw| Some(draw.process) != first)
}

/// The most calls in one tick, wherever it begins.
fn peak_of(draws: &[&Draw]) -> u64 {
    let within = |from: &&&Draw| {
        let in_tick =
            |draw: &&&Draw| draw.next.at() >= from.next.at() && draw.next.at() < from.next.at().plus(TICK);
        draws.iter().filter(in_tick).count() as u64
    };
    draws.iter().map(|from| within(&from)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Fact;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::{BackoffPromise, Jitter};
    use crate::term::{Claim, OperationId, ProcessId, Stamp, StopReason};

    /// One operation of each client, which is repeated after these waits; drawn from a second.
    fn fleet(waits: &[u64], of_one: bool) -> Story {
        let mut story = Story::of(vec![answered(503).times(1), answered(200)]);
        for (i, wait) in waits.iter().enumerate() {
            let op = i as u32 + 1;
            story = if op > 1 {
                story.operation("GET", "/", "quota")
            } else {
                story
            };
            let process = if of_one { ProcessId::FIRST } else { ProcessId(op) };
            story = story.and(Fact::Asked {
                op: OperationId(op),
                at: Stamp::ZERO,
                deadline_ms: None,
                key: None,
                process,
            });
            story = story.call_of(op, 0, 10).call_of(op, 1, 11 + wait);
            story = story.reported_of(op, wait + 20, Claim::Ok, StopReason::Ok);
        }
        let (base, cap) = (Duration::from_secs(1), Duration::from_secs(2));
        let jitter = Jitter::Full;
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
    fn clients_in_step_are_told_with_their_peak() {
        let (grade, because) = fleet(&[500, 503, 501, 500, 502], false).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "5 clients waited alike before retry 1, to within 3 ms: 5 calls came in a tenth of a second; each promises \
             to draw its waits from 1 s"
        );
    }

    #[test]
    fn clients_that_draw_by_themselves_pass_and_one_client_is_no_fleet() {
        let apart = fleet(&[100, 900, 400, 650, 30], false).check(ID);
        assert_eq!(apart.findings[0].grade, Grade::Pass);
        assert_eq!(
            apart.findings[0].because,
            "the clients came back apart: 2 calls in a tenth of a second at the most"
        );
        assert!(fleet(&[500; 9], true).check(ID).findings.is_empty());
        assert!(fleet(&[500; 3], false).check(ID).findings.is_empty());
        assert!(fleet(&[500; 9], false).late_by_ms(60).check(ID).withheld);
    }

    #[test]
    fn a_fleet_in_step_is_noted_where_no_jitter_is_promised() {
        let silent = |waits: &[u64]| fleet(waits, false).promising(|p| p.backoff = None);
        let (grade, because) = silent(&[500, 503, 501, 500, 502, 500, 500, 500, 500]).worst(ID);
        assert_eq!(grade, Grade::Note);
        assert_eq!(
            because,
            "9 clients waited alike before retry 1, to within 3 ms: 9 calls came in a tenth of a second: no jitter is \
             seen, and none is promised"
        );
        let apart = silent(&[500, 400, 300, 450, 260, 330, 470, 310, 420]).check(ID);
        assert!(apart.findings.is_empty() && !apart.exercised);
    }

    #[test]
    fn one_client_that_is_started_anew_again_and_again_is_no_fleet() {
        let chain = (1..9).fold(fleet(&[500; 9], false), |story, process| {
            story.and(Fact::ClientRestarted {
                at: Stamp::ZERO,
                process: ProcessId(process),
                successor: ProcessId(process + 1),
            })
        });
        assert!(chain.check(ID).findings.is_empty());
    }
}
