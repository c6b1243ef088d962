//! A client that is a command and nothing else: `retrial run -- curl -sS --fail {url}`.

use std::path::Path;
use std::sync::Arc;

use super::placeholder::{PLACEHOLDERS, derived, placeholders};
use super::{Argument, Client, DriverPlan, StdoutIs, SuccessIs};
use crate::promise::Promises;
use crate::source::{Source, nearest};

/// A client from the words of its command: named after the program, asked what its placeholders allow, promising
/// nothing.
///
/// # Errors
///
/// A sentence: without a command, without any placeholder, or with one that is misspelt.
pub fn from_command(words: &[String]) -> Result<Client, String> {
    let program = words.first().filter(|w| !w.is_empty());
    let program = program.ok_or("there is no command after `--`")?;
    let found: Vec<&str> = words.iter().flat_map(|w| placeholders(w)).collect();
    let known: Vec<&str> = found
        .iter()
        .copied()
        .filter(|w| PLACEHOLDERS.contains(w))
        .collect();
    if let Some((word, meant)) = found.iter().find_map(|w| Some((w, misspelt(w)?))) {
        return Err(format!(
            "there is no placeholder {{{word}}}; did you mean {{{meant}}}?"
        ));
    }
    if known.is_empty() {
        return Err(format!(
            "the command `{}` has no placeholder, so it cannot be told where to send anything; write {{url}} where \
             the URL belongs",
            words.join(" ")
        ));
    }
    Ok(Client {
        name: name_of(program),
        driver: DriverPlan::Exec {
            command: words.iter().cloned().map(Argument::One).collect(),
            success: SuccessIs::default(),
            stdout: StdoutIs::default(),
        },
        requires: Vec::new(),
        can: derived(&known),
        promises: Promises::default(),
        invocation_header: None,
        key_header: None,
        expected: Vec::new(),
        folder: None,
        source: Arc::new(Source::new("command line", words.join(" "))),
    })
}

/// What was meant by a word that is almost a placeholder.
fn misspelt(word: &str) -> Option<&'static str> {
    nearest(word, PLACEHOLDERS).filter(|_| !PLACEHOLDERS.contains(&word))
}

/// The last part of a program's path, without the ending of a Windows program.
fn name_of(program: &str) -> String {
    let name = Path::new(program).file_name().map(|n| n.to_string_lossy());
    let name = name.as_deref().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promise::{BodyCan, Can, DeadlineCan, KeysCan};

    fn client(command: &str) -> Result<Client, String> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        from_command(&words)
    }

    #[test]
    fn a_bare_command_can_only_get() {
        let curl = client("/usr/bin/curl -sS --fail --retry 3 {url}").unwrap();
        assert_eq!(curl.name, "curl");
        assert_eq!(curl.can, Can::default());
    }

    #[test]
    fn each_placeholder_widens_what_a_command_can() {
        let all = client("c -X {method} -d @{body_file} -k {key} -t {deadline_ms} {urls}").unwrap();
        assert_eq!(all.can.methods, Vec::<String>::new());
        assert_eq!(all.can.body, BodyCan::Bytes);
        assert_eq!(all.can.keys, KeysCan::Given);
        assert_eq!(all.can.deadline, DeadlineCan::Passed);
        assert_eq!(all.can.targets, u32::MAX);
    }

    #[test]
    fn a_command_that_cannot_be_told_a_url_is_refused() {
        let sentence = |command| client(command).unwrap_err();
        assert!(sentence("curl -sS").contains("write {url} where"));
        assert_eq!(
            sentence("curl {ur}"),
            "there is no placeholder {ur}; did you mean {url}?"
        );
        assert_eq!(sentence(""), "there is no command after `--`");
    }
}
