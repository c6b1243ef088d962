//! The layers of a client in sentences: what was counted at each point, and which segments multiplied.

use crate::judge::{Segment, TrialCounts};

/// `3.00`, rounded to hundredths.
pub(super) fn multiplier(per_mille: u64) -> String {
    let hundredths = per_mille.saturating_add(5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// One sentence for each segment that multiplied; one that says so where none did; none for a client of one piece.
pub(super) fn sentences(counts: &TrialCounts) -> Vec<String> {
    if counts.layers.is_empty() || counts.operations == 0 {
        return Vec::new();
    }
    let mut said: Vec<String> = counts.segments.iter().filter_map(sentence).collect();
    if said.is_empty() {
        said.push("no layer multiplied calls".to_owned());
    }
    said.extend(unmarked(counts));
    said.extend(side(counts));
    said
}

/// What may be wrong with counts where calls carry no mark.
fn unmarked(counts: &TrialCounts) -> Option<String> {
    let unmarked = counts.segments.iter().map(|segment| segment.unmarked).sum();
    (unmarked > 0).then(|| {
        format!(
            "{} no mark, and counted because nothing else ran: a health check that came meanwhile would be among them",
            number(unmarked, "call carried", "calls carried")
        )
    })
}

/// The calls that count nowhere, point by point.
fn side(counts: &TrialCounts) -> Option<String> {
    let at = |segment: &Segment| format!("{} at `{}`", segment.side_calls, segment.to);
    let points = counts.segments.iter().filter(|segment| segment.side_calls > 0);
    let points: Vec<String> = points.map(at).collect();
    (counts.side_calls > 0).then(|| {
        format!(
            "{} to no operation, as far as could be told: listed in the evidence, and no attempt of any ({})",
            number(
                counts.side_calls,
                "side call, which belongs",
                "side calls, which belong"
            ),
            points.join(", ")
        )
    })
}

/// What a segment did, if it multiplied.
pub(super) fn sentence(segment: &Segment) -> Option<String> {
    if !segment.multiplies() {
        return None;
    }
    let (to, above, calls) = (&segment.to, segment.above, segment.calls);
    let (from, above) = match &segment.from {
        Some(from) => (format!("`{from}`"), number(above, "call", "calls")),
        None => ("the caller".to_owned(), number(above, "operation", "operations")),
    };
    let times = multiplier(segment.per_mille());
    let whole = format!("between {from} and `{to}` {above} became {calls}: {times} times");
    Some(whole + &split(segment))
}

/// How the parts of a segment are told apart that has no socket within.
fn split(segment: &Segment) -> String {
    let Some(split) = &segment.split else {
        return String::new();
    };
    let (by, to) = (&split.by, &segment.to);
    let outer = multiplier((split.calls * 1000).checked_div(segment.above).unwrap_or(0));
    let inner = multiplier((segment.calls * 1000).checked_div(split.calls).unwrap_or(0));
    format!(
        "; no socket lies between, but the healthy `{by}` got {}: if the work calls it once, all of the work was done \
         {outer} times, and the call to `{to}` alone {inner} times each",
        number(split.calls, "call", "calls")
    )
}

fn number(n: u64, one: &str, several: &str) -> String {
    let noun = if n == 1 { one } else { several };
    format!("{n} {noun}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Split;

    fn segment(above: u64, calls: u64, split: Option<u64>) -> Segment {
        Segment {
            from: Some("loan".to_owned()),
            to: "notification".to_owned(),
            above,
            calls,
            unmarked: 0,
            side_calls: 0,
            split: split.map(|calls| Split {
                by: "membership".to_owned(),
                calls,
            }),
        }
    }

    #[test]
    fn a_segment_that_hands_on_says_nothing() {
        assert_eq!(sentence(&segment(3, 3, None)), None);
        assert_eq!(sentence(&segment(0, 3, None)), None);
    }

    #[test]
    fn side_calls_are_told_by_their_points_and_what_nobody_can_tell_apart_too() {
        let mut first = segment(3, 3, None);
        (first.unmarked, first.side_calls) = (3, 2);
        let counts = TrialCounts {
            operations: 3,
            side_calls: 2,
            layers: crate::report::example::layers(),
            segments: vec![first],
            ..TrialCounts::default()
        };
        insta::assert_snapshot!(sentences(&counts).join("\n"), @r"
        no layer multiplied calls
        3 calls carried no mark, and counted because nothing else ran: a health check that came meanwhile would be among them
        2 side calls, which belong to no operation, as far as could be told: listed in the evidence, and no attempt of any (2 at `notification`)
        ");
    }

    #[test]
    fn a_healthy_dependency_splits_what_has_no_socket() {
        insta::assert_snapshot!(
            sentence(&segment(3, 27, Some(9))).unwrap_or_default(),
            @"between `loan` and `notification` 3 calls became 27: 9.00 times; no socket lies between, but the healthy `membership` got 9 calls: if the work calls it once, all of the work was done 3.00 times, and the call to `notification` alone 3.00 times each"
        );
    }
}
