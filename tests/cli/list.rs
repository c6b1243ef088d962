//! `retrial list`.

use crate::program::{Folder, stdout};

#[test]
fn all_three_sections_are_listed() {
    let ended = Folder::new().retrial(&["list"]).code(0);
    let text = stdout(&ended);
    for part in [
        "scenarios\n",
        "\nchecks\n  ",
        "pushback.honoured  ",
        "\nmutants of the reference client\n  ",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
}

#[test]
fn one_section_can_be_asked_for() {
    let ended = Folder::new().retrial(&["list", "--checks"]).code(0);
    assert!(stdout(&ended).starts_with("checks\n"));
    assert!(!stdout(&ended).contains("mutants"));
}
