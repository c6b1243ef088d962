//! Which trials run: names, tags, shards, time.

use std::collections::BTreeSet;

use crate::program::{Folder, ONE_503, OUTAGE, stderr, stdout};

fn tagged(text: &str, tags: &str) -> String {
    text.replace("dependencies:", &format!("tags: [{tags}]\ndependencies:"))
}

fn folder() -> Folder {
    Folder::new()
        .with("one-503.yaml", &tagged(ONE_503, "status, quick"))
        .with("outage.yaml", &tagged(OUTAGE, "outage, quick"))
}

fn run(folder: &Folder, more: &[&str]) -> (BTreeSet<String>, Vec<String>) {
    let files = ["run", "-s", "one-503.yaml", "-s", "outage.yaml", "-r", "json=-"];
    let ended = folder.retrial(&[&files[..], more].concat()).code(0);
    let report: serde_json::Value = serde_json::from_str(&stdout(&ended)).expect("it is JSON");
    let words = |list: &serde_json::Value, key: Option<&str>| -> Vec<String> {
        let list = list.as_array().expect("a list").iter();
        list.map(|one| {
            key.map_or(one, |key| &one[key])
                .as_str()
                .expect("a word")
                .to_owned()
        })
        .collect()
    };
    (
        words(&report["trials"], Some("trial")).into_iter().collect(),
        words(&report["deselected"], None),
    )
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn tags_and_names_select_and_leave_out() {
    let folder = folder();
    assert_eq!(run(&folder, &["--tag", "outage"]).0, set(&["outage"]));
    assert_eq!(
        run(&folder, &["--tag", "status", "--tag", "outage"]).0,
        set(&["one-503", "outage"])
    );
    assert_eq!(
        run(&folder, &["--tag", "quick", "--skip", "out*"]).0,
        set(&["one-503"])
    );
    let (trials, deselected) = run(&folder, &["--skip-tag", "status"]);
    assert_eq!(trials, set(&["outage"]));
    assert!(deselected.contains(&"one-503".to_owned()) && deselected.contains(&"healthy".to_owned()));
}

#[test]
fn a_tag_that_nothing_has_is_answered_with_the_nearest() {
    let ended = folder().retrial(&["run", "--tag", "pushbak"]).code(2);
    assert_eq!(
        stderr(&ended),
        "error: no scenario has the tag pushbak\n\nhint: did you mean `pushback`?\n"
    );
    folder().retrial(&["run", "--skip", "no-such-scenario"]).code(2);
    let ended = folder().retrial(&["run", "healthy", "--skip", "healthy"]).code(4);
    assert!(stderr(&ended).contains("nothing is selected by healthy --skip healthy"));
}

#[test]
fn a_tag_holds_what_no_shell_changes() {
    let folder = Folder::new().with("bad.yaml", &tagged(ONE_503, "'two words', a, a"));
    let said = stderr(&folder.retrial(&["check", "bad.yaml"]).code(2));
    assert!(said.contains("`two words` is not a tag"), "{said}");
    assert!(said.contains("the tag `a` stands here twice"), "{said}");
}

#[test]
fn shards_are_disjoint_and_their_reports_join_to_the_whole() {
    let folder = folder();
    for shard in ["1/2", "2/2"] {
        let file = format!("json={}.json", &shard[..1]);
        let files = [
            "run",
            "-s",
            "one-503.yaml",
            "-s",
            "outage.yaml",
            "--shard",
            shard,
            "-r",
            &file,
        ];
        folder.retrial(&files).code(0);
    }
    let ended = folder
        .retrial(&["merge", "1.json", "2.json", "-r", "json=-"])
        .code(0);
    let report: serde_json::Value = serde_json::from_str(&stdout(&ended)).expect("it is JSON");
    assert_eq!(report["trials"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["shard"], serde_json::Value::Null);
    let ended = folder.retrial(&["merge", "1.json"]).code(1);
    assert!(
        stdout(&ended).contains("missing the report of shard 2/2 is not among those that were joined"),
        "{}",
        stdout(&ended)
    );
    let ended = folder.retrial(&["merge", "1.json", "1.json"]);
    ended.failure();
    folder.retrial(&["run", "--shard", "3/2"]).code(2);
}

#[test]
fn a_failed_shard_fails_the_whole() {
    let folder = folder();
    let run = [
        "run",
        "-s",
        "outage.yaml",
        "--mutant",
        "one-more",
        "-r",
        "json=r.json",
    ];
    folder.retrial(&run).code(1);
    let ended = folder.retrial(&["merge", "r.json"]).code(1);
    let text = stdout(&ended);
    assert!(text.contains("fail attempts.capped (promised)"), "{text}");
    assert!(
        text.contains("    outage.yaml:5  quota: {script: [{answer: {status: 503}}]}"),
        "{text}"
    );
    folder.retrial(&["merge", "outage.yaml"]).code(2);
    folder.retrial(&["merge", "missing.json"]).code(2);
}

#[test]
fn what_was_not_begun_in_time_is_reported_and_fails_the_run() {
    let folder = folder();
    let files = [
        "run",
        "-s",
        "one-503.yaml",
        "-s",
        "outage.yaml",
        "--max-time",
        "0s",
    ];
    let text = stdout(&folder.retrial(&files).code(1));
    assert!(text.contains("not run: the 0s of --max-time were over"), "{text}");
    assert!(text.contains("2 trials: 2 inconclusive"), "{text}");
    let enough = [&files[..6], &["10m"]].concat();
    folder.retrial(&enough).code(0);
}
