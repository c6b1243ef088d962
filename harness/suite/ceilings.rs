//! A trial's ceilings: what is far above every right client's needs depends on what the scenario asks for.

use std::time::Duration;

use crate::engine::Patience;
use crate::scenario::{OperationGroup, RequestBody, Start, Trial};
use crate::term::Time;
use crate::upstream::Limits;

/// How many calls, connections and bodies each operation may cost. A right policy makes some four, with hedges eight.
const PER_OPERATION: u32 = 10;

/// What the head of one call may take: servers commonly read no more.
const HEAD: u64 = 16 * 1024;

/// The ceilings of a trial: at least `least`, and more where the scenario itself asks for more, so that a client that
/// does what it is asked never reaches them.
pub(super) fn ceilings(trial: &Trial, least: Limits, time: Time) -> Limits {
    let operations = trial.operations.iter().map(|g| g.count).sum::<u32>();
    let calls = operations.saturating_mul(PER_OPERATION);
    let heads = u64::from(calls).saturating_mul(HEAD);
    Limits {
        calls: least.calls.saturating_add(calls),
        connections: least.connections.saturating_add(calls),
        bytes: least.bytes.saturating_add(heads).saturating_add(bodies(trial)),
        time: least.time.max(waits(trial, Patience::in_time(time))),
    }
}

/// The bytes of bodies that the scenario has the client send.
fn bodies(trial: &Trial) -> u64 {
    let of_group = |g: &OperationGroup| {
        let body = g.request.body.as_ref().map_or(0, RequestBody::len);
        body.saturating_mul(u64::from(g.count))
            .saturating_mul(u64::from(PER_OPERATION))
    };
    let all = trial.operations.iter().map(of_group);
    all.fold(0, u64::saturating_add)
}

/// How long a client may be waited for that runs one operation after another, each to the end of its deadline.
fn waits(trial: &Trial, patience: Patience) -> Duration {
    let of_group = |g: &OperationGroup| {
        let each = g.deadline.map_or(patience.quiet_at_most, |d| {
            d.saturating_add(patience.after_deadline)
        });
        each.saturating_mul(g.count)
    };
    let all = trial.operations.iter().map(of_group);
    let one_after_another = all.fold(Duration::ZERO, Duration::saturating_add);
    let latest = trial.operations.iter().map(last_start).max().unwrap_or_default();
    patience
        .to_first_call
        .saturating_add(latest)
        .saturating_add(one_after_another)
}

/// When the last operation of a group is handed over, at the earliest.
pub(super) fn last_start(group: &OperationGroup) -> Duration {
    match group.start {
        Start::InSequence | Start::AtOnce => Duration::ZERO,
        Start::PerSecond(rate) => Duration::from_secs(u64::from(group.count / rate.max(1)) + 1),
        Start::At(after) => after,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::scenario;
    use crate::source::Source;

    const LEAST: Limits = Limits {
        calls: 1000,
        connections: 1000,
        bytes: 64 << 20,
        time: Duration::from_secs(120),
    };

    fn ceilings_of(operation: &str) -> Limits {
        let yaml = format!(
            "version: 1\ntitle: t\ndependencies: {{d: {{}}}}\noperations: [{{{operation}, to: [d], path: /}}}}]\n"
        );
        let trials = scenario::load(Arc::new(Source::new("f.yaml", yaml)), "f").unwrap();
        ceilings(&trials[0], LEAST, Time::Real)
    }

    #[test]
    fn a_usual_scenario_does_not_lift_the_time() {
        let usual = ceilings_of("deadline: 20s, request: {method: GET");
        assert_eq!((usual.calls, usual.connections), (1010, 1010));
        assert_eq!((usual.bytes, usual.time), (LEAST.bytes + 10 * HEAD, LEAST.time));
    }

    #[test]
    fn what_a_scenario_asks_for_is_no_running_away() {
        let many = ceilings_of("count: 100000, request: {method: GET");
        assert_eq!(many.calls, 1_001_000);
        // Heads of a kilobyte are common.
        assert!(many.bytes > 1_001_000 * 1024, "{}", many.bytes);
        let heavy = ceilings_of("request: {method: PUT, body: {zeros: 60000000}");
        assert!(heavy.bytes > 4 * 60_000_000, "{}", heavy.bytes);
        for slow in [
            "deadline: 10m, request: {method: GET",
            "start: {at: 10m}, request: {method: GET",
            "start: {per_second: 1}, count: 600, request: {method: GET",
        ] {
            assert!(ceilings_of(slow).time > Duration::from_secs(600), "{slow}");
        }
    }
}
