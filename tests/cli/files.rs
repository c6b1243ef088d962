//! Scenario files and client files beside the built-in ones.

use crate::program::{Folder, ONE_503, OUTAGE, stderr, stdout};

#[test]
fn names_select_among_files() {
    let folder = Folder::new()
        .with("one-503.yaml", ONE_503)
        .with("outage.yaml", OUTAGE);
    let files = ["run", "-s", "one-503.yaml", "-s", "outage.yaml"];
    let ended = folder.retrial(&[&files[..], &["one-*"]].concat()).code(0);
    assert!(stdout(&ended).contains("1 trial: "), "{}", stdout(&ended));
}

#[test]
fn two_scenarios_of_one_name_are_refused() {
    let folder = Folder::new()
        .with("one-503.yaml", ONE_503)
        .with("one-503.yml", ONE_503);
    let ended = folder
        .retrial(&["run", "-s", "one-503.yaml", "-s", "one-503.yml"])
        .code(2);
    assert!(
        stderr(&ended).contains("both make a trial one-503"),
        "{}",
        stderr(&ended)
    );
}

#[test]
fn an_expected_failure_is_fine_and_a_stale_entry_is_not() {
    let program = env!("CARGO_BIN_EXE_retrial");
    let client = |mutant: &str| {
        format!(
            "\
version: 1
name: mine
driver: {{jsonl: {{command: ['{program}', client{mutant}], concurrency: 4}}}}
promises: {{attempts: 4}}
expected: [{{check: attempts.capped, scenario: outage, because: off by one}}]
"
        )
    };
    let folder = Folder::new()
        .with("outage.yaml", OUTAGE)
        .with("wrong.yaml", &client(", --mutant, one-more"))
        .with("right.yaml", &client(""));
    let run = |file| ["run", "-s", "outage.yaml", "--client", file];
    let ended = folder.retrial(&run("wrong.yaml")).code(0);
    assert!(stdout(&ended).contains("1 expected_fail"), "{}", stdout(&ended));
    let ended = folder.retrial(&run("right.yaml")).code(1);
    assert!(stdout(&ended).contains("1 unexpected_pass"), "{}", stdout(&ended));
}

#[test]
fn a_warning_is_fine_unless_the_run_is_strict() {
    let program = env!("CARGO_BIN_EXE_retrial");
    // It promises nothing of Retry-After, and comes early.
    let client = format!(
        "version: 1\nname: silent\ndriver: {{jsonl: {{command: ['{program}', client, --mutant, early-retry], \
         concurrency: 4}}}}\n"
    );
    let asked_to_wait = ONE_503.replace("{status: 503}", "{status: 503, retry_after: 3s}");
    let folder = Folder::new()
        .with("wait.yaml", &asked_to_wait)
        .with("client.yaml", &client);
    let run = ["run", "-s", "wait.yaml", "--client", "client.yaml"];
    let ended = folder.retrial(&run).code(0);
    assert!(
        stdout(&ended).contains("warn pushback.honoured (normative)"),
        "{}",
        stdout(&ended)
    );
    let ended = folder.retrial(&[&run[..], &["--strict"]].concat()).code(1);
    assert!(stdout(&ended).contains("1 trial: 1 fail"), "{}", stdout(&ended));
}
