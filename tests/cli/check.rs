//! `retrial check`.

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
