//! What the language holds and the program does not play yet. It is read and checked like the rest, then refused with
//! a sentence, never ignored. To play one of these, delete its line here.

use super::raw::{Body, Dependency, Down, Need, OperationGroup, Scenario, Turn};
use crate::source::{Placed, Problems, Span};

/// Refuses, once per feature, what is not played yet.
pub(super) fn refuse(raw: &Scenario, problems: &Problems) {
    let mut found = Vec::new();
    needs(raw, &mut found);
    raw.dependencies
        .value
        .iter()
        .for_each(|(_, d)| dependency(d, &mut found));
    raw.operations
        .value
        .iter()
        .for_each(|g| operations(&g.value, &mut found));
    let mut said: Vec<&str> = Vec::new();
    for (feature, span) in found {
        if !said.contains(&feature) {
            said.push(feature);
            let message = format!("`{feature}` is part of the language and is not played yet");
            problems.say(span, message, "refused, so that nothing is ignored");
        }
    }
}

/// A feature and where it stands.
type Found = Vec<(&'static str, Span)>;

fn needs(raw: &Scenario, found: &mut Found) {
    for need in &raw.needs {
        match need.value {
            Need::Refresh => found.push(("needs: refresh", need.span)),
            Need::ConnectionReuse
            | Need::Key
            | Need::Body
            | Need::Concurrency
            | Need::Deadline
            | Need::Layers(_)
            | Need::SeveralTargets => {}
        }
    }
}

fn dependency(raw: &Dependency, found: &mut Found) {
    let overflow = raw
        .capacity
        .as_ref()
        .and_then(|c| c.value.overflow.value.body.as_ref());
    body(overflow, found);
    for outage in &raw.outages {
        match &outage.value.be.value {
            Down::Answer(a) => body(a.value.body.as_ref(), found),
            Down::Refused | Down::BlackHole | Down::Hang => {}
        }
    }
    let turns = raw.script.iter().flat_map(|s| &s.value);
    turns.for_each(|t| turn(&t.value, found));
}

fn turn(raw: &Turn, found: &mut Found) {
    if let Some(answer) = &raw.answer {
        body(answer.value.body.as_ref(), found);
    }
}

fn body(raw: Option<&Placed<Body>>, found: &mut Found) {
    let Some(raw) = raw else { return };
    match raw.value {
        Body::File(_) => found.push(("body: file", raw.span)),
        Body::Ranges(_) => found.push(("body: ranges", raw.span)),
        Body::Text(_) | Body::Zeros(_) => {}
    }
}

fn operations(raw: &OperationGroup, found: &mut Found) {
    let body = raw.request.body.as_ref();
    let file = body.filter(|b| matches!(b.value, Body::File(_)));
    found.extend(file.map(|b| ("body: file", b.span)));
}
