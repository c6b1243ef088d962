//! What is odd about a scenario and not wrong: told by `retrial check`, and never a reason to refuse a file.

use super::{Dependency, OperationGroup, Trial, Turn};
use crate::source::{Span, nearest};

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
    let dependencies = trial.dependencies.iter();
    let odd = dependencies.flat_map(|d| d.turns.iter().filter_map(|turn| untaken(trial, d, turn)));
    odd.collect()
}

fn sends_elsewhere(turn: &Turn) -> bool {
    let is_location = |(name, _): &(String, String)| name.eq_ignore_ascii_case("location");
    turn.raw.is_some() || turn.answer.iter().any(|a| a.headers.iter().any(is_location))
}

fn untaken(trial: &Trial, dependency: &Dependency, turn: &Turn) -> Option<Remark> {
    let wanted = turn.when.as_ref()?.path.as_deref()?;
    let comes_here = |group: &&OperationGroup| group.request.to.contains(&dependency.name);
    let groups = trial.operations.iter().filter(comes_here);
    let taken: Vec<&str> = groups
        .filter_map(|group| group.request.path.split('?').next())
        .collect();
    if taken.contains(&wanted) {
        return None;
    }
    let name = &dependency.name;
    let sentence = format!("no operation takes the path `{wanted}` to {name}");
    let sentence = match nearest(wanted, taken) {
        Some(near) => format!("{sentence}; did you mean `{near}`?"),
        None => sentence,
    };
    Some(Remark {
        span: turn.span,
        sentence,
    })
}
