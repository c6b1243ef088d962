//! The exit statuses of `retrial run`, one by one.

use crate::program::{Folder, ONE_503, ONLY_POST, OUTAGE, stderr, stdout};

#[test]
fn a_run_without_failures_exits_0() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let ended = folder.retrial(&["run", "-s", "one-503.yaml"]).code(0);
    assert!(stdout(&ended).contains("1 trial: 1 pass"), "{}", stdout(&ended));
}

#[test]
fn a_failed_trial_exits_1_and_shows_the_line_that_asked() {
    let folder = Folder::new().with("outage.yaml", OUTAGE);
    let ended = folder
        .retrial(&["run", "-s", "outage.yaml", "--mutant", "one-more", "--seed", "3"])
        .code(1);
    let text = stdout(&ended);
    assert!(text.contains("fail attempts.capped (promised)"), "{text}");
    assert!(
        text.contains("repeat: retrial run outage --scenario outage.yaml --mutant one-more --seed 3"),
        "{text}"
    );
}

#[test]
fn wrong_usage_exits_2_and_runs_nothing() {
    let folder = Folder::new();
    for wrong in [
        &["run", "--no-such-flag"][..],
        &["run", "no-such-scenario"],
        &["run", "--mutant", "no-such-mutant"],
        &["run", "--report", "json"],
        &["run", "--report", "html=x.html"],
        &["run", "-s", "missing.yaml"],
        &["run", "--client", "missing.yaml"],
        &["run", "--client", "c.yaml", "--", "curl", "{url}"],
        &["run", "--jobs", "0"],
        &["run", "--time", "imaginary"],
        &["run", "--time", "virtual", "--", "curl", "{url}"],
        &["run", "--", "curl", "no-placeholder"],
        &["run", "-r", "json=-", "-r", "junit=-"],
        &["run", "-r", "json=no/such/folder/x.json"],
        &[],
    ] {
        let ended = folder.retrial(wrong).code(2);
        assert_eq!(stdout(&ended), "", "{wrong:?}");
        assert_ne!(stderr(&ended), "", "{wrong:?}");
    }
}

#[test]
fn a_bad_file_among_good_ones_exits_2_and_runs_nothing() {
    let folder = Folder::new()
        .with("good.yaml", ONE_503)
        .with("bad.yaml", &ONE_503.replace("status", "stauts"));
    let ended = folder
        .retrial(&["run", "-s", "good.yaml", "-s", "bad.yaml"])
        .code(2);
    assert_eq!(stdout(&ended), "");
    let said = stderr(&ended);
    assert!(said.contains("bad.yaml:6:") && said.contains("stauts"), "{said}");
}

#[test]
fn a_client_that_is_not_there_exits_3() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let ended = folder.retrial(&[
        "run",
        "-s",
        "one-503.yaml",
        "--",
        "retrial-has-no-such-client",
        "{url}",
    ]);
    let ended = ended.code(3);
    assert!(stdout(&ended).contains("harness_error"), "{}", stdout(&ended));
}

#[test]
fn a_client_that_does_nothing_exits_3() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let client = "version: 1\nname: idle\ndriver: {jsonl: {command: [cat], concurrency: 1}}\n";
    let folder = folder.with("client.yaml", client);
    folder
        .retrial(&["run", "-s", "one-503.yaml", "--client", "client.yaml"])
        .code(3);
}

#[test]
fn everything_skipped_exits_4_and_says_why() {
    let folder = Folder::new().with("only-post.yaml", ONLY_POST);
    let ended = folder
        .retrial(&["run", "-s", "only-post.yaml", "--", "curl", "{url}"])
        .code(4);
    let text = stdout(&ended);
    assert!(
        text.contains("skipped: the client can only GET\n  only-post\n"),
        "{text}"
    );
}

#[test]
fn a_pattern_that_selects_nothing_exits_4() {
    let ended = Folder::new().retrial(&["run", "no-such-*"]).code(4);
    assert!(
        stderr(&ended).contains("nothing is selected by no-such-*"),
        "{}",
        stderr(&ended)
    );
}

#[test]
fn what_is_required_and_missing_skips_every_trial() {
    let client = "\
version: 1
name: exotic
driver: {exec: {command: [cat, '{url}']}}
requires: [retrial-has-no-such-command]
";
    let folder = Folder::new()
        .with("one-503.yaml", ONE_503)
        .with("client.yaml", client);
    let ended = folder
        .retrial(&["run", "-s", "one-503.yaml", "--client", "client.yaml"])
        .code(4);
    let text = stdout(&ended);
    assert!(
        text.contains("retrial-has-no-such-command is required and is not on this machine"),
        "{text}"
    );
}
