//! `retrial serve`.

use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::arguments::Serve;
use super::call_lines::CallLines;
use super::failure::Failure;
use super::interrupt::Signals;
use super::live::{self, Live};
use super::print;
use super::shelf::Shelf;
use crate::scenario::Trial;
use crate::serve::{Addresses, Control, News, Stand, Summary};
use crate::suite::{self, Exit};
use crate::world::{RealWorld, World, raise_open_files};

/// For how long the runtime's own tasks are waited for at the end.
const LEAVE: Duration = Duration::from_millis(100);

/// Serves the dependencies of one trial until it is told to end.
pub(super) fn serve(arguments: &Serve) -> Result<Exit, Failure> {
    let (name, files) = named(arguments);
    let shelf = Arc::new(Shelf::of(&files)?);
    let trial = name.map_or_else(|| shelf.only_own(), |name| shelf.named(name))?;
    belongs(arguments, &trial)?;
    let lines = CallLines::open(arguments.calls.as_deref())?;
    let runtime = tokio::runtime::Runtime::new().map_err(|e| could_not(&e))?;
    raise_open_files();
    let ended = runtime.block_on(until_told(arguments, shelf, trial, lines));
    runtime.shutdown_timeout(LEAVE);
    ended
}

/// The name of the scenario or trial, where one is named, and all files.
fn named(arguments: &Serve) -> (Option<&str>, Vec<PathBuf>) {
    let mut files = arguments.scenarios.clone();
    match arguments.scenario.as_deref() {
        Some(file) if ends_like_a_file(file) => {
            files.push(file.into());
            (arguments.trial.as_deref(), files)
        }
        name => (arguments.trial.as_deref().or(name), files),
    }
}

fn ends_like_a_file(name: &str) -> bool {
    let ending = Path::new(name).extension();
    ending.is_some_and(|e| e == "yaml" || e == "yml")
}

/// A trial that is named beside a scenario is one of its own.
fn belongs(arguments: &Serve, trial: &Trial) -> Result<(), Failure> {
    let (Some(named), Some(of)) = (&arguments.trial, &arguments.scenario) else {
        return Ok(());
    };
    let stem = Path::new(of).file_stem().filter(|_| ends_like_a_file(of));
    let scenario = stem.map_or(of.into(), |stem| stem.to_string_lossy());
    match trial.scenario == scenario {
        true => Ok(()),
        false => Err(Failure::usage(&format!("{named} is no trial of {of}"), None)),
    }
}

async fn until_told(
    arguments: &Serve,
    shelf: Arc<Shelf>,
    trial: Arc<Trial>,
    lines: CallLines,
) -> Result<Exit, Failure> {
    let mut signals = Signals::watched().map_err(|e| could_not(&e))?;
    let (news, told) = unbounded_channel();
    let seed = arguments.seed.unwrap_or_else(suite::fresh_seed);
    let stand = Stand::open(addresses(arguments)?, trial, seed, news).await;
    let stand = Arc::new(Mutex::new(
        stand.map_err(|e| Failure::usage(&e.to_string(), None))?,
    ));
    let control = control(arguments, &stand, shelf)?;
    let (live, are_stdout) = (Live::new(), lines.are_stdout());
    let teller = live.clone();
    // A reader that stalls must stall nobody but this.
    let mut telling = tokio::task::spawn_blocking(move || tell(told, &teller, lines));
    let wrong = tokio::select! {
        () = signals.next() => None,
        () = keep_showing(&live, &stand) => None,
        wrong = &mut telling => Some(wrong.unwrap_or(Ok(()))),
    };
    drop(control);
    let summary = stand.lock().await.close();
    let wrong = match wrong {
        Some(wrong) => wrong,
        None => tokio::select! {
            wrong = &mut telling => wrong.unwrap_or(Ok(())),
            // Once more: whoever reads the lines reads them no more.
            () = signals.next() => Ok(()),
        },
    };
    live.clear();
    wrong?;
    counted(&summary, are_stdout)
}

fn addresses(arguments: &Serve) -> Result<Addresses, Failure> {
    let mut addresses = Addresses {
        bind: arguments.bind,
        advertise: arguments.advertise.clone(),
        ..Addresses::default()
    };
    for (name, port) in &arguments.ports {
        if addresses.ports.insert(name.clone(), *port).is_some() {
            return Err(Failure::usage(&format!("{name} is given two ports"), None));
        }
    }
    Ok(addresses)
}

/// The control endpoint, where it is asked for, in a task that ends with the handle.
fn control(
    arguments: &Serve,
    stand: &Arc<Mutex<Stand>>,
    shelf: Arc<Shelf>,
) -> Result<tokio::task::JoinSet<()>, Failure> {
    let mut task = tokio::task::JoinSet::new();
    if let Some(at) = arguments.control {
        let find = Arc::new(move |wanted: &_| shelf.find(wanted));
        let control = Control::open(at, arguments.advertise.as_deref(), stand.clone(), find);
        let control = control.map_err(|e| Failure::usage(&e.to_string(), None))?;
        print::talk(&format!("control: {}\n", control.url()));
        task.spawn(control.run());
    }
    Ok(task)
}

/// Tells everything that happens, until nothing more can.
fn tell(mut told: UnboundedReceiver<News>, live: &Live, mut lines: CallLines) -> Result<(), Failure> {
    while let Some(news) = told.blocking_recv() {
        live.tell(&news);
        lines.write(&news)?;
    }
    Ok(())
}

/// Shows the counts again and again, where somebody can see them; never ends.
async fn keep_showing(live: &Live, stand: &Mutex<Stand>) {
    if !live.is_seen() {
        return pending().await;
    }
    let clock = RealWorld.start_clock();
    loop {
        clock.sleep(live::OFTEN).await;
        live.show(&stand.lock().await.summary());
    }
}

/// The counts are data, unless the lines are.
fn counted(summary: &Summary, are_stdout: bool) -> Result<Exit, Failure> {
    let table = live::table(summary);
    match are_stdout {
        true => {
            print::talk(&table);
            Ok(Exit::Fine)
        }
        false => print::data(&table),
    }
}

fn could_not(error: &std::io::Error) -> Failure {
    let sentence = format!("the harness could not start: {error}");
    Failure::new(Exit::CouldNotRun, &sentence, None)
}
