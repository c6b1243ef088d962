//! `retrial run`.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::Reference;
use super::arguments::{Run, WantedTime};
use super::destination::Destinations;
use super::failure::Failure;
use super::interrupt::Interruptions;
use super::nearest::hint;
use super::progress::Progress;
use super::repeat::Repeat;
use super::{client_input, print, selection};
use crate::client::Client;
use crate::drive::Orphanage;
use crate::report::SuiteReport;
use crate::suite::{self, Closures, Exit, Snapshots, Suite, Wanted, Writes};
use crate::term::Time;
use crate::upstream::Limits;
use crate::world::{RealWorld, World, raise_open_files};

/// The ceilings of a trial. A right client makes some dozens of calls; these stop one that runs away before it
/// hurts the machine; a trial whose scenario asks for more than is usual has higher ones.
const LIMITS: Limits = Limits {
    calls: 1000,
    connections: 1000,
    bytes: 64 * 1024 * 1024,
    time: Duration::from_secs(120),
};

/// For how long what is left is waited for when the user leaves at once: the guards that end processes run then.
const LEAVE: Duration = Duration::from_millis(500);

/// Puts a client through scenarios and reports.
pub(super) fn run(arguments: &Run, reference: Reference) -> Result<Exit, Failure> {
    // First of all, so that whoever interrupts the run at its very beginning has a report too.
    let runtime = tokio::runtime::Runtime::new().map_err(|e| could_not(&e))?;
    raise_open_files();
    let interruptions = Interruptions::of(&runtime).map_err(|e| could_not(&e))?;
    let client = client(arguments, reference)?;
    let closures = closures(arguments, reference)?;
    let selected = selection::select(&arguments.selection)?;
    print::talk(&selected.remarks_on(&client));
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
        shard: arguments.selection.shard,
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
    match play(suite, runtime, &interruptions)? {
        None => Ok(Exit::Interrupted),
        Some(report) => destinations.write(&report),
    }
}

fn wanted(time: WantedTime) -> Wanted {
    match time {
        WantedTime::Auto => Wanted::Auto,
        WantedTime::Real => Wanted::Always(Time::Real),
        WantedTime::Virtual => Wanted::Always(Time::Virtual),
    }
}

/// The client as it lives in this process: the reference does, a user's own command does not.
fn closures(arguments: &Run, reference: Reference) -> Result<Closures, Failure> {
    if arguments.client.is_none() && arguments.command.is_empty() {
        return Ok(Closures {
            real: None,
            in_virtual_time: Some((reference.in_virtual_time)(arguments.mutant.as_deref())),
        });
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

/// Runs the suite; `None` where the user left at once.
fn play(
    suite: Suite,
    runtime: Runtime,
    interruptions: &Interruptions,
) -> Result<Option<SuiteReport>, Failure> {
    let orphanage = Orphanage::open();
    let progress = Arc::new(Progress::over(suite.trials.len() * suite.rounds.get() as usize));
    let watcher = Arc::clone(&progress);
    let played =
        runtime.block_on(interruptions.interrupting(|interrupted| suite::run(suite, watcher, interrupted)));
    progress.clear();
    runtime.shutdown_timeout(LEAVE);
    // Only now has every trial done what it can to end its own client.
    let last = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|e| could_not(&e))?;
    last.block_on(orphanage.close(RealWorld.start_clock()));
    Ok(played)
}

fn could_not(error: &std::io::Error) -> Failure {
    let sentence = format!("the harness could not start: {error}");
    Failure::new(Exit::CouldNotRun, &sentence, None)
}
