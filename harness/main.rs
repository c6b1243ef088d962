//! The program.

#[path = "../fixtures/reference/mod.rs"]
mod reference;
mod virtual_reference;

use std::process::ExitCode;

fn main() -> ExitCode {
    retrial::cli::main(retrial::cli::Reference {
        run: reference::main,
        in_virtual_time: virtual_reference::begin,
        list_mutants: reference::list_mutants,
        mutants: reference::mutants::table,
    })
}
