//! What can be written on the command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::destination::Wanted;
use crate::report::Shard;

const EXIT_STATUS: &str = "\
Exit status:
  0    no trial failed
  1    a trial failed, passed unexpectedly, proved nothing or was not begun; a snapshot differs
  2    wrong usage or a bad file; nothing ran
  3    the harness or the client could not run
  4    nothing selected, or everything skipped
  130  interrupted; the report is written";

const EXAMPLES: &str = "\
Examples:
  retrial run                                       the built-in reference client
  retrial run -- curl -sS --fail --retry 3 {url}    any command
  retrial run --client client.yaml --strict         a client that says what it promises
  retrial run -s mine.yaml -r json=report.json      a scenario of your own
  retrial run -s mine.yaml --given tenth.yaml       what another policy would do in it
  retrial run --shard 1/3 -r json=1.json            a third of it; `retrial merge` joins the reports

Snapshots pin counts and stop reasons, no times, and nothing that time or chance decides. Where CI is set in the
environment none is written, and a missing one fails the run.";

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
    Run(Box<Run>),
    /// Put several clients or policies through the same scenarios, side by side.
    Compare(Box<Compare>),
    /// Write a commented scenario to begin with.
    New(New),
    /// Say what is wrong with scenario and client files; run nothing.
    Check(Check),
    /// List scenarios, checks, profiles of promises and mutants.
    List(List),
    /// Explain a check, a scenario, a citation, a profile of promises or a stop reason.
    Explain(Explain),
    /// Judge saved evidence again.
    Judge(Judge),
    /// Join JSON reports into one: the shards of a run, or runs of different scenarios.
    Merge(Merge),
    /// Serve a scenario's dependencies, and only them, to a system that runs elsewhere.
    Serve(Serve),
    /// Be the built-in reference client, spoken to in lines of JSON.
    Client(Client),
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Run {
    #[command(flatten)]
    pub selection: Selection,
    /// The client's file.
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["command", "mutant"])]
    pub client: Option<PathBuf>,
    /// Try the reference client with this deliberate defect.
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub mutant: Option<String>,
    /// Try the policy in this file (version: 1, given: {..}), laid over what scenarios hand over.
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    pub given: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
    /// The seed for keys and chances [default: a fresh one, printed in the report].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Which time trials are played in; auto is virtual for what only costs waiting, where the client is the
    /// reference, and real otherwise.
    #[arg(long, value_name = "TIME", value_enum, default_value = "auto")]
    pub time: WantedTime,
    /// How many trials run side by side; no more clients start at a time than there are cores.
    #[arg(short, long, value_name = "N", default_value = "64")]
    pub jobs: NonZero<usize>,
    /// How often each trial runs: the worst run counts, and a trial whose runs differ is named.
    #[arg(long, value_name = "N", default_value = "1")]
    pub repeat: NonZero<u32>,
    /// Begin no trial after this time (90s, 10m): what was not begun is reported, and fails the run.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub max_time: Option<Duration>,
    /// Compare counts and stop reasons with the snapshots in this folder.
    #[arg(long, value_name = "FOLDER")]
    pub snapshots: Option<PathBuf>,
    /// Write the snapshots that are new or differ.
    #[arg(long, requires = "snapshots")]
    pub update: bool,
    /// A command that is the client, with {url} where the URL goes.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  retrial compare reference one-more                              the reference client and a mutant of it
  retrial compare a/client.yaml b/client.yaml --differences       two clients, and only where they differ
  retrial compare reference --given tenth.yaml -s outage.yaml     what a policy would do in this outage

Exit status: 0 also where trials failed, since a comparison shows and does not judge; otherwise as `retrial run`.";

#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(super) struct Compare {
    /// `reference`, a mutant's name, or a client's file.
    #[arg(value_name = "CLIENT")]
    pub clients: Vec<String>,
    /// The reference client under the policy in this file; as often as there are policies.
    #[arg(long, value_name = "FILE")]
    pub given: Vec<PathBuf>,
    /// Only scenarios or trials of this name; `*` stands for anything [default: all built-in ones].
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    #[command(flatten)]
    pub filter: Filter,
    /// Of the text, only the rows in which they differ.
    #[arg(long)]
    pub differences: bool,
    /// A report: text, json or markdown to a FILE (`-` is standard output) [default: text=-].
    #[arg(short, long = "report", value_name = "FORMAT=FILE", value_parser = Wanted::parse)]
    pub reports: Vec<Wanted>,
    /// The seed for keys and chances, the same for all [default: a fresh one, printed in the report].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Which time trials are played in; auto is real where one of the clients is a process, so that all are played alike.
    #[arg(long, value_name = "TIME", value_enum, default_value = "auto")]
    pub time: WantedTime,
    /// How many trials run side by side.
    #[arg(short, long, value_name = "N", default_value = "64")]
    pub jobs: NonZero<usize>,
}

/// Which time the user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum WantedTime {
    // No doc comments: they would turn the help of the whole command into its long form.
    Auto,
    Real,
    Virtual,
}

#[derive(Debug, Args)]
pub(super) struct Selection {
    /// Scenarios or single trials by name; `*` stands for anything [default: all built-in ones].
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    #[command(flatten)]
    pub filter: Filter,
    /// Only part K of N; a trial's id alone decides which.
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
}

/// What is asked of scenarios besides their names.
#[derive(Debug, Args)]
pub(super) struct Filter {
    /// Scenario files; where no names are given, only their trials run.
    #[arg(short, long = "scenario", value_name = "FILE")]
    pub scenarios: Vec<PathBuf>,
    /// Of these only scenarios with this tag; of several tags, any.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Leave out scenarios or trials by name; `*` stands for anything.
    #[arg(long, value_name = "NAME")]
    pub skip: Vec<String>,
    /// Leave out scenarios with this tag.
    #[arg(long, value_name = "TAG")]
    pub skip_tag: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct Output {
    /// Let warnings fail a trial.
    #[arg(long)]
    pub strict: bool,
    /// A report: text, json, junit or markdown to a FILE (`-` is standard output), evidence to a folder [default:
    /// text=-].
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
    /// The profiles of promises.
    #[arg(long)]
    pub profiles: bool,
    /// The reference client's mutants.
    #[arg(long)]
    pub mutants: bool,
}

#[derive(Debug, Args)]
pub(super) struct Explain {
    /// The id of a check, scenario, citation, profile or stop reason, as reports print it.
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
pub(super) struct Merge {
    /// JSON reports of one client, as `--report json=FILE` writes them.
    #[arg(required = true, value_name = "REPORT")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

const SERVE: &str = "\
Examples:
  retrial serve outage-endless --port inbox=8081          the built-in scenario, one port chosen
  retrial serve retry-after 'retry-after[503,UTC]'        one of the trials of a scenario that varies
  retrial serve mine.yaml --bind 0.0.0.0 --advertise build-7 --control 9000
  retrial serve mine.yaml --calls - | jq .call            each call as a line of JSON

Which operation a call belongs to is not known here: all calls since the start, or since the last reset, count as \
those of one operation. The time of outages starts with the start, and anew with each reset.

With --control: GET / gives the counts; POST /reset begins anew; POST /scenario/NAME serves another scenario, and so \
does POST /scenario with a scenario file as the body, of which ?trial=ID names a trial. Dependencies keep their \
addresses.

Ctrl-C ends it, prints the counts, and exits with 0.";

#[derive(Debug, Args)]
#[command(after_help = SERVE)]
pub(super) struct Serve {
    /// A scenario or a single trial by name, or a scenario file (*.yaml).
    #[arg(value_name = "SCENARIO", required_unless_present = "scenarios")]
    pub scenario: Option<String>,
    /// Which of its trials, where it makes several.
    #[arg(value_name = "TRIAL")]
    pub trial: Option<String>,
    /// Scenario files, which can be named too; without SCENARIO, their only trial is served.
    #[arg(short, long = "scenario", value_name = "FILE")]
    pub scenarios: Vec<PathBuf>,
    /// The interface to listen on.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// The host by which the system reaches this machine: it stands in the URLs that are told [default: ADDR].
    #[arg(long, value_name = "HOST", value_parser = host)]
    pub advertise: Option<String>,
    /// The port of a dependency [default: a free one].
    #[arg(short, long = "port", value_name = "NAME=PORT", value_parser = chosen_port)]
    pub ports: Vec<(String, u16)>,
    /// Also serve the control endpoint, on loopback unless an address is named.
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = control_address)]
    pub control: Option<SocketAddr>,
    /// Write each call as a line of JSON to FILE (`-` is standard output).
    #[arg(long, value_name = "FILE")]
    pub calls: Option<PathBuf>,
    /// The seed for chances [default: a fresh one].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// A host as it stands in a URL: a name or an address, and nothing that would end it there.
fn host(text: &str) -> Result<String, String> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_address = bare.unwrap_or(text).parse::<IpAddr>().is_ok();
    let of_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let is_name = !text.is_empty() && text.chars().all(of_name);
    match is_address || is_name {
        true => Ok(text.to_owned()),
        false => Err("it is a host and nothing more, such as build-7 or 10.0.0.7".to_owned()),
    }
}

fn chosen_port(text: &str) -> Result<(String, u16), String> {
    let (name, port) = text
        .split_once('=')
        .ok_or("it is written NAME=PORT, such as quota=8081")?;
    match port.parse() {
        Ok(port) => Ok((name.to_owned(), port)),
        Err(_) => Err(format!("{port:?} is not a port: a number up to 65535")),
    }
}

fn control_address(text: &str) -> Result<SocketAddr, String> {
    let at_loopback = text.parse().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into());
    at_loopback
        .or_else(|_| text.parse())
        .map_err(|_| "it is a port, such as 9000, or an address with one, such as 10.0.0.7:9000".to_owned())
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
