//! `retrial run --snapshots`.

use std::fs;

use crate::program::{Folder, ONE_503, OUTAGE, stdout};

const NEW: [&str; 5] = ["run", "-s", "one-503.yaml", "--snapshots", "pinned"];
const FILE: &str = "pinned/reference/one-503.snap";

fn folder() -> Folder {
    Folder::new().with("one-503.yaml", ONE_503)
}

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&NEW[..], more].concat()
}

#[test]
fn a_new_snapshot_waits_beside_its_place_and_update_writes_it() {
    let folder = folder();
    let ended = folder.retrial_outside_ci(&NEW).code(0);
    assert!(stdout(&ended).contains("snapshots new: "), "{}", stdout(&ended));
    assert!(folder.path("pinned/reference/one-503.snap.new").exists() && !folder.path(FILE).exists());
    folder.retrial_outside_ci(&with(&["--update"])).code(0);
    assert!(folder.path(FILE).exists() && !folder.path("pinned/reference/one-503.snap.new").exists());
    let ended = folder.retrial_outside_ci(&NEW).code(0);
    assert!(!stdout(&ended).contains("snapshots"), "{}", stdout(&ended));
}

#[test]
fn the_file_is_one_that_insta_reads() {
    let folder = folder();
    folder.retrial_outside_ci(&with(&["--update"])).code(0);
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(folder.path("pinned/reference"));
    settings.set_prepend_module_to_snapshot(false);
    let observed = "operations: 1\nstop reasons:\n  ok: 1\ndependencies:\n  quota:\n    calls: 2\n    delivered: 1\n    \
                    multiplier: 2.000\n";
    settings.bind(|| insta::assert_snapshot!("one-503", observed));
    let text = folder.read(FILE);
    assert!(text.starts_with("---\nsource: \"one-503.yaml\"\n"), "{text}");
}

#[test]
fn a_difference_fails_the_run_and_is_shown_in_every_report() {
    let folder = folder();
    folder.retrial_outside_ci(&with(&["--update"])).code(0);
    let pinned = folder.read(FILE).replace("calls: 2", "calls: 7");
    fs::write(folder.path(FILE), &pinned).expect("it can be written");
    let reports = ["-r", "json=r.json", "-r", "junit=r.xml", "-r", "markdown=r.md"];
    let ended = folder.retrial_outside_ci(&with(&reports)).code(1);
    let text = stdout(&ended);
    assert!(
        text.contains("    -     calls: 7\n    +     calls: 2\n"),
        "{text}"
    );
    assert_eq!(folder.read(FILE), pinned);
    assert!(
        folder
            .read("pinned/reference/one-503.snap.new")
            .contains("calls: 2")
    );
    let json: serde_json::Value = serde_json::from_str(&folder.read("r.json")).expect("it is JSON");
    assert_eq!(json["snapshots"][0]["is"], "different");
    assert!(folder.read("r.xml").contains("type=\"snapshot\""));
    assert!(folder.read("r.md").contains("### snapshots different"));
}

#[test]
fn under_ci_nothing_is_written_and_what_is_missing_fails() {
    let folder = folder();
    let ended = folder.retrial_under_ci(&NEW).code(1);
    assert!(
        stdout(&ended).contains("snapshots missing: "),
        "{}",
        stdout(&ended)
    );
    assert!(!folder.path("pinned").exists());
    folder.retrial_under_ci(&with(&["--update"])).code(2);
    folder.retrial_outside_ci(&with(&["--update"])).code(0);
    folder.retrial_under_ci(&NEW).code(0);
}

#[test]
fn a_snapshot_that_no_trial_makes_is_reported_and_a_deselected_trials_is_not() {
    let folder = folder().with("outage.yaml", OUTAGE);
    let both = ["-s", "outage.yaml", "--update"];
    folder.retrial_outside_ci(&with(&both)).code(0);
    fs::rename(folder.path(FILE), folder.path("pinned/reference/gone.snap")).expect("it is there");
    let ended = folder
        .retrial_outside_ci(&with(&["-s", "outage.yaml", "outage"]))
        .code(0);
    let text = stdout(&ended);
    assert!(
        text.contains("snapshots unreferenced: ") && text.contains("gone.snap"),
        "{text}"
    );
    assert!(!text.contains("outage.snap"), "{text}");
}

#[test]
fn several_runs_of_one_client_are_pinned_alike() {
    let folder = Folder::new();
    let run = ["run", "--tag", "outage", "--snapshots", "pinned"];
    folder
        .retrial_outside_ci(&[&run[..], &["--update", "--seed", "1"]].concat())
        .code(0);
    for seed in ["2", "3"] {
        let ended = folder
            .retrial_outside_ci(&[&run[..], &["--seed", seed]].concat())
            .code(0);
        assert!(!stdout(&ended).contains("snapshots"), "{}", stdout(&ended));
    }
}
