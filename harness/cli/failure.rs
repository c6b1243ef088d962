//! Why a command ends before its work is done.

use crate::report::plain;
use crate::source::{Problem, render};
use crate::suite::Exit;

/// A text for standard error, and the exit status.
#[derive(Debug)]
pub(super) struct Failure {
    /// What is said, with a newline at its end.
    pub text: String,
    /// How the program ends.
    pub exit: Exit,
}

impl Failure {
    /// Wrong usage: a lower-case sentence, and a hint if there is one.
    pub(super) fn usage(sentence: &str, hint: Option<&str>) -> Self {
        Failure::new(Exit::Usage, sentence, hint)
    }

    /// Any failure: a lower-case sentence, and a hint if there is one.
    pub(super) fn new(exit: Exit, sentence: &str, hint: Option<&str>) -> Self {
        let hint = hint.map_or_else(String::new, |hint| format!("\nhint: {}\n", plain(hint)));
        Failure {
            text: format!("error: {}\n{hint}", plain(sentence)),
            exit,
        }
    }

    /// Files that are wrong.
    pub(super) fn files(problems: &[Problem]) -> Self {
        let mut text = render(problems, true);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Failure {
            text,
            exit: Exit::Usage,
        }
    }
}
