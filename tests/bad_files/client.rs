//! `client.yaml` files that cannot be used, and one that can.

use std::path::PathBuf;
use std::sync::Arc;

use retrial::client::{Argument, Client, DriverPlan, load, load_knowing};
use retrial::promise::{BodyCan, DeadlineCan, ExpectedMatch, KeysCan};
use retrial::source::{Problem, Source, render};

const EXEC: &str = "\
version: 1
name: curl
driver: {exec: {command: [curl, -sS, --retry, 3, -X, '{method}', [-H, 'Idempotency-Key: {key}'], '{url}']}}
";

fn read(yaml: &str) -> Result<Client, Vec<Problem>> {
    load(
        Arc::new(Source::new("client.yaml", yaml)),
        Some(PathBuf::from("clients")),
    )
}

fn shown(yaml: &str) -> String {
    render(&read(yaml).expect_err("a bad file"), false)
}

#[test]
fn a_promise_beside_the_promises_is_told_where_it_belongs() {
    let said = shown(&format!("{EXEC}attempts: 4\n"));
    assert!(said.contains("`attempts` belongs under `promises`"), "{said}");
}

#[test]
fn a_command_is_read_as_it_is_written() {
    let client = read(EXEC).unwrap();
    let DriverPlan::Exec { command, .. } = &client.driver else {
        panic!("exec, not {:?}", client.driver)
    };
    assert_eq!(command[3], Argument::One("3".to_owned()));
    let group = ["-H", "Idempotency-Key: {key}"].map(str::to_owned).to_vec();
    assert_eq!(command[6], Argument::Group(group));
    assert_eq!(client.folder, Some(PathBuf::from("clients")));
}

#[test]
fn placeholders_tell_what_a_command_can_and_can_overrides_them() {
    let can = read(EXEC).unwrap().can;
    assert_eq!(
        (can.methods.len(), can.keys, can.body),
        (0, KeysCan::Given, BodyCan::None)
    );
    let narrowed = format!("{EXEC}can: {{methods: [GET, PUT], keys: none, deadline: passed}}\n");
    let can = read(&narrowed).unwrap().can;
    assert_eq!(can.methods, ["GET", "PUT"]);
    assert_eq!((can.keys, can.deadline), (KeysCan::None, DeadlineCan::Passed));
}

#[test]
fn every_key_of_the_format_is_read() {
    let client = read(
        "version: 1
name: requests
driver: {jsonl: {command: [python3, adapter.py, '{tmp}'], concurrency: 8}}
requires: [python3>=3.9, curl]
can: {methods: [GET, POST], body: bytes, keys: given, deadline: passed, keeps_connections: true, targets: 2, headers: true, attempts_count: calls}
promises:
  attempts: 4
  retries: {statuses: [429, 503], failures: [refused, closed, reset, timeout], methods: [GET, PUT]}
  pushback: {honours: [429, 503], forms: [seconds, dates], above: {limit: 60s, then: stop}}
  budget: {per: process, initial: 2, cap: 4, earn_per_mille: 100}
  deadline: true
  key: true
  hedges: true
  never_repeats_unsafe: true
  claims_ok_on: [404]
  repeats_unsafe_on: [429, 503]
  opts_out: [{check: pushback.long, because: it has no ceiling, see: https://example.org}]
  from: {attempts: https://example.org/a, retries.statuses: https://example.org/b}
marks: {invocation: Amz-Sdk-Invocation-Id, key: PayPal-Request-Id}
expected:
  - {check: unsafe.not_repeated, scenario: lost-ack, because: opt-in upstream, see: https://example.org}
  - {scenario: dates, verdict: inconclusive, because: it never repeats}
",
    )
    .unwrap();
    assert_eq!(client.requires[0].command, "python3");
    assert_eq!(client.requires[0].at_least, Some(vec![3, 9]));
    assert_eq!(client.requires[1].at_least, None);
    assert_eq!(client.promises.attempts, Some(4));
    assert!(client.promises.opted_out("pushback.long"));
    assert_eq!(client.invocation_header.as_deref(), Some("amz-sdk-invocation-id"));
    assert_eq!(client.key_header.as_deref(), Some("paypal-request-id"));
    assert_eq!(
        client.expected[1].matches,
        ExpectedMatch::Inconclusive {
            scenario: "dates".to_owned()
        }
    );
}

#[test]
fn an_unknown_placeholder() {
    insta::assert_snapshot!(shown(&EXEC.replace("{url}", "{ulr}")), @r#"
        error: there is no placeholder {ulr}
         --> client.yaml:3:100
          |
        3 | driver: {exec: {command: [curl, -sS, --retry, 3, -X, '{method}', [-H, 'Idempotency-Key: {key}'], '{ulr}']}}
          |                                                                                                    ^^^ not a placeholder
          |
          = help: expected one of: url, base_url, urls, method, body, body_file, key, deadline_ms, attempts, tmp, op
        help: did you mean `url`?
          |
        3 - driver: {exec: {command: [curl, -sS, --retry, 3, -X, '{method}', [-H, 'Idempotency-Key: {key}'], '{ulr}']}}
        3 + driver: {exec: {command: [curl, -sS, --retry, 3, -X, '{method}', [-H, 'Idempotency-Key: {key}'], '{url}']}}
          |
    "#);
}

#[test]
fn a_command_that_is_told_nothing() {
    insta::assert_snapshot!(shown("version: 1\nname: x\ndriver: {exec: {command: [./client]}}\n"), @r#"
        error: this command has no placeholder
         --> client.yaml:3:26
          |
        3 | driver: {exec: {command: [./client]}}
          |                          ^^^^^^^^^^ it cannot be told where to send anything
          |
          = help: write {url} where the URL belongs; a program that reads RETRIAL_URL from its environment says what it can under `can`
    "#);
    let reads_its_environment =
        "version: 1\nname: x\ndriver: {exec: {command: [./client]}}\ncan: {body: bytes}\n";
    assert!(read(reads_its_environment).is_ok());
}

#[test]
fn a_service_says_what_it_is_told_and_which_process_is_the_entry() {
    let yaml = "version: 1\nname: x\ndriver: {service: {entry: a, processes: [{name: b, role: gateway, command: [nginx, '{url:c}']}]}}\n";
    insta::assert_snapshot!(shown(yaml), @r"
    error: the entry is the process that is listed last, and that is `b`
     --> client.yaml:3:27
      |
    3 | driver: {service: {entry: a, processes: [{name: b, role: gateway, command: [nginx, '{url:c}']}]}}
      |                           ^ not the last
      |
      = help: processes are started in order, and each is told where those before it are
    help: did you mean `b`?
      |
    3 - driver: {service: {entry: a, processes: [{name: b, role: gateway, command: [nginx, '{url:c}']}]}}
    3 + driver: {service: {entry: b, processes: [{name: b, role: gateway, command: [nginx, '{url:c}']}]}}
      |

    error: {url:c} leads nowhere
     --> client.yaml:3:84
      |
    3 | driver: {service: {entry: a, processes: [{name: b, role: gateway, command: [nginx, '{url:c}']}]}}
      |                                                                                    ^^^^^^^^^ a name under `calls`, or of a process listed before this one
    ");
}

#[test]
fn every_problem_is_shown_at_once() {
    insta::assert_snapshot!(shown(
        "version: 2
name: ''
driver: {jsonl: {command: [x, '{url}'], concurrency: 0}}
requires: [python3 > 3]
can: {methods: [get], targets: 0}
promises: {attempts: 0, claims_ok_on: [40], from: {atempts: x}}
marks: {invocation: a b}
expected: [{because: x}, {check: a.b, verdict: inconclusive, because: ''}, {verdict: inconclusive, because: y}]
"
    ), @r#"
        error: version 2 is not known
         --> client.yaml:1:10
          |
        1 | version: 2
          |          ^ this program reads version 1
          |
        help: did you mean `1`?
          |
        1 - version: 2
        1 + version: 1
          |

        error: a client needs a name
         --> client.yaml:2:7
          |
        2 | name: ''
          |       ^^ nothing is written here

        error: {url} is not known when this client is started
         --> client.yaml:3:33
          |
        3 | driver: {jsonl: {command: [x, '{url}'], concurrency: 0}}
          |                                 ^^^ it is handed its operations on its standard input

        error: 0 operations at once cannot be
         --> client.yaml:3:54
          |
        3 | driver: {jsonl: {command: [x, '{url}'], concurrency: 0}}
          |                                                      ^ from 1 to 10000

        error: `python3 > 3` is not a requirement
         --> client.yaml:4:12
          |
        4 | requires: [python3 > 3]
          |            ^^^^^^^^^^^ a command such as curl, or python3>=3.9

        error: `get` is not a method
         --> client.yaml:5:17
          |
        5 | can: {methods: [get], targets: 0}
          |                 ^^^ such as GET or POST
          |
        help: did you mean `GET`?
          |
        5 - can: {methods: [get], targets: 0}
        5 + can: {methods: [GET], targets: 0}
          |

        error: a client needs a target
         --> client.yaml:5:32
          |
        5 | can: {methods: [get], targets: 0}
          |                                ^ at least 1

        error: no client makes 0 attempts
         --> client.yaml:6:22
          |
        6 | promises: {attempts: 0, claims_ok_on: [40], from: {atempts: x}}
          |                      ^ attempts in all, the first included

        error: 40 is not a status
         --> client.yaml:6:40
          |
        6 | promises: {attempts: 0, claims_ok_on: [40], from: {atempts: x}}
          |                                        ^^ from 100 to 999

        error: there is no promise `atempts`
         --> client.yaml:6:52
          |
        6 | promises: {attempts: 0, claims_ok_on: [40], from: {atempts: x}}
          |                                                    ^^^^^^^ not a promise that could be documented
          |
          = help: expected one of: attempts, attempt_timeout, retries, pushback, backoff, budget, breaker, deadline, key, quotes_keys, hedges, one_at_a_time, prompt, never_repeats_unsafe, claims_ok_on, repeats_unsafe_on, opts_out
        help: did you mean `attempts`?
          |
        6 | promises: {attempts: 0, claims_ok_on: [40], from: {attempts: x}}
          |                                                      +

        error: `a b` is not the name of a header
         --> client.yaml:7:21
          |
        7 | marks: {invocation: a b}
          |                     ^^^ letters, digits and hyphens

        error: this entry matches nothing
         --> client.yaml:8:12
          |
        8 | expected: [{because: x}, {check: a.b, verdict: inconclusive, because: ''}, {verdict: inconclusive, because: y}]
          |            ^^^^^^^^^^^^ `check`, or `verdict: inconclusive`

        error: an entry lists a finding or a trial, not both
         --> client.yaml:8:48
          |
        8 | expected: [{because: x}, {check: a.b, verdict: inconclusive, because: ''}, {verdict: inconclusive, because: y}]
          |                                                ^^^^^^^^^^^^ `check` or `verdict`

        error: a known finding needs a reason
         --> client.yaml:8:71
          |
        8 | expected: [{because: x}, {check: a.b, verdict: inconclusive, because: ''}, {verdict: inconclusive, because: y}]
          |                                                                       ^^ nothing is written here

        error: which scenario is inconclusive?
         --> client.yaml:8:86
          |
        8 | expected: [{because: x}, {check: a.b, verdict: inconclusive, because: ''}, {verdict: inconclusive, because: y}]
          |                                                                                      ^^^^^^^^^^^^ `scenario` belongs beside it
    "#);
}

#[test]
fn a_check_that_does_not_exist() {
    let yaml = format!("{EXEC}promises: {{opts_out: [{{check: pushback.short, because: x}}]}}\n");
    let source = Arc::new(Source::new("client.yaml", yaml));
    let problems = load_knowing(source, None, &["pushback.long"]).unwrap_err();
    assert_eq!(problems[0].message, "there is no check `pushback.short`");
    let yaml = format!("{EXEC}promises: {{opts_out: [{{check: never, because: x}}]}}\n");
    let source = Arc::new(Source::new("client.yaml", yaml));
    let problems = load_knowing(source, None, &["pushback.long"]).unwrap_err();
    let listed = "`retrial list --checks` lists them";
    assert_eq!(problems[0].help.as_deref(), Some(listed));
    let yaml = format!("{EXEC}expected: [{{check: pushback.lng, because: x}}]\n");
    let source = Arc::new(Source::new("client.yaml", yaml));
    let problems = load_knowing(source, None, &["pushback.long"]).unwrap_err();
    assert_eq!(problems[0].replacement.as_deref(), Some("pushback.long"));
}
