//! The calls that show a finding, as a small table in relative milliseconds.

use super::super::plain::{cut, plain};
use super::table::{self, Align};
use crate::evidence::{Call, EffectOutcome, Evidence};
use crate::judge::Finding;
use crate::term::Stamp;

/// The most calls that are shown of a finding; the evidence file has all of them.
const MOST: usize = 12;

/// How many of them stand before the gap, where there is one.
const FIRST: usize = 4;

const HEAD: [(&str, Align); 7] = [
    ("", Align::Left),
    ("ms", Align::Right),
    ("call", Align::Right),
    ("operation", Align::Left),
    ("request", Align::Left),
    ("effect", Align::Left),
    ("answer", Align::Left),
];

/// The lines of the table; none where no such call is known. Where one operation is meant, its earlier attempts stand
/// there too, and `>` marks the calls that show the finding.
pub(super) fn lines(evidence: &Evidence, finding: &Finding) -> Vec<String> {
    let calls = shown(evidence, finding);
    let Some(first) = calls.iter().map(|call| call.at()).min() else {
        return Vec::new();
    };
    let between = calls.len().saturating_sub(MOST);
    // How it began and how it ended say more than the middle of a flood.
    let (began, ended) = match between {
        0 => (calls.as_slice(), &[][..]),
        _ => (&calls[..FIRST], &calls[FIRST + between..]),
    };
    let rows = began.iter().chain(ended).map(|call| {
        let mut row = row(call, first, evidence.is_layer(&call.head.point));
        row[0] = if finding.calls.contains(&call.id()) {
            ">"
        } else {
            ""
        }
        .to_owned();
        row
    });
    let mut lines = table::lines(&HEAD, rows.collect());
    if between > 0 {
        // The head of the table is a line of its own.
        lines.insert(1 + FIRST, format!("({between} between)"));
    }
    lines
}

fn shown<'a>(evidence: &'a Evidence, finding: &Finding) -> Vec<&'a Call> {
    let Some(last) = finding.calls.iter().max() else {
        return Vec::new();
    };
    let meant = |call: &&Call| match finding.operations.as_slice() {
        [only] if call.head.op == Some(*only) => call.is_attempt() || finding.calls.contains(&call.id()),
        _ => finding.calls.contains(&call.id()),
    };
    let everywhere = evidence.calls.iter().chain(&evidence.passed);
    let until = everywhere.filter(|call| call.id() <= *last);
    let mut shown: Vec<&Call> = until.filter(meant).collect();
    // Calls at taps share their numbers with those at dependencies.
    shown.sort_by_key(|call| call.id());
    shown
}

fn row(call: &Call, first: Stamp, at_tap: bool) -> Vec<String> {
    let head = &call.head;
    vec![
        String::new(),
        milliseconds(call.at(), first),
        head.call.0.to_string(),
        head.op.map_or_else(|| "none".to_owned(), |op| op.to_string()),
        cut(
            &plain(&format!("{} {} at {}", head.method, head.path, head.point)),
            60,
        ),
        match at_tap {
            true => "-".to_owned(),
            false => effect(call).to_owned(),
        },
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
    if call.head.overflow {
        parts.push("over capacity".to_owned());
    }
    if call.head.queued_us > 0 {
        let ms = call.head.queued_us / 1000;
        parts.push(format!("held {ms} ms by load"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;
    use crate::term::CallId;

    #[test]
    fn of_many_calls_the_first_and_the_last_are_shown() {
        let trial = example::trial();
        let (mut evidence, mut finding) = ((*trial.evidence).clone(), trial.findings[0].finding.clone());
        evidence.calls = (1..=100)
            .map(|id| {
                let mut call = evidence.calls[0].clone();
                call.head.call = CallId(id);
                call
            })
            .collect();
        finding.calls = vec![CallId(100)];
        let lines = lines(&evidence, &finding);
        assert_eq!(lines.len(), 1 + MOST + 1);
        assert_eq!(lines[1 + FIRST], "(88 between)");
        assert!(
            lines[1].starts_with(' ') && lines[1 + MOST].starts_with('>'),
            "{lines:#?}"
        );
    }
}
