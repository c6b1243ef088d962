//! What is odd about a scenario and not wrong: told by `retrial check`, and never a reason to refuse a file.

use std::collections::{BTreeMap, BTreeSet};

use super::{Dependency, Trial, Turn};
use crate::source::{Span, nearest};
use crate::term::Name;

/// The most remarks about one trial; nobody reads more at once.
const MOST: usize = 20;

/// A sentence about a place of a scenario's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Where: the turn that it is about.
    pub span: Span,
    /// What is odd, in a lower-case sentence without a full stop.
    pub sentence: String,
}

/// The turns that wait for a path that no operation takes.
///
/// They are not wrong: a client may look something up beside its operations, or be sent there by an answer. Where any
/// answer of the trial has a Location nothing is said.
pub fn remarks(trial: &Trial) -> Vec<Remark> {
    let turns = || trial.dependencies.iter().flat_map(|d| &d.turns);
    if turns().any(sends_elsewhere) {
        return Vec::new();
    }
    let taken = taken(trial);
    let dependencies = trial.dependencies.iter();
    let odd = dependencies.flat_map(|d| {
        let here = taken.get(&d.name);
        d.turns.iter().filter_map(move |turn| untaken(d, turn, here))
    });
    odd.take(MOST).collect()
}

fn sends_elsewhere(turn: &Turn) -> bool {
    let is_location = |(name, _): &(String, String)| name.eq_ignore_ascii_case("location");
    turn.raw.is_some() || turn.answer.iter().any(|a| a.headers.iter().any(is_location))
}

/// The paths that operations take to each dependency.
fn taken(trial: &Trial) -> BTreeMap<&Name, BTreeSet<&str>> {
    let mut taken = BTreeMap::<_, BTreeSet<_>>::new();
    for group in &trial.operations {
        let path = group.request.path.split('?').next().unwrap_or_default();
        for name in &group.request.to {
            taken.entry(name).or_default().insert(path);
        }
    }
    taken
}

fn untaken(dependency: &Dependency, turn: &Turn, taken: Option<&BTreeSet<&str>>) -> Option<Remark> {
    let wanted = turn.when.as_ref()?.path.as_deref()?;
    if taken.is_some_and(|taken| taken.contains(wanted)) {
        return None;
    }
    let name = &dependency.name;
    let sentence = format!("no operation takes the path `{wanted}` to {name}");
    let sentence = match nearest(wanted, taken.into_iter().flatten().copied()) {
        Some(near) => format!("{sentence}; did you mean `{near}`?"),
        None => sentence,
    };
    Some(Remark {
        span: turn.span,
        sentence,
    })
}
