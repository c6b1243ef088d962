//! `retrial list`.

use super::Reference;
use super::arguments::List;
use super::failure::Failure;
use super::{print, scenario_input};
use crate::judge::checks;
use crate::promise::{PROFILES, Profile};
use crate::report::plain;
use crate::suite::Exit;

/// A heading and its rows: name and sentence.
struct Section {
    heading: &'static str,
    rows: Vec<(String, String)>,
}

/// Prints the sections that were asked for; all of them where none was.
pub(super) fn list(arguments: &List, reference: Reference) -> Result<Exit, Failure> {
    let all = !(arguments.scenarios || arguments.checks || arguments.profiles || arguments.mutants);
    let mut sections = Vec::new();
    if all || arguments.scenarios {
        sections.push(scenarios()?);
    }
    if all || arguments.checks {
        sections.push(checks());
    }
    if all || arguments.profiles {
        sections.push(profiles());
    }
    if all || arguments.mutants {
        sections.push(mutants(&(reference.mutants)()));
    }
    let written: Vec<_> = sections.iter().map(written).collect();
    print::data(&written.join("\n"))
}

fn scenarios() -> Result<Section, Failure> {
    let trials = scenario_input::built_in().map_err(|problems| Failure::files(&problems))?;
    let mut rows: Vec<(String, String)> = Vec::new();
    for trial in trials {
        if rows.last().is_none_or(|(name, _)| *name != trial.scenario) {
            let tags = match trial.tags.as_slice() {
                [] => String::new(),
                tags => format!(" [{}]", tags.join(", ")),
            };
            rows.push((trial.scenario, trial.title + &tags));
        }
    }
    Ok(Section {
        heading: "scenarios",
        rows,
    })
}

fn checks() -> Section {
    let row = |check: &checks::Check| (check.id.to_owned(), check.summary.to_owned());
    Section {
        heading: "checks",
        rows: checks::ALL.iter().map(row).collect(),
    }
}

fn profiles() -> Section {
    let row = |profile: &Profile| (profile.name.to_owned(), profile.summary.to_owned());
    Section {
        heading: "profiles of promises",
        rows: PROFILES.iter().map(row).collect(),
    }
}

fn mutants(table: &str) -> Section {
    let row = |line: &str| {
        let mut fields = line.splitn(3, '\t');
        let mut field = || fields.next().unwrap_or_default().to_owned();
        let (name, check, sentence) = (field(), field(), field());
        (name, format!("{sentence} (caught by {check})"))
    };
    Section {
        heading: "mutants of the reference client",
        rows: table.lines().map(row).collect(),
    }
}

fn written(section: &Section) -> String {
    let widest = section
        .rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = format!("{}\n", section.heading);
    for (name, sentence) in &section.rows {
        text += &format!("  {:widest$}  {}\n", plain(name), plain(sentence));
    }
    text
}
