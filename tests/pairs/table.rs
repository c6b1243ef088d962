//! `fixtures/clients/pairs.yaml`, and what of it can be run here.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;

/// A client that was wrong, the same one put right, and what tells them apart.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    pub pair: String,
    /// A built-in scenario or trial.
    pub scenario: Option<String>,
    /// Or a scenario's file, beside the table.
    pub file: Option<String>,
    pub check: String,
    /// There is no such check yet.
    #[serde(default)]
    pub not_yet: bool,
    pub grade: String,
    pub says: String,
    pub wrong: Side,
    pub right: Side,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// The client's file, beside the table.
    pub client: String,
    /// The folder that holds its packages, in `target/clients`.
    pub packages: String,
}

/// The whole table.
pub fn pairs() -> Vec<Pair> {
    let text = std::fs::read_to_string(fixtures().join("pairs.yaml")).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

/// Where the clients' files are.
pub fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/clients")
}

impl Side {
    /// Where install.sh puts its packages.
    pub fn folder(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("target/clients")
            .join(&self.packages)
    }

    /// Why it cannot be run here.
    pub fn missing(&self) -> Option<String> {
        let interpreter = match self.client.starts_with("node/") {
            true => "node",
            false => "python3",
        };
        if !runs(interpreter) {
            return Some(format!("`{interpreter} --version` does not run here"));
        }
        let there = self.folder().join("installed").is_file();
        (!there).then(|| {
            let name = &self.packages;
            format!("`fixtures/clients/install.sh {name}` has not run here")
        })
    }
}

fn runs(command: &str) -> bool {
    let mut command = Command::new(command);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
