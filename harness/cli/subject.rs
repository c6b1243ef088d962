//! Who is compared: the reference client, its mutants, clients of a file, and policies.

use std::path::Path;
use std::sync::Arc;

use super::Reference;
use super::arguments::Compare;
use super::client_input;
use super::failure::Failure;
use super::nearest::hint;
use super::policy_input::Policy;
use super::repeat::Repeat;
use crate::client::Client;
use crate::report::Subject;
use crate::scenario::Trial;
use crate::suite::Closures;

/// How the reference client is named on the command line.
const REFERENCE: &str = "reference";

/// One column: who it is, and with what it is played.
pub(super) struct Column {
    pub subject: Subject,
    pub client: Client,
    pub closures: Closures,
    pub trials: Vec<Arc<Trial>>,
    pub repeat: Repeat,
}

/// The columns that are asked for, clients first, then policies.
pub(super) fn columns(
    arguments: &Compare,
    trials: &[Arc<Trial>],
    reference: Reference,
    seed: u64,
) -> Result<Vec<Column>, Failure> {
    let base = Repeat::of_comparison(arguments, seed);
    let clients = arguments.clients.iter();
    let clients = clients.map(|word| of_client(word, trials, reference, &base));
    let policies = arguments.given.iter();
    let policies = policies.map(|file| of_policy(file, trials, reference, &base));
    let columns: Vec<Column> = clients.chain(policies).collect::<Result<_, _>>()?;
    if columns.len() < 2 {
        let hint = "name two or more of: `reference`, a mutant, a client's file, --given FILE";
        return Err(Failure::usage("a comparison needs two sides", Some(hint)));
    }
    refuse_twins(&columns)?;
    Ok(columns)
}

fn of_client(
    word: &str,
    trials: &[Arc<Trial>],
    reference: Reference,
    base: &Repeat,
) -> Result<Column, Failure> {
    let table = (reference.mutants)();
    let mut mutants = table.lines().filter_map(|line| line.split('\t').next());
    let built_in = |mutant: Option<&str>| {
        Ok(Column {
            subject: named(word),
            client: client_input::reference(mutant)?,
            closures: virtual_closures(reference, mutant),
            trials: trials.to_vec(),
            repeat: base.with_client(mutant.map(|m| ("--mutant", m.to_owned()))),
        })
    };
    if word == REFERENCE {
        return built_in(None);
    }
    if mutants.any(|mutant| mutant == word) {
        return built_in(Some(word));
    }
    let path = Path::new(word);
    if !path.exists() {
        let known = table.lines().filter_map(|line| line.split('\t').next());
        let known = known.chain([REFERENCE]);
        let sentence = format!("{word} is neither `reference` nor a mutant nor a client's file");
        return Err(Failure::usage(
            &sentence,
            Some(&hint(word, known, "retrial list --mutants")),
        ));
    }
    Ok(Column {
        subject: named(word),
        client: client_input::from_file(path).map_err(|problems| Failure::files(&problems))?,
        closures: Closures::default(),
        trials: trials.to_vec(),
        repeat: base.with_client(Some(("--client", word.to_owned()))),
    })
}

fn of_policy(
    file: &Path,
    trials: &[Arc<Trial>],
    reference: Reference,
    base: &Repeat,
) -> Result<Column, Failure> {
    let policy = Policy::from_file(file)?;
    let path = file.display().to_string();
    let (mut client, mut trials) = (client_input::reference(None)?, trials.to_vec());
    policy.hand_over(&mut client, &mut trials)?;
    Ok(Column {
        subject: Subject {
            name: policy.name,
            policy: Some(path.clone()),
        },
        client,
        closures: virtual_closures(reference, None),
        trials,
        repeat: base.with_client(Some(("--given", path))),
    })
}

fn named(word: &str) -> Subject {
    Subject {
        name: word.to_owned(),
        policy: None,
    }
}

/// The reference client, or a mutant of it, as it lives in this process.
pub(super) fn virtual_closures(reference: Reference, mutant: Option<&str>) -> Closures {
    Closures {
        real: None,
        in_virtual_time: Some((reference.in_virtual_time)(mutant)),
    }
}

/// Two columns of one name could not be told apart.
fn refuse_twins(columns: &[Column]) -> Result<(), Failure> {
    for (i, column) in columns.iter().enumerate() {
        let name = &column.subject.name;
        if columns[..i].iter().any(|earlier| earlier.subject.name == *name) {
            let sentence = format!("two sides of the comparison are called {name}");
            let hint = "a policy is named after its file: rename one, or leave it out";
            return Err(Failure::usage(&sentence, Some(hint)));
        }
    }
    Ok(())
}
