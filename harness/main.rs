//! The program.

#[path = "../fixtures/reference/mod.rs"]
mod reference;

use std::process::ExitCode;

fn main() -> ExitCode {
    retrial::cli::main(retrial::cli::Reference {
        run: reference::main,
        list_mutants: reference::list_mutants,
        mutants: reference::mutants::table,
    })
}
