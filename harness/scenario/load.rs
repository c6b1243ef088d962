//! From a file to its trials.

use std::sync::Arc;

use super::check::{Check, Uses, choices, head, unused};
use super::{Trial, raw, unplayed};
use crate::source::{Problem, Problems, Source, read_yaml};

/// The trials of a scenario file: one for each combination of what it varies. `name` is the file's name without its
/// ending.
///
/// # Errors
///
/// The first structural problem (syntax, unknown key, wrong type), or else every problem of meaning, in the order of
/// the file; never an empty list.
pub fn load(source: Arc<Source>, name: &str) -> Result<Vec<Trial>, Vec<Problem>> {
    load_citing(source, name, &|_| true)
}

/// As [`load`], with a say on which keys of citations exist.
///
/// # Errors
///
/// As [`load`]; a citation that is not known is a problem of meaning.
pub fn load_citing(
    source: Arc<Source>,
    name: &str,
    known_cites: &dyn Fn(&str) -> bool,
) -> Result<Vec<Trial>, Vec<Problem>> {
    let raw: raw::Scenario = read_yaml(&source, raw::HOMES).map_err(|p| vec![p])?;
    let problems = Problems::new(&source);
    head(&raw, known_cites, &problems);
    unplayed::refuse(&raw, &problems);
    let uses = Uses::default();
    let declared = raw.dependencies.value.names().collect();
    let trials = choices(&raw.vary, &problems)
        .into_iter()
        .map(|choice| {
            Check {
                problems: &problems,
                choice,
                uses: &uses,
                raw: &raw,
                declared: &declared,
            }
            .trial(name)
        })
        .collect();
    unused(&raw.vary, &uses, &problems);
    problems.none_or(trials)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{
        AnswerBody, AnswerStatus, Bound, Cut, DateForm, DateOffset, Down, Framing, HeaderIs, KeyPlan,
        PolicyNumber, Pushback, RequestBody, Scope, Start, Turn,
    };
    use super::*;
    use crate::source::render;
    use crate::term::{CutBy, Effect, Means, OperationId, Place, StopReason};

    fn trials(yaml: &str) -> Vec<Trial> {
        let source = Arc::new(Source::new("f.yaml", yaml));
        load(source, "f").unwrap_or_else(|problems| panic!("{}", render(&problems, false)))
    }

    fn turns(script: &str) -> Vec<Turn> {
        let yaml = format!(
            "version: 1\ntitle: t\ndependencies: {{d: {{script: [{script}, {{answer: {{status: 200}}}}]}}}}\n\
             operations: [{{request: {{method: PUT, to: [d], path: /, body: {{zeros: 9}}}}}}]\n"
        );
        trials(&yaml).remove(0).dependencies.remove(0).turns
    }

    #[test]
    fn a_dependency_without_a_script_is_healthy() {
        let yaml = "version: 1\ntitle: t\ndependencies: {d: {}, e: {outages: [{from: 1s, until: 2s, every: 5s, be: refused}]}}\n\
                    operations: [{request: {method: GET, to: [d, e], path: /}}]\n";
        let trial = trials(yaml).remove(0);
        let [d, e] = &trial.dependencies[..] else {
            panic!("two")
        };
        assert!(d.healthy && !e.healthy);
        assert_eq!(d.turns[0].effect, Effect::Applied);
        assert_eq!(
            d.turns,
            [Turn {
                span: d.span,
                ..e.turns[0].clone()
            }]
        );
        assert_eq!(e.outages[0].every, Some(Duration::from_secs(5)));
        assert_eq!(e.outages[0].be, Down::Refused);
    }

    #[test]
    fn a_turn_keeps_everything_that_is_written() {
        let turn = &turns(
            "{times: 2, takes: 10ms, effect: begun, when: {method: PUT, path: /p, header: {X-A: {exactly: b}, c: absent}, \
             attempt: {at_least: 2}, on_connection: 1, early: false, chance: 0.25}, \
             answer: {status: 503, retry_after: {rfc850: {past: 1m}}, headers: {X-Y: z}, body: {text: hello}, \
             framing: chunked, after: 20ms, drip: {bytes: 2, every: 5ms}, keep_alive: false, means: success}, \
             cut: {at: {body: 3}, by: hang}}",
        )[0];
        let when = turn.when.as_ref().unwrap();
        assert_eq!(
            (turn.times, turn.takes, turn.effect),
            (Some(2), Duration::from_millis(10), Effect::Begun)
        );
        assert_eq!(
            (when.method.as_deref(), when.path.as_deref()),
            (Some("PUT"), Some("/p"))
        );
        let is_b = ("x-a".to_owned(), HeaderIs::Exactly("b".to_owned()));
        assert_eq!(when.headers, [is_b, ("c".to_owned(), HeaderIs::Absent)]);
        let from_2 = Bound::Between {
            at_least: Some(2),
            at_most: None,
        };
        assert_eq!(
            (when.attempt, when.on_connection),
            (Some(from_2), Some(Bound::Exactly(1)))
        );
        assert_eq!((when.early, when.chance), (Some(false), Some(0.25)));
        let answer = turn.answer.as_ref().unwrap();
        assert_eq!(answer.status, AnswerStatus::Code(503));
        let past = DateOffset::Past(Duration::from_secs(60));
        assert_eq!(
            answer.retry_after,
            Some(Pushback::Date {
                form: DateForm::Rfc850,
                offset: past
            })
        );
        assert_eq!(answer.headers, [("X-Y".to_owned(), "z".to_owned())]);
        assert_eq!(answer.body, AnswerBody::Text("hello".to_owned()));
        assert_eq!(
            (answer.framing, answer.after),
            (Framing::Chunked, Duration::from_millis(20))
        );
        assert_eq!(
            answer.drip.map(|d| (d.bytes, d.every)),
            Some((2, Duration::from_millis(5)))
        );
        assert_eq!(
            (answer.keep_alive, answer.means),
            (Some(false), Some(Means::Success))
        );
        assert_eq!(
            turn.cut,
            Some(Cut {
                at: Place::Body(3),
                by: CutBy::Hang
            })
        );
    }

    #[test]
    fn pushback_has_many_forms() {
        let asked = |written: &str| {
            let turn = turns(&format!(
                "{{times: 1, answer: {{status: 503, retry_after: {written}}}}}"
            ))
            .remove(0);
            turn.answer.unwrap().retry_after.unwrap()
        };
        assert_eq!(asked("2m"), Pushback::Seconds(120));
        assert_eq!(asked("{raw: 2.50}"), Pushback::Raw("2.50".to_owned()));
        assert_eq!(
            asked("{twice: [3, '05']}"),
            Pushback::Twice(vec!["3".to_owned(), "05".to_owned()])
        );
        let ahead = DateOffset::Ahead(Duration::from_millis(2500));
        assert_eq!(
            asked("{imf: {ahead: 2.5s}}"),
            Pushback::Date {
                form: DateForm::Imf,
                offset: ahead
            }
        );
    }

    #[test]
    fn places_and_raw_bytes() {
        let at = |place: &str| {
            turns(&format!("{{times: 1, cut: {{at: {place}, by: rst}}}}"))[0]
                .cut
                .unwrap()
                .at
        };
        assert_eq!(at("accept"), Place::Accept);
        assert_eq!(at("request_head"), Place::RequestHead);
        assert_eq!(at("{request_body: 9}"), Place::RequestBody(9));
        let raw = turns("{times: 1, raw: \"HTTP/9.9 x\\r\\n\\r\\n\"}").remove(0).raw;
        assert_eq!(raw.as_deref(), Some(&b"HTTP/9.9 x\r\n\r\n"[..]));
    }

    #[test]
    fn every_combination_is_a_trial_and_varied_stands_for_its_value() {
        let yaml = "version: 1\ntitle: t\n\
            vary: {zones: [UTC, Asia/Tokyo], pushbacks: [3s, {imf: {ahead: 3s}}, {raw: 'a,b'}], statuses: [503], methods: [GET, PUT], cuts: [fin]}\n\
            dependencies: {d: {per: connection, script: [{times: 1, when: {method: varied}, answer: {status: varied, retry_after: varied}, cut: {at: after_answer, by: varied}}, {answer: {status: 200}}]}}\n\
            operations: [{request: {method: varied, to: [d], path: /}}]\n";
        let trials = trials(yaml);
        let ids: Vec<&str> = trials.iter().map(|t| t.id.as_str()).collect();
        assert_eq!(ids.len(), 12);
        assert_eq!(ids[0], "f[GET,503,3s,fin,UTC]");
        assert_eq!(ids[3], "f[GET,503,imf:3s,fin,Asia/Tokyo]");
        assert_eq!(ids[11], "f[PUT,503,raw:a_b,fin,Asia/Tokyo]");
        let last = &trials[11];
        assert_eq!(last.zone.as_deref(), Some("Asia/Tokyo"));
        assert_eq!(last.operations[0].request.method, "PUT");
        let when = last.dependencies[0].turns[0].when.as_ref().unwrap();
        assert_eq!(when.method.as_deref(), Some("PUT"));
        assert_eq!(last.dependencies[0].per, Scope::Connection);
        let answer = last.dependencies[0].turns[0].answer.as_ref().unwrap();
        assert_eq!(answer.status, AnswerStatus::Code(503));
        assert_eq!(answer.retry_after, Some(Pushback::Raw("a,b".to_owned())));
    }

    #[test]
    fn operations_are_numbered_through_the_groups() {
        let yaml = "version: 1\ntitle: t\ndependencies: {d: {}}\noperations:\n\
            - {count: 3, start: at_once, deadline: 20s, request: {method: POST, to: [d], path: '/a?b', key: {shared: k}, body: {text: x}, headers: {A: b}}}\n\
            - {start: {per_second: 5}, request: {method: GET, to: [d], path: /, key: own}}\n\
            - {start: {at: 2s}, request: {method: GET, to: [d], path: /}}\n\
            expect: {stop: {ok: {at_least: 1}}, dependencies: {d: {calls: {policy: attempts}, delivered: 5}}}\nwatch: 3s\n";
        let trial = trials(yaml).remove(0);
        let firsts: Vec<OperationId> = trial.operations.iter().map(|g| g.first).collect();
        assert_eq!(firsts, [1, 4, 5].map(OperationId));
        let starts: Vec<Start> = trial.operations.iter().map(|g| g.start).collect();
        assert_eq!(
            starts,
            [
                Start::AtOnce,
                Start::PerSecond(5),
                Start::At(Duration::from_secs(2))
            ]
        );
        let request = &trial.operations[0].request;
        assert_eq!(request.key, Some(KeyPlan::Shared("k".to_owned())));
        assert_eq!(request.body, Some(RequestBody::Text("x".to_owned())));
        assert_eq!(trial.operations[1].request.key, Some(KeyPlan::Own));
        assert_eq!(trial.watch, Some(Duration::from_secs(3)));
        assert_eq!(trial.expect.stop[0].reason, StopReason::Ok);
        let counts = &trial.expect.dependencies[0];
        assert_eq!(counts.calls, Some(Bound::Policy(PolicyNumber::Attempts)));
        assert_eq!(
            trial.source.line_text(counts.span),
            "expect: {stop: {ok: {at_least: 1}}, dependencies: {d: {calls: {policy: attempts}, delivered: 5}}}"
        );
    }

    #[test]
    fn a_policy_is_handed_over() {
        let yaml = "version: 1\ntitle: t\ndependencies: {d: {}}\noperations: [{request: {method: GET, to: [d], path: /}}]\n\
            given: {attempts: 8, attempt_timeout: 1s, reserve: 50ms, min_useful: 20ms, statuses: [503], \
            backoff: {exponential: {base: 2s, factor: 2, cap: 8s, jitter: full, unit: 1s}}, rolls: {lcg: {first: 889, step: 4203543429}}, \
            budget: {initial: 2, cap: 4, earn_per_mille: 100}}\nexpect: {given: {stop: {ok: 1}, dependencies: {d: {calls: 1}}}}\n";
        let trial = trials(yaml).remove(0);
        let expected = trial.expect.given.unwrap();
        assert_eq!(expected.stop[0].bound, Bound::Exactly(1));
        assert_eq!(expected.dependencies[0].calls, Some(Bound::Exactly(1)));
        let given = trial.given.unwrap();
        assert_eq!(
            (given.attempts, given.min_useful),
            (Some(8), Some(Duration::from_millis(20)))
        );
        let json = serde_json::to_string(&given).unwrap();
        assert!(
            json.contains(r#""jitter":"full""#) && json.contains(r#""step":4203543429"#),
            "{json}"
        );
    }
}
