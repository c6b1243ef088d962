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
    if counts.side_calls > 0 {
        said.push(format!(
            "{} to no operation, as far as could be told: listed in the evidence, and no attempt of any",
            number(
                counts.side_calls,
                "side call, which belongs",
                "side calls, which belong"
            )
        ));
    }
    said
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
    fn a_healthy_dependency_splits_what_has_no_socket() {
        insta::assert_snapshot!(
            sentence(&segment(3, 27, Some(9))).unwrap_or_default(),
            @"between `loan` and `notification` 3 calls became 27: 9.00 times; no socket lies between, but the healthy `membership` got 9 calls: if the work calls it once, all of the work was done 3.00 times, and the call to `notification` alone 3.00 times each"
        );
    }
}
