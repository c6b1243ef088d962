//! The program.

#[path = "../fixtures/reference/mod.rs"]
mod reference;

use std::process::ExitCode;

fn main() -> ExitCode {
    retrial::cli::main(retrial::cli::Reference {
        run: reference::main,
        mutants: reference::table_of_mutants,
    })
}
