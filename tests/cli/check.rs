//! `retrial check`.

use std::fs::File;
use std::process::{Command, Stdio};

use crate::program::{Folder, ONE_503, stderr, stdout};

#[test]
fn good_files_are_summed_up() {
    let client = "version: 1\nname: curl\ndriver: {exec: {command: [curl, '{url}']}}\n";
    let folder = Folder::new()
        .with("one-503.yaml", ONE_503)
        .with("client.yaml", client);
    let ended = folder.retrial(&["check", "one-503.yaml", "client.yaml"]).code(0);
    let said = stdout(&ended);
    let mut lines = said.lines();
    assert_eq!(
        lines.next(),
        Some("one-503.yaml: a scenario that makes 1 trial of 1 operation")
    );
    let client = lines.next().unwrap_or_default();
    assert!(
        client.starts_with("client.yaml: the client curl, which can be asked "),
        "{client}"
    );
}

#[test]
fn every_bad_file_is_told_with_its_place() {
    let folder = Folder::new()
        .with("one.yaml", &ONE_503.replace("to: [quota]", "to: [qouta]"))
        .with("two.yaml", &ONE_503.replace("times: 1", "times: one"));
    let ended = folder
        .retrial(&["check", "one.yaml", "two.yaml", "missing.yaml"])
        .code(2);
    let said = stderr(&ended);
    for part in ["one.yaml:9:", "qouta", "two.yaml:6:", "missing.yaml"] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
}

#[test]
fn an_expected_entry_names_a_check_that_exists() {
    let client = "\
version: 1
name: curl
driver: {exec: {command: [curl, '{url}']}}
expected: [{check: pushback.honored, because: spelling}]
";
    let folder = Folder::new().with("client.yaml", client);
    let ended = folder.retrial(&["check", "client.yaml"]).code(2);
    let said = stderr(&ended);
    assert!(
        said.contains("client.yaml:4:") && said.contains("did you mean `pushback.honoured`?"),
        "{said}"
    );
}

#[test]
fn a_file_in_a_pipe_is_read_once_and_whole() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let file = File::open(folder.path("one-503.yaml")).expect("it was written");
    let mut cat = Command::new("cat")
        .stdin(file)
        .stdout(Stdio::piped())
        .spawn()
        .expect("cat runs");
    let output = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args(["check", "/dev/stdin"])
        .stdin(cat.stdout.take().expect("it is piped"))
        .output()
        .expect("the program runs");
    assert!(cat.wait().expect("cat ends").success());
    let said = String::from_utf8(output.stdout).expect("text is UTF-8");
    assert_eq!(said, "/dev/stdin: a scenario that makes 1 trial of 1 operation\n");
}

#[test]
fn a_path_that_no_operation_takes_is_told() {
    let odd = ONE_503.replace("{times: 1,", "{times: 1, when: {path: /qouta},");
    let folder = Folder::new().with("odd.yaml", &odd);
    let said = stdout(&folder.retrial(&["check", "odd.yaml"]).code(0));
    let remark = "odd.yaml:6: no operation takes the path `/qouta` to quota; did you mean `/quota`?";
    assert!(said.lines().any(|line| line == remark), "{said}");
    // Where an answer sends the client elsewhere, it may well come there.
    let moved = odd.replace("status: 503", "status: 307, headers: {Location: /qouta}");
    let folder = Folder::new().with("moved.yaml", &moved);
    let said = stdout(&folder.retrial(&["check", "moved.yaml"]).code(0));
    assert!(!said.contains("no operation"), "{said}");
}

#[test]
fn a_known_finding_of_a_scenario_that_is_not_there_is_told() {
    let client = "\
version: 1
name: curl
driver: {exec: {command: [curl, '{url}']}}
expected:
  - {check: status.transient, scenario: outage-endles, because: spelling}
  - {check: status.transient, scenario: one-503, because: it is in a file}
";
    let folder = Folder::new()
        .with("client.yaml", client)
        .with("one-503.yaml", ONE_503);
    let said = stdout(&folder.retrial(&["check", "client.yaml", "one-503.yaml"]).code(0));
    let remark = "client.yaml:5: no scenario here is called `outage-endles`; did you mean `outage-endless`?";
    assert!(said.lines().any(|line| line == remark), "{said}");
    assert!(!said.contains("`one-503`"), "{said}");
    let alone = stdout(&folder.retrial(&["check", "client.yaml"]).code(0));
    assert!(alone.contains("no scenario here is called `one-503`"), "{alone}");
}
