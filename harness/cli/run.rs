//! `retrial run`.

use super::Reference;
use super::arguments::{Run, Selection, WantedTime};
use super::destination::Destinations;
use super::failure::Failure;
use super::nearest::hint;
use super::play::{LIMITS, Stage};
use super::policy_input::Policy;
use super::repeat::Repeat;
use super::subject::virtual_closures;
use super::{client_input, print, selection};
use crate::client::Client;
use crate::suite::{self, Closures, Exit, Snapshots, Suite, Wanted, Writes};
use crate::term::Time;

/// Puts a client through scenarios and reports.
pub(super) fn run(arguments: &Run, reference: Reference) -> Result<Exit, Failure> {
    let stage = Stage::set_up()?;
    let mut client = client(arguments, reference)?;
    let closures = closures(arguments, reference)?;
    let Selection { names, filter, shard } = &arguments.selection;
    let mut selected = selection::select(names, filter, *shard)?;
    print::talk(&selected.remarks_on(&client));
    if let Some(file) = &arguments.given {
        Policy::from_file(file)?.hand_over(&mut client, &mut selected.trials)?;
    }
    let snapshots = snapshots(arguments)?;
    let destinations = Destinations::open(&arguments.output.reports)?;
    let seed = arguments.seed.unwrap_or_else(suite::fresh_seed);
    let repeat = Repeat::of(arguments, seed);
    let suite = Suite {
        client,
        closures,
        time: wanted(arguments.time),
        trials: selected.trials,
        deselected: selected.deselected,
        shard: *shard,
        strict: arguments.output.strict,
        seed,
        jobs: arguments.jobs,
        rounds: arguments.repeat,
        max_time: arguments.max_time,
        snapshots,
        limits: LIMITS,
        evidence: destinations.evidence().map(Into::into),
        repeat: Box::new(move |trial| repeat.command(trial)),
    };
    match stage.play(vec![suite])?.as_deref() {
        None => Ok(Exit::Interrupted),
        Some([report, ..]) => destinations.write(report),
        Some([]) => Ok(Exit::Nothing),
    }
}

/// The time that the user wants, in the words of the suite.
pub(super) fn wanted(time: WantedTime) -> Wanted {
    match time {
        WantedTime::Auto => Wanted::Auto,
        WantedTime::Real => Wanted::Always(Time::Real),
        WantedTime::Virtual => Wanted::Always(Time::Virtual),
    }
}

/// The client as it lives in this process: the reference does, a user's own command does not.
fn closures(arguments: &Run, reference: Reference) -> Result<Closures, Failure> {
    if arguments.client.is_none() && arguments.command.is_empty() {
        return Ok(virtual_closures(reference, arguments.mutant.as_deref()));
    }
    match arguments.time {
        WantedTime::Auto | WantedTime::Real => Ok(Closures::default()),
        WantedTime::Virtual => {
            let sentence = "a client that is a process lives in real time: its clock cannot be paused";
            let hint =
                Some("leave `--time` out; in a Rust test, a closure can be put on trial in virtual time");
            Err(Failure::usage(sentence, hint))
        }
    }
}

/// Where snapshots are kept. Under CI nobody would keep what is written, so nothing is.
fn snapshots(arguments: &Run) -> Result<Option<Snapshots>, Failure> {
    let Some(folder) = &arguments.snapshots else {
        return Ok(None);
    };
    let ci = std::env::var_os("CI").is_some_and(|ci| !(ci.is_empty() || ci == "0" || ci == "false"));
    let writes = match (ci, arguments.update) {
        (true, true) => {
            let hint = Some("update them where they can be committed, or unset CI");
            return Err(Failure::usage("no snapshot is updated where CI is set", hint));
        }
        (true, false) => Writes::Nothing,
        (false, true) => Writes::InPlace,
        (false, false) => Writes::Beside,
    };
    Ok(Some(Snapshots {
        folder: folder.clone(),
        writes,
    }))
}

fn client(arguments: &Run, reference: Reference) -> Result<Client, Failure> {
    if let Some(file) = &arguments.client {
        return client_input::from_file(file).map_err(|problems| Failure::files(&problems));
    }
    if !arguments.command.is_empty() {
        return client_input::from_command(&arguments.command);
    }
    if let Some(mutant) = &arguments.mutant {
        known_mutant(mutant, &(reference.mutants)())?;
    }
    client_input::reference(arguments.mutant.as_deref())
}

fn known_mutant(name: &str, table: &str) -> Result<(), Failure> {
    let names = || table.lines().filter_map(|line| line.split('\t').next());
    if names().any(|known| known == name) {
        return Ok(());
    }
    let hint = hint(name, names(), "retrial list --mutants");
    Err(Failure::usage(
        &format!("no mutant is called {name}"),
        Some(&hint),
    ))
}
