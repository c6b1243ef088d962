//! One file per check, and the list of them.
//!
//! A check is data (id, requirement, citations, levels, which faults bear on it, which mutants trip it) and one pure
//! function. The list's order is the order of findings everywhere.

mod attempts_capped;
mod attempts_counted;
mod attempts_one_at_a_time;
mod body_same;
mod body_whole;
mod breaker_kept;
mod breaker_line;
mod budget_kept;
mod budget_ledger;
mod cancel_kept;
mod claim_acknowledged;
mod client_bounded;
mod clients_spread;
mod clock_off;
mod controls;
mod deadline_kept;
mod effect_once;
mod end_final;
mod end_prompt;
mod end_reported;
mod expect_met;
mod expect_ticks;
mod failure_last;
mod healthy_unstrained;
mod jitter_draws;
mod jitter_present;
mod key_fresh;
mod key_one_header;
mod key_quoted;
mod key_same;
mod pushback_dates;
mod pushback_honoured;
mod pushback_long;
mod pushback_malformed;
mod pushed_back;
mod request_same;
mod spacing_chance;
mod spacing_grows;
mod status_permanent;
mod status_transient;
mod stop_allowed;
mod stop_conditions;
mod timeout_kept;
mod truncated_not_claimed;
mod unsafe_in_layers;
mod unsafe_not_repeated;

pub(super) use budget_kept::one_process_may;

use super::{Case, FaultClass, Finding};

/// One requirement, and how it is judged.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Its id: `pushback.honoured`.
    pub id: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What is required, how it is judged, and what is left unjudged: a paragraph for `explain`.
    pub requirement: &'static str,
    /// Keys of the citations (see `spec`).
    pub cites: &'static [&'static str],
    /// What a deviation is worth.
    pub levels: Levels,
    /// The faults from which it learns something.
    pub bears_on: &'static [FaultClass],
    /// The mutants of the reference client that trip it.
    pub mutants: &'static [&'static str],
    /// Judges one case.
    pub judge: fn(&Case) -> CheckResult,
}

/// What a deviation is worth in each state of the promise; "skipped" is no finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Levels {
    /// The client promises nothing of the kind.
    pub silent: &'static str,
    /// The client promises it.
    pub promised: &'static str,
    /// The client opted out.
    pub opted_out: &'static str,
}

/// What a check says of one case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckResult {
    /// Its findings.
    pub findings: Vec<Finding>,
    /// Whether the conduct was put to the test.
    pub exercised: bool,
    /// Whether an accusation was withheld because the harness itself was late.
    pub withheld: bool,
    /// Whether nothing was said because retrial had stopped waiting for the client.
    pub cut_short: bool,
}

/// Every check, in the order of the reports.
pub static ALL: &[Check] = &[
    pushback_honoured::CHECK,
    pushback_dates::CHECK,
    pushback_long::CHECK,
    pushback_malformed::CHECK,
    attempts_capped::CHECK,
    status_permanent::CHECK,
    status_transient::CHECK,
    unsafe_not_repeated::CHECK,
    key_same::CHECK,
    key_fresh::CHECK,
    key_one_header::CHECK,
    key_quoted::CHECK,
    effect_once::CHECK,
    truncated_not_claimed::CHECK,
    claim_acknowledged::CHECK,
    healthy_unstrained::CHECK,
    end_final::CHECK,
    end_reported::CHECK,
    client_bounded::CHECK,
    stop_allowed::CHECK,
    deadline_kept::CHECK,
    timeout_kept::CHECK,
    cancel_kept::CHECK,
    budget_kept::CHECK,
    breaker_kept::CHECK,
    attempts_counted::CHECK,
    attempts_one_at_a_time::CHECK,
    spacing_grows::CHECK,
    jitter_present::CHECK,
    clients_spread::CHECK,
    request_same::CHECK,
    body_same::CHECK,
    body_whole::CHECK,
    failure_last::CHECK,
    end_prompt::CHECK,
    expect_met::CHECK,
];

const UNSAFE: &str = "unsafe.not_repeated";

/// The checks that mean something of a client that is made of layers. The others judge the attempts of one operation as
/// one client's, and a service makes requests of its own: what is asked twice there may be two questions.
const IN_LAYERS: [&str; 4] = [UNSAFE, "healthy.unstrained", "client.bounded", "expect.met"];

/// The checks that judge a case, in order: of one with more calls than are kept, whether it was bounded at all.
pub fn of(case: &Case) -> impl Iterator<Item = &'static Check> {
    let (layered, whole) = (case.is_layered(), case.evidence.beyond.is_empty());
    let judges = move |check: &&Check| match whole {
        true => !layered || IN_LAYERS.contains(&check.id),
        false => check.id == client_bounded::CHECK.id,
    };
    ALL.iter().filter(judges)
}

/// The faults after which a client may send an operation again.
const FAILURES: [FaultClass; 9] = [
    FaultClass::Transient,
    FaultClass::Permanent,
    FaultClass::Pushback,
    FaultClass::Date,
    FaultClass::Malformed,
    FaultClass::Lost,
    FaultClass::Truncated,
    FaultClass::Garbled,
    FaultClass::Slow,
];

/// The check with this id.
pub fn check(id: &str) -> Option<&'static Check> {
    ALL.iter().find(|c| c.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    #[test]
    fn ids_are_unique_and_every_citation_exists() {
        for (i, check) in ALL.iter().enumerate() {
            assert!(ALL.iter().skip(i + 1).all(|c| c.id != check.id), "{}", check.id);
            assert!(
                check.cites.iter().all(|key| spec::citation(key).is_some()),
                "{}",
                check.id
            );
            assert!(
                check.summary.ends_with('.') && check.requirement.ends_with('.'),
                "{}",
                check.id
            );
        }
    }

    #[test]
    fn every_check_but_the_scenarios_own_is_tripped_by_a_mutant() {
        let without: Vec<_> = ALL
            .iter()
            .filter(|c| c.mutants.is_empty())
            .map(|c| c.id)
            .collect();
        assert_eq!(without, ["expect.met"]);
    }

    #[test]
    fn ends_ceilings_healthy_dependencies_and_fresh_keys_bear_on_no_fault() {
        let none: Vec<_> = ALL
            .iter()
            .filter(|c| c.bears_on.is_empty())
            .map(|c| c.id)
            .collect();
        assert_eq!(
            none,
            [
                "key.fresh",
                "key.quoted",
                "healthy.unstrained",
                "end.final",
                "end.reported",
                "client.bounded"
            ]
        );
    }
}
