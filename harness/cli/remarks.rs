//! What `check` and `run` say of files in which nothing is wrong.

use std::collections::BTreeSet;

use crate::client::Client;
use crate::report::plain;
use crate::scenario::{self, Trial};
use crate::source::nearest;

/// What is odd about the trials of one file, a line each, each once.
pub(super) fn of_scenario(trials: &[Trial]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for trial in trials {
        for remark in scenario::remarks(trial) {
            let line = format!("{}: {}\n", trial.source.place(remark.span), remark.sentence);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    plain_lines(&lines)
}

/// The entries of `expected` that name a scenario which is neither among `trials` nor among `others`, by id, a line
/// each.
///
/// That is not wrong: the file may be meant for a run with other scenarios.
pub(super) fn of_client<'a>(
    client: &Client,
    trials: impl Iterator<Item = &'a Trial>,
    others: &'a [String],
) -> String {
    let scenario = |id: &'a String| id.split('[').next().unwrap_or(id);
    let trials = trials.flat_map(|t| [t.scenario.as_str(), t.id.as_str()]);
    let known: BTreeSet<&str> = trials
        .chain(others.iter().flat_map(|id| [id.as_str(), scenario(id)]))
        .collect();
    let entries = client.expected.iter();
    let unknown = entries.filter_map(|entry| {
        let scope = entry.scope().filter(|scope| !known.contains(scope))?;
        let hint = match nearest(scope, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "it matches nothing without a file of that name".to_owned(),
        };
        let place = &entry.place;
        Some(format!("{place}: no scenario here is called `{scope}`; {hint}\n"))
    });
    plain_lines(&unknown.collect::<Vec<_>>())
}

fn plain_lines(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| plain(line.trim_end()).to_string() + "\n")
        .collect()
}
