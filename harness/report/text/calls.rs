//! The calls that show a finding, as a small table in relative milliseconds.

use super::super::model::TrialReport;
use super::super::plain::{cut, plain};
use super::table::{self, Align};
use crate::evidence::{Call, EffectOutcome};
use crate::term::{CallId, Stamp};

/// The most calls that are shown of a finding; the evidence file has all of them.
const MOST: usize = 12;

const HEAD: [(&str, Align); 6] = [
    ("ms", Align::Right),
    ("call", Align::Right),
    ("operation", Align::Left),
    ("request", Align::Left),
    ("effect", Align::Left),
    ("answer", Align::Left),
];

/// The lines of the table; none where no such call is known.
pub(super) fn lines(trial: &TrialReport, ids: &[CallId]) -> Vec<String> {
    let calls: Vec<&Call> = ids.iter().filter_map(|id| trial.evidence.call(*id)).collect();
    let Some(first) = calls.iter().map(|call| call.at()).min() else {
        return Vec::new();
    };
    let rows = calls.iter().take(MOST).map(|call| row(call, first)).collect();
    let mut lines = table::lines(&HEAD, rows);
    if calls.len() > MOST {
        lines.push(format!("and {} more", calls.len() - MOST));
    }
    lines
}

fn row(call: &Call, first: Stamp) -> Vec<String> {
    let head = &call.head;
    vec![
        milliseconds(call.at(), first),
        head.call.0.to_string(),
        head.op.map_or_else(|| "none".to_owned(), |op| op.to_string()),
        cut(
            &plain(&format!("{} {} at {}", head.method, head.path, head.point)),
            60,
        ),
        effect(call).to_owned(),
        cut(&plain(&answer(call, first)), 100),
    ]
}

fn milliseconds(at: Stamp, first: Stamp) -> String {
    let tenths = at.since(first).as_micros() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

const fn effect(call: &Call) -> &'static str {
    match call.effect {
        None => "none",
        Some((_, EffectOutcome::Applied)) => "applied",
        Some((_, EffectOutcome::Begun)) => "begun",
        Some((_, EffectOutcome::Recognised)) => "recognised",
    }
}

fn answer(call: &Call, first: Stamp) -> String {
    let mut parts = Vec::new();
    match (call.answer_began, call.status) {
        (None, _) => parts.push("none".to_owned()),
        (Some(at), Some(status)) => parts.push(format!("{status} at {}", milliseconds(at, first))),
        (Some(at), None) => parts.push(format!("raw bytes at {}", milliseconds(at, first))),
    }
    if let Some(value) = &call.retry_after {
        parts.push(format!("retry-after: {value}"));
    }
    if let Some((place, by)) = call.cut {
        parts.push(format!("cut {place} ({by})"));
    }
    if let Some(at) = call.peer_left {
        parts.push(format!("client left at {}", milliseconds(at, first)));
    }
    parts.join(", ")
}
