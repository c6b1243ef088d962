//! What can be written on the command line.

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::destination::Wanted;

const EXIT_STATUS: &str = "\
Exit status:
  0    no trial failed
  1    a trial failed, passed unexpectedly or proved nothing
  2    wrong usage or a bad file; nothing ran
  3    the harness or the client could not run
  4    nothing selected, or everything skipped
  130  interrupted; the report is written";

const EXAMPLES: &str = "\
Examples:
  retrial run                                       the built-in reference client
  retrial run -- curl -sS --fail --retry 3 {url}    any command
  retrial run --client client.yaml --strict         a client that says what it promises
  retrial run -s mine.yaml -r json=report.json      a scenario of your own";

/// Puts retry clients on trial: scripted faulty dependencies, counted calls, cited findings.
#[derive(Debug, Parser)]
#[command(name = "retrial", version, max_term_width = 100, after_help = EXIT_STATUS, disable_help_subcommand = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Put a client through scenarios (without a client: the built-in reference client).
    Run(Run),
    /// Write a commented scenario to begin with.
    New(New),
    /// Say what is wrong with scenario and client files; run nothing.
    Check(Check),
    /// List scenarios, checks and mutants.
    List(List),
    /// Explain a check, a scenario, a citation or a stop reason.
    Explain(Explain),
    /// Judge saved evidence again.
    Judge(Judge),
    /// Be the built-in reference client, spoken to in lines of JSON.
    Client(Client),
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Run {
    /// Scenarios or single trials by name; `*` stands for anything [default: all built-in ones].
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Scenario files; without NAMEs, only their trials run.
    #[arg(short, long = "scenario", value_name = "FILE")]
    pub scenarios: Vec<PathBuf>,
    /// The client's file.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["command", "mutant"])]
    pub client: Option<PathBuf>,
    /// Try the reference client with this deliberate defect.
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub mutant: Option<String>,
    #[command(flatten)]
    pub output: Output,
    /// The seed for keys and chances [default: a fresh one, printed in the report].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// How many trials run side by side.
    #[arg(short, long, value_name = "N", default_value = "64")]
    pub jobs: NonZero<usize>,
    /// A command that is the client, with {url} where the URL goes.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct Output {
    /// Let warnings fail a trial.
    #[arg(long)]
    pub strict: bool,
    /// A report: text, json or junit to a FILE (`-` is standard output), evidence to a folder [default: text=-].
    #[arg(short, long = "report", value_name = "FORMAT=FILE", value_parser = Wanted::parse)]
    pub reports: Vec<Wanted>,
}

#[derive(Debug, Args)]
pub(super) struct New {
    /// The scenario's name; the file is NAME.yaml.
    pub name: String,
}

#[derive(Debug, Args)]
pub(super) struct Check {
    /// Scenario files and client files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct List {
    /// The built-in scenarios.
    #[arg(long)]
    pub scenarios: bool,
    /// The checks.
    #[arg(long)]
    pub checks: bool,
    /// The reference client's mutants.
    #[arg(long)]
    pub mutants: bool,
}

#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The id of a check, scenario, citation or stop reason, as reports print it.
    pub id: String,
}

#[derive(Debug, Args)]
pub(super) struct Judge {
    /// Evidence files, or folders of them.
    #[arg(required = true, value_name = "EVIDENCE")]
    pub evidence: Vec<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

#[derive(Debug, Args)]
pub(super) struct Client {
    /// With this deliberate defect.
    #[arg(long, value_name = "NAME")]
    pub mutant: Option<String>,
    /// Print the defects there are: name, check, sentence.
    #[arg(long, conflicts_with = "mutant")]
    pub list_mutants: bool,
}
