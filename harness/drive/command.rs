//! A client's command: found before anything is asked of it, and given an environment that does not bend its calls.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::{Brief, mark};

/// A command that exists and may be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    written: String,
    found: PathBuf,
    folder: PathBuf,
}

impl Program {
    /// Finds the program: a name along PATH, a path seen from `folder` (`None` is the current one).
    ///
    /// # Errors
    /// A sentence without a full stop: it is not there, or may not be executed.
    pub(super) fn find(written: &str, folder: Option<&Path>) -> Result<Self, String> {
        let current =
            std::env::current_dir().map_err(|e| format!("the current folder cannot be used: {e}"))?;
        let folder = folder.map_or_else(|| current.clone(), |f| current.join(f));
        if !folder.is_dir() {
            return Err(format!("the client's folder `{}` is not there", folder.display()));
        }
        let found = if written.contains('/') {
            executable(&folder.join(written))?
        } else {
            on_path(written, std::env::var_os("PATH").unwrap_or_default().as_os_str())?
        };
        let written = written.to_owned();
        Ok(Program {
            written,
            found,
            folder,
        })
    }

    /// A command for it: in its folder, piped, without input, in the environment of its trial.
    pub(super) fn command(&self, brief: &Brief, mark: &mark::Mark) -> Command {
        let mut command = Command::new(&self.found);
        command
            // Programs name themselves by this in their messages.
            .arg0(&self.written)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, _) in std::env::vars_os() {
            if bends_calls(&name) {
                command.env_remove(name);
            }
        }
        command
            .env("NO_PROXY", "*")
            .env("no_proxy", "*")
            .env("RETRIAL_TMP", &brief.tmp)
            .env(mark::VARIABLE, mark.value());
        if let Some(zone) = &brief.zone {
            command.env("TZ", zone);
        }
        command
    }

    /// As it is written in the client's file.
    pub(super) fn written(&self) -> &str {
        &self.written
    }
}

/// Whether a variable of ours would lead a client's calls elsewhere, or is another trial's.
fn bends_calls(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_lowercase();
    name.ends_with("_proxy") || name.starts_with("retrial_")
}

fn on_path(name: &str, path: &OsStr) -> Result<PathBuf, String> {
    if name.is_empty() {
        return Err("the client's command is empty".to_owned());
    }
    let mut not_executable = None;
    for folder in std::env::split_paths(path) {
        let candidate = folder.join(name);
        match executable(&candidate) {
            Ok(found) => return Ok(found),
            Err(because) if candidate.is_file() => not_executable = Some(because),
            Err(_) => {}
        }
    }
    Err(not_executable.unwrap_or_else(|| format!("the command `{name}` was not found on PATH")))
}

fn executable(path: &Path) -> Result<PathBuf, String> {
    let shown = path.display();
    let metadata = path
        .metadata()
        .map_err(|e| format!("the command `{shown}` cannot be used: {e}"))?;
    if metadata.is_dir() {
        return Err(format!("the command `{shown}` is a folder"));
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(format!("the command `{shown}` is not executable"));
    }
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_for_along_path() {
        let found = Program::find("sh", None).unwrap();
        assert!(found.found.is_absolute());
        let missing = Program::find("no-such-command-anywhere", None).unwrap_err();
        assert_eq!(
            missing,
            "the command `no-such-command-anywhere` was not found on PATH"
        );
    }

    #[test]
    fn a_path_is_seen_from_the_clients_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("client"), "").unwrap();
        let refused = Program::find("./client", Some(folder.path())).unwrap_err();
        assert!(refused.ends_with("is not executable"), "{refused}");
    }

    #[test]
    fn a_folder_is_not_a_command() {
        let refused = Program::find("/", None).unwrap_err();
        assert!(refused.ends_with("is a folder"), "{refused}");
    }

    #[test]
    fn variables_that_lead_calls_elsewhere_are_recognised_in_either_case() {
        for name in ["http_proxy", "HTTPS_PROXY", "ALL_PROXY", "RETRIAL_URL"] {
            assert!(bends_calls(OsStr::new(name)), "{name}");
        }
        assert!(!bends_calls(OsStr::new("PATH")));
    }
}
