//! Whether what a client requires is on this machine.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::version::{at_least, version_in};
use crate::client::Requirement;
use crate::world::{RealWorld, World};

/// For how long a command may think about its version; `python3 --version` takes some 20 ms.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first requirement that is not met, as a sentence.
pub async fn unmet(requirements: &[Requirement]) -> Option<String> {
    for requirement in requirements {
        if let Some(sentence) = check(requirement).await {
            return Some(sentence);
        }
    }
    None
}

async fn check(requirement: &Requirement) -> Option<String> {
    let command = &requirement.command;
    let said = match version_text(command).await {
        Ok(said) => said,
        Err(why) => return Some(format!("{command} is required and {why}")),
    };
    let least = requirement.at_least.as_ref()?;
    let wanted = dotted(least);
    match version_in(&said) {
        None => Some(format!(
            "{command} {wanted} is required and its version cannot be told"
        )),
        Some(version) if at_least(&version, least) => None,
        Some(version) => Some(format!(
            "{command} {wanted} is required and this is {}",
            dotted(&version)
        )),
    }
}

/// What `command --version` says, on either output: some write it to standard error.
async fn version_text(command: &str) -> Result<String, String> {
    let mut process = Command::new(command);
    process.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
    let clock = RealWorld.start_clock();
    match clock.within(PATIENCE, process.output()).await {
        Err(_) => Err("does not say its version".to_owned()),
        Ok(Err(e)) if e.kind() == std::io::ErrorKind::NotFound => Err("is not on this machine".to_owned()),
        Ok(Err(e)) => Err(format!("cannot be run: {e}")),
        Ok(Ok(output)) => {
            let both = [output.stdout, output.stderr].concat();
            Ok(String::from_utf8_lossy(&both).into_owned())
        }
    }
}

fn dotted(version: &[u32]) -> String {
    let parts: Vec<_> = version.iter().map(u32::to_string).collect();
    parts.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn requirement(command: &str, at_least: Option<Vec<u32>>) -> Requirement {
        Requirement {
            command: command.to_owned(),
            at_least,
            span: Span::default(),
        }
    }

    #[tokio::test]
    async fn a_command_that_is_not_there_is_said_so() {
        let said = unmet(&[requirement("retrial-has-no-such-command", None)]).await;
        assert_eq!(
            said.as_deref(),
            Some("retrial-has-no-such-command is required and is not on this machine")
        );
    }

    #[tokio::test]
    async fn nothing_required_is_nothing_unmet() {
        assert_eq!(unmet(&[]).await, None);
    }
}
