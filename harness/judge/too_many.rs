//! Trials of more calls than one is judged by.

use super::{Case, wording};
use crate::evidence::MOST_CALLS;

/// Why a trial of more calls than one is judged by proves nothing, if so.
pub(super) fn too_many_calls(case: &Case) -> Option<String> {
    let (beyond, most) = (case.evidence.beyond, MOST_CALLS);
    (!beyond.is_empty() && case.evidence.ceilings.is_empty()).then(|| {
        format!(
            "a trial is judged by {most} calls and as many connections; {} and {} cut at accept came beyond these and \
             were counted only, with {} applied",
            wording::count(beyond.calls, "call"),
            wording::count(beyond.accept_cuts, "connection"),
            wording::count(beyond.delivered, "effect"),
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::evidence::{Beyond, Ceiling, Evidence, Fact};
    use crate::judge::evidence_builder::{Story, answered};
    use crate::judge::{Verdict, judge};
    use crate::term::Stamp;

    #[test]
    fn calls_beyond_those_that_a_trial_is_judged_by_leave_it_open() {
        let beyond = Beyond {
            calls: 7,
            accept_cuts: 0,
            delivered: 1,
        };
        // Whatever the first calls show, here a call too many: what came later may have explained it.
        let story = Story::of(vec![answered(400)]).call(0, 0).call(0, 10).ok(20);
        let judged = |story: &Story| {
            let evidence = Evidence {
                beyond,
                ..story.evidence()
            };
            judge(&story.case(&evidence))
        };
        assert_eq!(story.judge().verdict, Verdict::Fail);
        let open = judged(&story);
        assert_eq!(open.verdict, Verdict::Inconclusive);
        let because = open.because.unwrap_or_default();
        assert!(
            because.contains("7 calls and 0 connections cut at accept came beyond"),
            "{because}"
        );
        let hit = story.and(Fact::CeilingHit {
            at: Stamp::from_ms(30),
            ceiling: Ceiling::Calls,
        });
        let failed = judged(&hit);
        assert_eq!(failed.verdict, Verdict::Fail);
        assert_eq!(failed.findings.len(), 1, "{:?}", failed.findings);
        assert!(
            failed.findings[0].because.ends_with("after 9 calls"),
            "{:?}",
            failed.findings
        );
    }
}
