//! In which order trials are begun where more of them wait than run side by side: the longest first, so that its wait falls
//! together with what the others do, and is not left over at the end.

use std::time::Duration;

use super::ceilings::last_start;
use crate::scenario::{Asked, Dependency, Trial, Turn};

/// For how long a trial takes at least with a client that does as it is asked, as far as its scenario tells. Only an order
/// follows from it: no client has to take so long.
pub(super) fn least(trial: &Trial) -> Duration {
    let deadline = trial.operations.iter().filter_map(|group| group.deadline).max();
    let dependencies = trial.dependencies.iter().map(|d| waits_at(d, deadline));
    let operations = trial.operations.iter().map(last_start);
    dependencies.chain(operations).max().unwrap_or_default()
}

/// Until the last outage has ended, or all turns that are counted were waited for.
fn waits_at(dependency: &Dependency, deadline: Option<Duration>) -> Duration {
    let outages = dependency.outages.iter().filter_map(|outage| outage.until);
    let of_turn = |turn: &Turn| waits_after(turn, deadline).saturating_mul(turn.times.unwrap_or(1));
    let turns = dependency.turns.iter().map(of_turn);
    let turns = turns.fold(Duration::ZERO, Duration::saturating_add);
    outages.max().unwrap_or_default().max(turns)
}

/// How long a call of this turn takes, and the wait that it is answered with. Nobody waits for longer than there is time.
fn waits_after(turn: &Turn, deadline: Option<Duration>) -> Duration {
    let answer = turn.answer.as_ref();
    let asked = answer.and_then(|answer| answer.retry_after.as_ref());
    let asked = match asked.map(|pushback| pushback.asks()) {
        Some(Asked::Wait(wait)) if deadline.is_none_or(|deadline| wait <= deadline) => wait,
        Some(Asked::Wait(_) | Asked::Nothing) | None => Duration::ZERO,
    };
    let after = answer.map_or(Duration::ZERO, |answer| answer.after);
    asked.saturating_add(after).saturating_add(turn.takes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::Source;

    fn of(dependency: &str, operation: &str) -> Duration {
        let yaml = format!(
            "version: 1\ntitle: T\ndependencies: {{a: {{{dependency}}}}}\n\
             operations: [{{{operation}request: {{method: GET, to: [a], path: /p}}}}]\n"
        );
        let source = Arc::new(Source::new("t.yaml".to_owned(), &yaml));
        let trials = crate::scenario::load(source, "t").unwrap_or_else(|e| panic!("{yaml}: {e:?}"));
        least(&trials[0])
    }

    #[test]
    fn what_is_waited_for_makes_a_trial_long() {
        let asks = "script: [{times: 2, answer: {status: 503, retry_after: 3s}}, {answer: {status: 200}}]";
        assert_eq!(of("", ""), Duration::ZERO);
        assert_eq!(of(asks, ""), Duration::from_secs(6));
        assert_eq!(of(asks, "deadline: 2s, "), Duration::ZERO, "nobody waits so long");
        let slow = "script: [{answer: {status: 200, after: 250ms}}]";
        assert_eq!(of(slow, ""), Duration::from_millis(250));
        let outage = "outages: [{from: 0s, until: 4s, be: refused}]";
        assert_eq!(of(outage, ""), Duration::from_secs(4));
        assert_eq!(of("", "start: {at: 7s}, "), Duration::from_secs(7));
    }
}
