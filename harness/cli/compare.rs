//! `retrial compare`.

use std::num::NonZero;

use super::Reference;
use super::arguments::{Compare, WantedTime};
use super::destination::{Destinations, Format, Wanted as Report, cannot_build};
use super::failure::Failure;
use super::play::{LIMITS, Stage};
use super::run::wanted;
use super::selection;
use super::subject::{self, Column};
use crate::report::{self, Comparison, SuiteReport};
use crate::suite::{self, Exit, Suite, Wanted};
use crate::term::Time;

/// Puts several clients, or one under several policies, through the same scenarios, and reports them side by side.
pub(super) fn compare(arguments: &Compare, reference: Reference) -> Result<Exit, Failure> {
    let stage = Stage::set_up()?;
    let seed = arguments.seed.unwrap_or_else(suite::fresh_seed);
    let selected = selection::select(&arguments.only, &arguments.filter, None)?;
    let columns = subject::columns(arguments, &selected.trials, reference, seed)?;
    let time = one_time(arguments.time, &columns)?;
    refuse_formats(&arguments.reports)?;
    let destinations = Destinations::open(&arguments.reports)?;
    let subjects = columns.iter().map(|column| column.subject.clone()).collect();
    let suite = |column: Column| suite_of(column, arguments, time, seed);
    let Some(reports) = stage.play(columns.into_iter().map(suite).collect())? else {
        return Ok(Exit::Interrupted);
    };
    let exit = exit(&reports);
    let comparison = Comparison { subjects, reports };
    destinations.write_each(&|format, _| rendered(format, &comparison, arguments.differences))?;
    Ok(exit)
}

/// Refuses what a comparison is not written in, before anything is opened or run.
fn refuse_formats(wanted: &[Report]) -> Result<(), Failure> {
    let hint = Some("text, json and markdown; `retrial run` makes the others");
    for one in wanted {
        match one {
            Report::Evidence(_) => return Err(Failure::usage("a comparison keeps no evidence", hint)),
            Report::Stdout(Format::Junit) | Report::File(Format::Junit, _) => {
                return Err(Failure::usage("a comparison is no JUnit report", hint));
            }
            Report::Stdout(_) | Report::File(..) => {}
        }
    }
    Ok(())
}

fn rendered(format: Format, of: &Comparison, only_differences: bool) -> Result<String, Failure> {
    match format {
        Format::Text => Ok(report::comparison_text(of, only_differences)),
        Format::Json => report::comparison_json(of).map_err(|e| cannot_build(&e)),
        Format::Markdown => Ok(report::comparison_markdown(of)),
        Format::Junit => Err(Failure::usage("a comparison is no JUnit report", None)),
    }
}

/// The time in which all of them are played: what is held side by side must have been played alike.
fn one_time(time: WantedTime, columns: &[Column]) -> Result<Wanted, Failure> {
    let process = columns
        .iter()
        .find(|column| column.closures.in_virtual_time.is_none());
    match (time, process) {
        (_, None) => Ok(wanted(time)),
        (WantedTime::Auto | WantedTime::Real, Some(_)) => Ok(Wanted::Always(Time::Real)),
        (WantedTime::Virtual, Some(column)) => {
            let name = &column.subject.name;
            let sentence = format!("{name} is a process, which lives in real time");
            Err(Failure::usage(&sentence, Some("leave `--time` out")))
        }
    }
}

fn suite_of(column: Column, arguments: &Compare, time: Wanted, seed: u64) -> Suite {
    let repeat = match (time, arguments.time) {
        // Alone, it would be played in the time that shows its faults best.
        (Wanted::Always(Time::Real), WantedTime::Auto) => {
            column.repeat.with_client(Some(("--time", "real".to_owned())))
        }
        (Wanted::Always(_) | Wanted::Auto, _) => column.repeat,
    };
    Suite {
        client: column.client,
        closures: column.closures,
        time,
        trials: column.trials,
        deselected: Vec::new(),
        shard: None,
        strict: false,
        seed,
        jobs: arguments.jobs,
        rounds: NonZero::<u32>::MIN,
        max_time: None,
        snapshots: None,
        limits: LIMITS,
        evidence: None,
        repeat: Box::new(move |trial| repeat.command(trial)),
    }
}

/// A comparison shows and does not judge: a trial that failed is what it is there to show.
fn exit(reports: &[SuiteReport]) -> Exit {
    let exits: Vec<_> = reports.iter().map(suite::exit).collect();
    if exits.contains(&Exit::Interrupted) {
        Exit::Interrupted
    } else if exits.contains(&Exit::CouldNotRun) {
        Exit::CouldNotRun
    } else if exits.iter().all(|exit| *exit == Exit::Nothing) {
        Exit::Nothing
    } else {
        Exit::Fine
    }
}
