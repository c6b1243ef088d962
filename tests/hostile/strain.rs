//! Load, and a machine that has no more to give: files, disk, a folder that may not be written.

use std::time::Duration;

use crate::needed::is_here;
use crate::program::{Ran, program};

const SIMPLE: &str = "\
version: 1
title: One 503, then success
dependencies:
  quota: {script: [{times: 1, answer: {status: 503}}, {effect: applied, answer: {status: 200}}]}
operations:
  - {deadline: 10s, request: {method: GET, to: [quota], path: /quota}}
";

fn ran(scenario: &str, arguments: &str) -> Ran {
    let files = [("s.yaml", scenario), ("client.yaml", &many())];
    program(&files, &arguments.split(' ').collect::<Vec<_>>())
}

/// The reference client as a process, with a thousand operations at once.
fn many() -> String {
    let program = env!("CARGO_BIN_EXE_retrial");
    format!(
        "version: 1\nname: many\ndriver: {{jsonl: {{command: ['{program}', client], concurrency: 1000}}}}\n\
         can: {{methods: [GET, PUT], body: bytes, deadline: passed}}\n"
    )
}

fn told(ran: &Ran) -> String {
    format!("{:?} {} {}", ran.code, ran.read("stdout"), ran.read("stderr"))
}

/// So many operations, a thousand at once, through one dependency over real sockets.
fn load(operations: u64) -> Ran {
    let scenario = format!(
        "version: 1\ntitle: Many operations at once\ndependencies:\n  upstream: {{}}\noperations:\n  - {{count: \
         {operations}, start: at_once, request: {{method: PUT, to: [upstream], path: /thing, body: \
         {{text: x}}}}}}\nexpect:\n  dependencies: {{upstream: {{calls: {operations}, delivered: {operations}}}}}\n"
    );
    let ran = ran(
        &scenario,
        "run -s s.yaml --client client.yaml -r json=r.json -r text=-",
    );
    let json: serde_json::Value = serde_json::from_str(&ran.read("r.json")).expect("a whole report");
    assert_eq!(json["trials"][0]["verdict"], "pass", "{}", told(&ran));
    assert_eq!(
        json["trials"][0]["dependencies"]["upstream"]["delivered"],
        operations
    );
    assert!(ran.left.is_empty() && ran.temporary.is_empty());
    ran
}

#[test]
fn five_thousand_operations_go_through_one_dependency_a_thousand_at_once() {
    let ran = load(5_000);
    assert!(ran.took < Duration::from_secs(140), "{:?}", ran.took);
    assert!(ran.peak_kib < 200 * 1024, "{} KiB", ran.peak_kib);
}

/// Only in the long form: it takes a minute.
#[test]
fn a_hundred_thousand_operations_go_through_one_dependency() {
    if crate::long::minutes(1).is_none() {
        return;
    }
    let ran = load(100_000);
    #[expect(clippy::print_stderr, reason = "the figures are what it is run for")]
    {
        eprintln!("100,000 operations: {:?}, at most {} KiB", ran.took, ran.peak_kib);
    }
    assert!(ran.peak_kib < 1_000_000, "{} KiB", ran.peak_kib);
}

/// Under a limit that it may not raise, the harness does not hold against its client what it could not do itself.
#[test]
fn a_harness_without_open_files_says_so_and_blames_nobody() {
    if !is_here("sh") {
        return;
    }
    let scenario = "version: 1\ntitle: t\ndependencies:\n  quiet: {script: [{cut: {at: before_answer, by: hang}}]}\n\
                    operations:\n  - {count: 100, start: at_once, deadline: 1s, request: {method: GET, to: [quiet], path: /q}}\n";
    let files = [("s.yaml", scenario), ("client.yaml", &many())];
    // Its client has files enough: the limit is its own, taken from it before it starts the harness.
    let program_file = env!("CARGO_BIN_EXE_retrial");
    let script = format!("ulimit -n 60 && exec '{program_file}' run -s s.yaml --client client.yaml");
    let ran = crate::program::started(&files, "sh", &["-c", &script]);
    assert_eq!(ran.code, Some(3), "{}", told(&ran));
    let said = ran.read("stdout");
    assert!(
        said.contains("the limit on open files (60) was reached"),
        "{}",
        told(&ran)
    );
    assert!(said.contains("harness_error s:"), "{}", told(&ran));
    assert!(ran.left.is_empty() && ran.temporary.is_empty());
}

#[test]
fn a_disk_that_is_full_costs_the_evidence_and_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let evidence = folder.path().join("e");
    std::fs::create_dir(&evidence).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", evidence.join("s.jsonl")).expect("a link");
    let ran = ran(
        SIMPLE,
        &format!("run -s s.yaml -r evidence={} -r json=r.json", evidence.display()),
    );
    assert_eq!(ran.code, Some(3), "{}", told(&ran));
    assert!(
        ran.read("stdout")
            .contains("its evidence cannot be written: No space left"),
        "{}",
        told(&ran)
    );
    assert!(ran.read("r.json").contains("harness_error"));
}

#[test]
fn a_disk_that_is_full_costs_a_report_and_the_others_are_written() {
    let ran = ran(
        SIMPLE,
        "run -s s.yaml -r markdown=/dev/full -r json=r.json -r text=-",
    );
    assert_eq!(ran.code, Some(3), "{}", told(&ran));
    assert!(
        ran.read("stderr")
            .contains("/dev/full cannot be written: No space left"),
        "{}",
        told(&ran)
    );
    assert!(ran.read("r.json").trim_end().ends_with('}'));
    assert!(ran.read("stdout").contains("1 trial: 1 pass"));
}

/// `/proc` takes no file from anybody, root included.
#[test]
fn a_folder_that_may_not_be_written_is_said_before_anything_runs() {
    for report in [
        "json=/proc/r.json",
        "evidence=/proc/evidence",
        "junit=/no/such/folder/r.xml",
    ] {
        let ran = ran(SIMPLE, &format!("run -s s.yaml -r {report}"));
        assert_eq!(ran.code, Some(2), "{}", told(&ran));
        assert!(ran.read("stderr").contains("cannot be written"), "{}", told(&ran));
        assert_eq!(ran.read("stdout"), "");
    }
}

/// A file that may grow no further is what a disk that fills up during a trial is.
#[test]
fn a_disk_that_fills_up_during_a_trial_costs_its_evidence_and_is_said() {
    let scenario = SIMPLE.replace("{deadline", "{count: 40, deadline");
    let program_file = env!("CARGO_BIN_EXE_retrial");
    let limited = format!("trap '' XFSZ; ulimit -f 8; exec '{program_file}' run -s s.yaml -r evidence=e");
    let ran = crate::program::started(&[("s.yaml", &scenario)], "sh", &["-c", &limited]);
    assert_eq!(ran.code, Some(3), "{}", told(&ran));
    let said = "its evidence could not be written to its end";
    assert!(ran.read("stdout").contains(said), "{}", told(&ran));
    let recorded =
        retrial::record::read(&ran.folder.path().join("e/s.jsonl")).expect("what was written is read");
    assert!(recorded.broke_off);
}
