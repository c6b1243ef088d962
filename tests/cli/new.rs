//! `retrial new`.

use crate::program::{Folder, stderr, stdout};

#[test]
fn a_new_scenario_is_valid_and_runs() {
    let folder = Folder::new();
    folder.retrial(&["new", "mine"]).code(0);
    let checked = folder.retrial(&["check", "mine.yaml"]).code(0);
    assert!(
        stdout(&checked).starts_with("mine.yaml: a scenario that makes "),
        "{}",
        stdout(&checked)
    );
    folder.retrial(&["run", "-s", "mine.yaml"]).code(0);
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let folder = Folder::new().with("mine.yaml", "precious");
    let ended = folder.retrial(&["new", "mine"]).code(2);
    assert_eq!(
        stderr(&ended),
        "error: mine.yaml is there already\n\nhint: choose another name\n"
    );
    assert_eq!(folder.read("mine.yaml"), "precious");
}

#[test]
fn a_name_cannot_lead_out_of_the_folder() {
    let folder = Folder::new();
    for name in ["../mine", "a/b", "", ".hidden", "a b", "\u{1b}[2J"] {
        let ended = folder.retrial(&["new", "--", name]).code(2);
        assert!(!stderr(&ended).contains('\u{1b}'), "{name:?}");
    }
}
