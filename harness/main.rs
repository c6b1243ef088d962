//! The program. Until the command line room is built, it knows the reference client only.

#[path = "../fixtures/reference/mod.rs"]
mod reference;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["client"] => reference::main(None),
        ["client", "--mutant", name] => reference::main(Some(name)),
        ["client", "--list-mutants"] => reference::list_mutants(),
        _ => ExitCode::from(2),
    }
}
