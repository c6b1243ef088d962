//! A client's file, as plain data.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The folder of a client.
pub fn folder(client: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/clients")
        .join(client)
}

/// The file of a client.
pub fn read(client: &str) -> Value {
    let text = std::fs::read_to_string(folder(client).join("client.yaml")).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

/// The statuses that a client promises to repeat.
pub fn promised_statuses(file: &Value) -> Vec<u16> {
    let statuses = file["promises"]["retries"]["statuses"].as_array().unwrap();
    statuses
        .iter()
        .map(|status| u16::try_from(status.as_u64().unwrap()).unwrap())
        .collect()
}

/// Whether the command succeeds; where it does not, the test says that it is skipped. With `RETRIAL_TEST_ALL` set, as in
/// CI, nothing may be skipped.
pub fn is_there(command: &str, arguments: &[&str]) -> bool {
    let status = Command::new(command)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let there = status.is_ok_and(|status| status.success());
    if !there {
        let all = std::env::var_os("RETRIAL_TEST_ALL").is_some();
        assert!(
            !all,
            "`{command} {}` does not run here, and RETRIAL_TEST_ALL is set",
            arguments.join(" ")
        );
        skip(&format!("`{command} {}` does not run here", arguments.join(" ")));
    }
    there
}

/// Says that a test is skipped, and why.
pub fn skip(why: &str) {
    // Not by a macro of the test's: those are kept from sight where the test passes.
    let said = format!("skipped: {why}\n");
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}
