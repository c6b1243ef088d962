//! The same within a client of several layers: which layer sent again what may have been applied.
//!
//! Two calls below a layer are one request sent twice only where one call above set both off, and the first had failed
//! before the second came: a mirror sends side by side, and a caller's own repeat comes from another call.

use std::collections::BTreeMap;

use super::unsafe_not_repeated::{applied_by, foreseen, promised, recognised};
use crate::evidence::{Call, Layer};
use crate::judge::layers::set_off;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::CONSEQUENCE;
use crate::judge::wording::cited;
use crate::judge::{Case, Course, Grade, Level, statuses};
use crate::term::LayerRole;

/// Judges every layer of a layered client.
pub(super) fn judge(case: &Case, ruling: &mut Ruling) {
    let courses: BTreeMap<_, _> = case.courses().into_iter().map(|c| (c.id(), c)).collect();
    for (i, layer) in case.evidence.layers.iter().enumerate() {
        for set_off in set_off(case.passed(layer), case.below(i)) {
            let op = set_off.first().and_then(|call| call.head.op);
            if let Some(course) = op.and_then(|op| courses.get(&op)) {
                judge_calls(case, course, layer, &set_off, ruling);
            }
        }
    }
}

/// Judges what one call at a layer set off below it.
fn judge_calls(case: &Case, course: &Course, layer: &Layer, set_off: &[&Call], ruling: &mut Ruling) {
    for (i, first) in set_off.iter().copied().enumerate() {
        if !statuses::not_idempotent(&first.head.method) || !failed(case, first) {
            continue;
        }
        ruling.exercise(course);
        let mut later = set_off[i + 1..].iter().copied();
        let again = later.find(|second| is_again(layer.role, first, second));
        if let Some(second) = again.filter(|second| !is_covered(case, layer.role, first, second)) {
            ruling.charge(charge(case, course, layer, first, second));
        }
    }
}

/// Whether a call surely failed, in a way that does not foresee a repeat.
fn failed(case: &Case, call: &Call) -> bool {
    if !case.evidence.is_layer(&call.head.point) {
        return case.surely_failed(call) && !foreseen(case, call);
    }
    let status = call.status.filter(|_| call.answer_began.is_some());
    let bad = status.is_some_and(|s| s >= 400 && !statuses::repeat_is_foreseen(s));
    let over = call.answer_ended.is_some() || call.peer_left.is_some();
    over && (bad || (status.is_none() && !call.complete))
}

/// Whether the second call is the first one sent again after its end.
fn is_again(role: LayerRole, first: &Call, second: &Call) -> bool {
    let (one, other) = (&first.head, &second.head);
    let same = (&one.point, &one.method, &one.path, &one.query)
        == (&other.point, &other.method, &other.path, &other.query);
    // A repeat can only follow from an end that was handed on before; a mirror's two calls cross. That a caller left is
    // seen on another connection than its next call, and so perhaps a little later.
    let answered = first.answer_ended.is_some_and(|e| e <= second.at());
    let left = first
        .peer_left
        .is_some_and(|e| e <= second.at().plus(CONSEQUENCE));
    same && (answered || left) && same_body(role, first, second)
}

/// A service may well send two requests to one path: they are one only if they say the same. A gateway has nothing to
/// say of its own: only bodies that are known to differ make two requests of it.
fn same_body(role: LayerRole, first: &Call, second: &Call) -> bool {
    let whole = |call: &Call| call.body.clone().filter(|body| body.complete);
    match (whole(first), whole(second), role) {
        (Some(one), Some(other), _) => (one.len, one.sha256) == (other.len, other.sha256),
        (_, _, LayerRole::Gateway) => true,
        (_, _, LayerRole::Service) => false,
    }
}

/// Whether a key makes the repeat safe: that is for who made the request to know, not for a gateway.
fn is_covered(case: &Case, role: LayerRole, first: &Call, second: &Call) -> bool {
    match role {
        LayerRole::Gateway => false,
        LayerRole::Service => recognised(case, first, second),
    }
}

fn charge(case: &Case, course: &Course, layer: &Layer, first: &Call, second: &Call) -> Charge {
    let status = first.status.filter(|_| first.answer_began.is_some());
    let failure = match status {
        Some(status) => format!("{} was answered {status}", first.id()),
        None => format!("{} got no answer", first.id()),
    };
    let (name, method) = (&layer.name, &first.head.method);
    let rule = match layer.role {
        LayerRole::Gateway => ", which no proxy may do",
        LayerRole::Service => "",
    };
    let because = format!(
        "the {} `{name}` sent the {method} of {} again ({}) after {failure}{rule}; {}{}",
        layer.role,
        course.id(),
        second.id(),
        applied_by(course.calls.iter().copied().filter(|c| c.head.method == *method)),
        cited("rfc9110-9.2.2"),
    );
    Charge::new(worth(case, layer.role, method, status), because)
        .about(course)
        .shown_by([first, second])
        .asked_at(span(case, course, first))
}

fn worth(case: &Case, role: LayerRole, method: &str, status: Option<u16>) -> Worth {
    match (promised(case, method, status), role) {
        (Some(worth), LayerRole::Service) => worth,
        (None, LayerRole::Service) => Worth::advice(Grade::Warn),
        (Some(worth), LayerRole::Gateway)
            if worth.grade == Grade::Note && case.promises.opted_out(super::UNSAFE) =>
        {
            worth
        }
        (Some(_) | None, LayerRole::Gateway) => Worth {
            level: Level::Normative,
            grade: Grade::Fail,
        },
    }
}

/// The line of the scenario behind a failure: of the call itself, or of the last one at a dependency while it ran.
fn span(case: &Case, course: &Course, first: &Call) -> Option<crate::source::Span> {
    let end = first.answer_ended.or(first.peer_left);
    let during =
        |c: &&&Call| c.at() >= first.at() && end.is_none_or(|e| c.at() <= e) && case.surely_failed(c);
    case.span_of(first).or_else(|| {
        course
            .calls
            .iter()
            .rev()
            .find(during)
            .and_then(|c| case.span_of(c))
    })
}

#[cfg(test)]
#[path = "unsafe_in_layers_tests.rs"]
mod tests;
