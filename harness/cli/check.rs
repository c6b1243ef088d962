//! `retrial check`.

use std::path::Path;

use super::arguments::Check;
use super::failure::Failure;
use super::{client_input, print, scenario_input};
use crate::report::plain;
use crate::source::{Problem, read_file};
use crate::suite::{self, Exit};
use crate::term::Time;

/// Says what every file makes, or everything that is wrong with them.
pub(super) fn check(arguments: &Check) -> Result<Exit, Failure> {
    let (mut said, mut problems) = (String::new(), Vec::new());
    for file in &arguments.files {
        match sentence(file) {
            Ok(sentence) => said += &format!("{}: {sentence}\n", plain(&file.display().to_string())),
            Err(more) => problems.extend(more),
        }
    }
    print::data(&said)?;
    if problems.is_empty() {
        Ok(Exit::Fine)
    } else {
        Err(Failure::files(&problems))
    }
}

fn sentence(file: &Path) -> Result<String, Vec<Problem>> {
    let source = read_file(file).map_err(|problem| vec![problem])?;
    if is_client(&source.text) {
        client(file)
    } else {
        scenario(file)
    }
}

/// Only a client's file has a driver, and a scenario has no such key.
fn is_client(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("driver:"))
}

fn scenario(file: &Path) -> Result<String, Vec<Problem>> {
    let trials = scenario_input::from_file(file)?;
    let operations = trials.first().map_or(0, |trial| trial.planned().count());
    let (trials, operations) = (counted(trials.len(), "trial"), counted(operations, "operation"));
    Ok(format!("a scenario that makes {trials} of {operations}"))
}

fn client(file: &Path) -> Result<String, Vec<Problem>> {
    let client = client_input::from_file(file)?;
    let trials = scenario_input::built_in()?;
    let asked = trials
        .iter()
        .filter(|t| suite::asking(t, &client, Time::Real).skipped.is_none())
        .count();
    let (name, all) = (plain(&client.name), counted(trials.len(), "built-in trial"));
    Ok(format!("the client {name}, which can be asked {asked} of {all}"))
}

fn counted(n: usize, noun: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{ending}")
}
