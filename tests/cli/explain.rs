//! `retrial explain`.

use crate::program::{Folder, stderr, stdout};

#[test]
fn checks_citations_stop_reasons_and_scenarios_are_explained() {
    let folder = Folder::new();
    for (id, part) in [
        ("pushback.honoured", "RFC 9110"),
        ("rfc9110-10.2.3", "Retry-After"),
        ("healthy", "dependencies:"),
        ("attempt_cap", "The cap on attempts was reached."),
    ] {
        let ended = folder.retrial(&["explain", id]).code(0);
        let text = stdout(&ended);
        assert!(text.starts_with(&format!("{id}: ")), "{text}");
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_profile_tells_what_it_promises_and_what_nobody_can_judge_yet() {
    let text = stdout(&Folder::new().retrial(&["explain", "aws-standard-2026"]).code(0));
    for part in [
        "  attempts: 3\n",
        "no check can judge yet",
        "14",
        "https://aws.amazon.com/",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let text = stdout(&Folder::new().retrial(&["explain", "none"]).code(0));
    assert!(text.contains("What it promises:\n  nothing\n"), "{text}");
    let text = stdout(&Folder::new().retrial(&["explain", "grpc-a6"]).code(0));
    assert!(
        text.contains("a profile of promises") && text.contains("gRFC A6"),
        "{text}"
    );
}

#[test]
fn every_listed_id_can_be_explained() {
    let folder = Folder::new();
    let listed = stdout(
        &folder
            .retrial(&["list", "--scenarios", "--checks", "--profiles"])
            .code(0),
    );
    let ids: Vec<_> = listed
        .lines()
        .filter_map(|l| l.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    assert!(ids.len() > 14, "{listed}");
    for id in ids {
        folder.retrial(&["explain", id]).code(0);
    }
}

#[test]
fn a_misspelt_id_is_answered_with_the_nearest() {
    let ended = Folder::new().retrial(&["explain", "attempt_cup"]).code(2);
    assert_eq!(
        stderr(&ended),
        "error: nothing is called attempt_cup\n\nhint: did you mean `attempt_cap`?\n"
    );
}
