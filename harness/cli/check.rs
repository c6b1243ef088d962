//! `retrial check`.

use std::path::Path;

use super::arguments::Check;
use super::failure::Failure;
use super::{client_input, print, remarks, scenario_input};
use crate::client::Client;
use crate::report::plain;
use crate::scenario::{self, Trial};
use crate::source::{Problem, read_file};
use crate::suite::{self, Exit};
use crate::term::Time;

/// Says what every file makes, or everything that is wrong with them.
pub(super) fn check(arguments: &Check) -> Result<Exit, Failure> {
    let (mut read, mut problems) = (Vec::new(), Vec::new());
    for file in &arguments.files {
        match one(file) {
            Ok(one) => read.push((file, one)),
            Err(more) => problems.extend(more),
        }
    }
    let built_in = scenario_input::built_in().map_err(|more| Failure::files(&more))?;
    let own = read.iter().filter_map(|(_, one)| one.trials()).flatten();
    let all: Vec<&Trial> = own.chain(&built_in).collect();
    let said: String = read
        .iter()
        .map(|(file, one)| {
            let sentence = one.sentence(&built_in);
            format!(
                "{}: {sentence}\n{}",
                plain(&file.display().to_string()),
                one.remarks(&all)
            )
        })
        .collect();
    print::data(&said)?;
    if problems.is_empty() {
        Ok(Exit::Fine)
    } else {
        Err(Failure::files(&problems))
    }
}

/// A file in which nothing is wrong.
enum Good {
    Scenario(Vec<Trial>),
    Client(Box<Client>),
    Policy,
}

fn one(file: &Path) -> Result<Good, Vec<Problem>> {
    // Read once: a pipe gives its text only once.
    let source = read_file(file).map_err(|problem| vec![problem])?;
    if is_client(&source.text) {
        return client_input::from_source(source, file).map(|client| Good::Client(Box::new(client)));
    }
    if is_policy(&source.text) {
        return scenario::load_policy(&source).map(|_| Good::Policy);
    }
    scenario_input::from_source(source, file).map(Good::Scenario)
}

impl Good {
    fn trials(&self) -> Option<&Vec<Trial>> {
        match self {
            Good::Scenario(trials) => Some(trials),
            Good::Client(_) | Good::Policy => None,
        }
    }

    fn sentence(&self, built_in: &[Trial]) -> String {
        match self {
            Good::Scenario(trials) => {
                let operations = trials.first().map_or(0, |trial| trial.planned().count());
                let (trials, operations) = (counted(trials.len(), "trial"), counted(operations, "operation"));
                format!("a scenario that makes {trials} of {operations}")
            }
            Good::Policy => "a policy, to be tried with --given".to_owned(),
            Good::Client(client) => {
                let can = |t: &&Trial| suite::asking(t, client, Time::Real).skipped.is_none();
                let asked = built_in.iter().filter(can).count();
                let (name, all) = (plain(&client.name), counted(built_in.len(), "built-in trial"));
                format!("the client {name}, which can be asked {asked} of {all}")
            }
        }
    }

    fn remarks(&self, all: &[&Trial]) -> String {
        match self {
            Good::Scenario(trials) => remarks::of_scenario(trials),
            Good::Policy => String::new(),
            Good::Client(client) => remarks::of_client(client, all.iter().copied(), &[]),
        }
    }
}

/// Only a client's file has a driver, and a scenario has no such key.
fn is_client(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("driver:"))
}

/// A policy's file has nothing but its version and `given`; a scenario always asks for something.
fn is_policy(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    has("given:") && !has("operations:") && !has("dependencies:") && !has("title:")
}

fn counted(n: usize, noun: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {noun}{ending}")
}
