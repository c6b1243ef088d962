//! A policy in a file of its own: what a scenario writes under `given`, to be tried in many of them.

use std::sync::Arc;

use super::check::{Policy, version};
use super::raw;
use crate::promise::Given;
use crate::source::{Problem, Problems, Source, read_yaml};

/// The policy that a file holds: `version: 1`, and under `given` what a scenario could hand over.
///
/// # Errors
///
/// The first structural problem, or else every problem of meaning, in the order of the file; never an empty list.
pub fn load_policy(source: &Arc<Source>) -> Result<Given, Vec<Problem>> {
    let raw: raw::PolicyFile = read_yaml(source, raw::HOMES).map_err(|p| vec![p])?;
    let problems = Problems::new(source);
    version(&raw.version, &problems);
    let given = Policy { problems: &problems }.given(&raw.given.value);
    if given == Given::default() && problems.count() == 0 {
        problems.say(
            raw.given.span,
            "this policy says nothing",
            "such as {attempts: 3}",
        );
    }
    problems.none_or(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::render;

    fn load(text: &str) -> Result<Given, String> {
        let source = Arc::new(Source::new("p.yaml", text));
        load_policy(&source).map_err(|problems| render(&problems, false))
    }

    #[test]
    fn a_policy_is_what_a_scenario_could_hand_over() {
        let given = load("version: 1\ngiven: {attempts: 3, backoff: {fixed: 1s}}\n").unwrap();
        assert_eq!(given.attempts, Some(3));
        assert!(given.backoff.is_some() && given.budget.is_none());
    }

    #[test]
    fn every_mistake_is_shown_at_its_place() {
        let wrong = load("version: 2\ngiven:\n  attempts: 0\n  backoff: {fixed: 1}\n").unwrap_err();
        insta::assert_snapshot!(wrong, @r"
        error: version 2 is not known
         --> p.yaml:1:10
          |
        1 | version: 2
          |          ^ this program reads version 1
          |
        help: did you mean `1`?
          |
        1 - version: 2
        1 + version: 1
          |

        error: a policy without an attempt asks for nothing
         --> p.yaml:3:13
          |
        3 |   attempts: 0
          |             ^ at least 1

        error: `1` is not a duration
         --> p.yaml:4:20
          |
        4 |   backoff: {fixed: 1}
          |                    ^ a number and a unit, such as 250ms, 1.5s or 2m
          |
        help: did you mean `1s`?
          |
        4 |   backoff: {fixed: 1s}
          |                     +
        ");
        let unknown = load("version: 1\ngiven: {budgets: {initial: 1}}\n").unwrap_err();
        assert!(
            unknown.contains("p.yaml:2:9") && unknown.contains("budgets"),
            "{unknown}"
        );
        let nothing = load("version: 1\ngiven: {}\n").unwrap_err();
        assert!(nothing.contains("this policy says nothing"), "{nothing}");
    }
}
