//! The program: arguments, files, standard output, exit status. The only room that prints.
//!
//! Data goes to standard output, talk to standard error. What a command does is in the file of its name.

mod arguments;
mod call_lines;
mod check;
mod client_input;
mod destination;
mod explain;
mod failure;
mod interrupt;
mod judge;
mod list;
mod live;
mod meanings;
mod merge;
mod nearest;
mod new;
mod output_file;
mod pattern;
mod print;
mod profile_text;
mod progress;
mod remarks;
mod repeat;
mod run;
mod scenario_input;
mod selection;
mod serve;
mod shelf;
mod words;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use failure::Failure;

use crate::suite::{Begin, Exit};
use crate::world::VirtualWorld;

/// The built-in reference client, which the program brings along and the library does not know.
#[derive(Clone, Copy)]
pub struct Reference {
    /// Speaks the jsonl lines on standard input and output until the input ends.
    pub run: fn(mutant: Option<&str>) -> ExitCode,
    /// Makes it, or a mutant, in this process and on connections of the virtual world.
    pub in_virtual_time: fn(mutant: Option<&str>) -> Begin<VirtualWorld>,
    /// Its mutants, one a line: name, the check that is meant to catch it, and a sentence, with tabs between.
    pub mutants: fn() -> String,
    /// Prints that table to standard output, as the client itself does it.
    pub list_mutants: fn() -> ExitCode,
}

/// The program, from its arguments to its exit status.
pub fn main(reference: Reference) -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(e) => return usage(&e),
    };
    let ended = match arguments.command {
        // An unset variable behind `--` must not put another client in its place, and pass.
        Command::Run(_) if std::env::args_os().next_back().is_some_and(|last| last == "--") => {
            let hint = Some("name the client's command, or leave `--` out");
            Err(Failure::usage("no command follows `--`", hint))
        }
        Command::Run(run) => run::run(&run, reference),
        Command::New(new) => new::new(&new),
        Command::Check(check) => check::check(&check),
        Command::List(list) => list::list(&list, reference),
        Command::Explain(explain) => explain::explain(&explain.id, &(reference.mutants)()),
        Command::Judge(judge) => judge::judge(&judge),
        Command::Merge(merge) => merge::merge(&merge),
        Command::Serve(serve) => serve::serve(&serve),
        Command::Client(client) if client.list_mutants => return (reference.list_mutants)(),
        Command::Client(client) => return (reference.run)(client.mutant.as_deref()),
    };
    let exit = ended.unwrap_or_else(|failure: Failure| {
        print::talk(&failure.text);
        failure.exit
    });
    ExitCode::from(exit as u8)
}

/// Help and version are data; everything else that clap has to say is wrong usage.
fn usage(error: &clap::Error) -> ExitCode {
    // Where even this cannot be printed there is nobody to tell.
    let _ = error.print();
    let exit = if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Fine
    };
    ExitCode::from(exit as u8)
}
