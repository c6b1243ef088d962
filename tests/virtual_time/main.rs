//! The same script, engine and judge on a paused clock: every built-in scenario in both worlds, every mutant, and one
//! seed, one stream of facts.

#[allow(dead_code, reason = "the golden figures use all of it, this test a part")]
mod playing;
#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../fixtures/reference/mod.rs"]
mod reference;
#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../harness/virtual_reference.rs"]
mod virtual_reference;

mod mutants;
mod seeds;
mod stand;
mod worlds;

use playing::{Defect, facts, judged, trial};
use retrial::judge::Verdict;

const RECOVERY: &str = include_str!("../../scenarios/golden/recovery.yaml");

#[test]
fn one_seed_gives_one_stream_of_facts() {
    let trial = trial("recovery", RECOVERY);
    let first = facts(&trial, Defect::None);
    for _ in 0..20 {
        assert_eq!(facts(&trial, Defect::None), first);
    }
    let (_, judgement) = judged(&trial, &first);
    assert_eq!(judgement.verdict, Verdict::Pass, "{:#?}", judgement.findings);
    assert_eq!(judgement.counts.dependencies["quota"].delivered, 1);
}
