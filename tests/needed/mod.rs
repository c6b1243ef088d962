//! Programs that a test needs beside Rust: where one is missing, the test says aloud that it is skipped, and with
//! `RETRIAL_TEST_ALL` set, as `.ci/run` has it, it fails.

use std::io::Write;

/// Whether a program is on this machine.
pub fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let here = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !here {
        let all = std::env::var_os("RETRIAL_TEST_ALL").is_some();
        assert!(!all, "there is no `{program}` here, and RETRIAL_TEST_ALL is set");
        // Not by a macro of the test's: those are kept from sight where the test passes.
        let said = format!("skipped: there is no `{program}` on this machine\n");
        let _ = std::io::stderr().write_all(said.as_bytes());
    }
    here
}
