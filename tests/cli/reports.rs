//! Where reports go.

use crate::program::{Folder, ONE_503, OUTAGE, stderr, stdout};

#[test]
fn json_on_standard_output_is_all_that_is_there() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let ended = folder
        .retrial(&["run", "-s", "one-503.yaml", "-r", "json=-", "--seed", "5"])
        .code(0);
    let report: serde_json::Value = serde_json::from_str(&stdout(&ended)).expect("it is JSON");
    assert_eq!(report["version"], 1);
    assert_eq!(report["client"], "reference");
    assert_eq!(report["seed"], 5);
    let trial = &report["trials"][0];
    assert_eq!(trial["verdict"], "pass");
    assert_eq!(trial["operations"], 1);
    assert_eq!(trial["stop_reasons"], serde_json::json!({"ok": 1}));
    let quota = &trial["dependencies"]["quota"];
    assert_eq!(
        [
            &quota["calls"],
            &quota["delivered"],
            &quota["acknowledged"],
            &quota["multiplier"]
        ],
        [
            &serde_json::json!(2),
            &serde_json::json!(1),
            &serde_json::json!(1),
            &serde_json::json!(2.0)
        ]
    );
}

#[test]
fn several_reports_are_written_beside_the_text() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let reports = ["-r", "json=r.json", "-r", "junit=r.xml", "-r", "evidence=e"];
    let ended = folder
        .retrial(&[&["run", "-s", "one-503.yaml"][..], &reports].concat())
        .code(0);
    assert!(stdout(&ended).starts_with("retrial "), "{}", stdout(&ended));
    assert!(folder.read("r.json").contains("\"version\": 1"));
    assert!(
        folder
            .read("r.xml")
            .contains("<testcase name=\"one-503\" classname=\"reference\"")
    );
    assert!(
        folder
            .read("e/one-503.jsonl")
            .starts_with("{\"retrial_evidence\":1,")
    );
}

#[test]
fn a_report_on_a_pipe_has_no_colour() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let ended = folder.retrial(&["run", "-s", "one-503.yaml"]).code(0);
    assert!(!stdout(&ended).contains('\u{1b}'));
}

#[test]
fn the_text_report_shows_what_a_stranger_needs() {
    let folder = Folder::new().with("outage.yaml", OUTAGE);
    let run = ["run", "-s", "outage.yaml", "--mutant", "one-more", "--seed", "7"];
    let ended = folder.retrial(&run).code(1);
    let mut redacted = insta::Settings::clone_current();
    redacted.add_filter(r"\d+\.\d+\.\d+", "[version]");
    // Moments, and the padding that depends on their width.
    redacted.add_filter(r" +\d+\.\d( [^%]|$)", " [ms]$1");
    redacted.add_filter(r"\d+\.\d{3} s", "[s]");
    redacted.add_filter(r"at \d+\.\d", "at [ms]");
    redacted.add_filter(r" +ms ", " ms ");
    redacted.bind(|| insta::assert_snapshot!("text", stdout(&ended)));
}

#[test]
fn a_report_that_cannot_be_written_does_not_keep_the_others_from_being_written() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let reports = ["-r", "json=/dev/full", "-r", "junit=r.xml", "-r", "text=-"];
    let ended = folder
        .retrial(&[&["run", "-s", "one-503.yaml"][..], &reports].concat())
        .code(3);
    assert!(
        stderr(&ended).starts_with("error: /dev/full cannot be written: "),
        "{}",
        stderr(&ended)
    );
    assert!(stdout(&ended).contains("1 trial: 1 pass"), "{}", stdout(&ended));
    assert!(folder.read("r.xml").ends_with("</testsuites>\n"));
}

#[test]
fn two_reports_do_not_share_a_file() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let reports = ["-r", "json=r", "-r", "junit=./r"];
    let ended = folder
        .retrial(&[&["run", "-s", "one-503.yaml"][..], &reports].concat())
        .code(2);
    assert!(
        stderr(&ended).starts_with("error: two reports cannot share ./r\n"),
        "{}",
        stderr(&ended)
    );
}
