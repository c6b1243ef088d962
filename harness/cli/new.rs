//! `retrial new`.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

use super::arguments::New;
use super::failure::Failure;
use super::print;
use crate::report::shell_word;
use crate::scenario;
use crate::suite::Exit;

/// Writes a commented scenario to begin with. A file that is there is left alone.
pub(super) fn new(arguments: &New) -> Result<Exit, Failure> {
    let name = arguments.name.strip_suffix(".yaml").unwrap_or(&arguments.name);
    if !is_a_name(name) {
        let sentence = format!("{name:?} is not a name for a scenario");
        let hint = "a name is made of letters, digits, `-`, `_` and `.`, and begins with a letter or digit";
        return Err(Failure::usage(&sentence, Some(hint)));
    }
    let file = format!("{name}.yaml");
    let opened = OpenOptions::new().write(true).create_new(true).open(&file);
    let written = opened.and_then(|mut out| out.write_all(scenario::starter(name).as_bytes()));
    match written {
        Ok(()) => {
            let file = shell_word(&file);
            print::talk(&format!(
                "wrote {file}\nhint: retrial run -s {file} -- curl -sS --fail --retry 3 {{url}}\n"
            ));
            Ok(Exit::Fine)
        }
        Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(Failure::usage(
            &format!("{file} is there already"),
            Some("choose another name"),
        )),
        Err(e) => Err(Failure::usage(&format!("{file} cannot be written: {e}"), None)),
    }
}

/// A name becomes a file's name and a trial's id.
fn is_a_name(name: &str) -> bool {
    let all = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    all && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}
