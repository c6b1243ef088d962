//! `retrial run --repeat`.

use std::fs;

use crate::needed::is_here;
use crate::program::{Folder, ONE_503, stdout};

/// A client that keeps its promise of two attempts in its first process, and makes five in every other.
const TURNCOAT: &str = r#"
import os, sys, json, urllib.request, urllib.error
done = os.path.join(os.path.dirname(os.path.abspath(__file__)), "done")
first = not os.path.exists(done)
open(done, "w").close()
for line in sys.stdin:
    asked = json.loads(line)
    if "retrial" in asked:
        print(json.dumps({"retrial": 1, "client": "turncoat", "version": "1"}), flush=True)
        continue
    if "op" not in asked:
        continue
    attempts, most, claim = 0, 2 if first else 5, "failed"
    while attempts < most and claim != "ok":
        attempts += 1
        try:
            urllib.request.urlopen(asked["url"]).read()
            claim = "ok"
        except urllib.error.HTTPError as e:
            e.read()
    stop = "ok" if claim == "ok" else "attempt_cap"
    print(json.dumps({"op": asked["op"], "claim": claim, "status": 200, "attempts": attempts, "stop": stop}), flush=True)
"#;

const CLIENT: &str = "\
version: 1
name: turncoat
driver: {jsonl: {command: [python3, turncoat.py], concurrency: 1}}
promises: {attempts: 2}
";

#[test]
fn a_trial_whose_runs_differ_is_named_and_its_worst_run_counts() {
    if !is_here("python3") {
        return;
    }
    let folder = Folder::new()
        .with("outage.yaml", crate::program::OUTAGE)
        .with("client.yaml", CLIENT)
        .with("turncoat.py", TURNCOAT);
    let run = [
        "run",
        "-s",
        "outage.yaml",
        "--client",
        "client.yaml",
        "--repeat",
        "3",
    ];
    let reports = ["-r", "json=r.json", "-r", "evidence=saved"];
    let text = stdout(&folder.retrial(&[&run[..], &reports].concat()).code(1));
    // Whether the right run is a pass or noted is for other checks to say.
    let flaky = |text: &str| text.contains("flaky outage: 3 runs ended 1 ") && text.contains(", 2 fail");
    assert!(flaky(&text), "{text}");
    assert!(text.contains("1 trial: 1 fail"), "{text}");
    let report: serde_json::Value = serde_json::from_str(&folder.read("r.json")).expect("it is JSON");
    assert_eq!(report["trials"][0]["flakes"], 1);
    let again = stdout(&folder.retrial(&["judge", "saved"]).code(1));
    assert!(flaky(&again), "{again}");
}

#[test]
fn runs_that_end_alike_are_one_row_and_each_leaves_its_evidence() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let run = [
        "run",
        "-s",
        "one-503.yaml",
        "--repeat",
        "3",
        "-r",
        "evidence=saved",
    ];
    let text = stdout(&folder.retrial(&run).code(0));
    assert!(
        text.contains("1 trial: 1 pass") && !text.contains("flaky"),
        "{text}"
    );
    let files = fs::read_dir(folder.path("saved"))
        .expect("evidence was saved")
        .count();
    assert_eq!(files, 3);
}
