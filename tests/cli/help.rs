//! Help and version.

use crate::program::{Folder, stdout};

#[test]
fn every_command_has_a_help_text() {
    let folder = Folder::new();
    for command in [
        "", "run", "new", "check", "list", "explain", "judge", "merge", "serve", "client",
    ] {
        let mut arguments: Vec<_> = vec![command, "--help"];
        arguments.retain(|a| !a.is_empty());
        let ended = folder.retrial(&arguments).code(0);
        let name = if command.is_empty() { "retrial" } else { command };
        insta::assert_snapshot!(format!("help-{name}"), stdout(&ended));
    }
}

#[test]
fn the_version_is_data() {
    let ended = Folder::new().retrial(&["--version"]).code(0);
    assert_eq!(
        stdout(&ended),
        concat!("retrial ", env!("CARGO_PKG_VERSION"), "\n")
    );
}
