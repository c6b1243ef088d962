//! Reports of several runs of one client, joined into one: the shards of a run, or runs of different scenarios.

use std::collections::BTreeSet;

use super::conclude::be_strict;
use super::expected::{self, Elsewhere};
use crate::report::{Listed, Shard, SuiteReport};

/// Joins reports, each with the name of the file that it came from.
///
/// # Errors
/// A sentence: there is none, they are of different clients, or two report one trial.
pub fn merge(reports: Vec<(String, SuiteReport)>, strict: bool) -> Result<SuiteReport, String> {
    refuse_strangers(&reports)?;
    let shards: Vec<_> = reports.iter().filter_map(|(_, r)| r.shard).collect();
    let missing = missing(&shards)?;
    let mut reports = reports.into_iter().map(|(_, report)| report);
    let mut whole = reports.next().ok_or("there is no report to join")?;
    for report in reports {
        join(&mut whole, report);
    }
    whole.shard = None;
    whole.missing.extend(missing);
    if strict {
        be_strict(&mut whole.trials);
    }
    settle(&mut whole);
    Ok(whole)
}

fn refuse_strangers(reports: &[(String, SuiteReport)]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for (path, report) in reports {
        if report.client != reports[0].1.client {
            let (one, other) = (&reports[0].1.client, &report.client);
            return Err(format!(
                "{path} is about the client {other}, and {} about {one}",
                reports[0].0
            ));
        }
        for trial in &report.trials {
            if !seen.insert(&trial.trial) {
                return Err(format!(
                    "{path} reports {}, which another report has already",
                    trial.trial
                ));
            }
        }
    }
    Ok(())
}

/// A sentence for each shard whose report is not there.
fn missing(shards: &[Shard]) -> Result<Vec<String>, String> {
    let Some(first) = shards.first() else {
        return Ok(Vec::new());
    };
    if let Some(other) = shards.iter().find(|s| s.of() != first.of()) {
        return Err(format!("the shards {first} and {other} are not of one run"));
    }
    let there: BTreeSet<_> = shards.iter().map(|s| s.index()).collect();
    let missing = (1..=first.of()).filter(|index| !there.contains(index));
    let of = first.of();
    Ok(missing
        .map(|index| format!("the report of shard {index}/{of} is not among those that were joined"))
        .collect())
}

fn join(whole: &mut SuiteReport, report: SuiteReport) {
    for version in report.client_versions {
        if !whole.client_versions.contains(&version) {
            whole.client_versions.push(version);
        }
    }
    whole.seed = whole.seed.filter(|seed| report.seed == Some(*seed));
    whole.interrupted |= report.interrupted;
    whole.trials.extend(report.trials);
    whole.deselected.extend(report.deselected);
    whole.missing.extend(report.missing);
    whole.snapshots.extend(report.snapshots);
    report
        .expected
        .into_iter()
        .for_each(|one| add_entry(&mut whole.expected, one));
}

fn add_entry(all: &mut Vec<Listed>, one: Listed) {
    match all
        .iter_mut()
        .find(|known| known.entry.place == one.entry.place && known.entry == one.entry)
    {
        Some(known) => known.matched |= one.matched,
        None => all.push(one),
    }
}

/// What no part could say of the client's `expected` list, because it did not have all trials.
fn settle(whole: &mut SuiteReport) {
    let there: BTreeSet<String> = whole.trials.iter().map(|t| t.trial.clone()).collect();
    whole.deselected.retain(|id| !there.contains(id));
    whole.deselected.sort();
    whole.deselected.dedup();
    // Every part says that a snapshot is unreferenced; once is enough.
    let mut said = BTreeSet::new();
    whole
        .snapshots
        .retain(|news| said.insert((news.is, news.file.clone())));
    if whole.interrupted {
        return;
    }
    let elsewhere = Elsewhere {
        trials: &whole.deselected,
        others: !whole.missing.is_empty(),
    };
    whole.stale = expected::settle(&whole.expected, &mut whole.trials, elsewhere);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Verdict;
    use crate::promise::{ExpectedEntry, ExpectedMatch};
    use crate::report::{TrialReport, example};
    use crate::source::Span;

    fn part(shard: &str, here: &str, elsewhere: &[&str]) -> (String, SuiteReport) {
        let trial = TrialReport {
            trial: here.to_owned(),
            scenario: "dates".to_owned(),
            verdict: Verdict::Pass,
            findings: Vec::new(),
            ..example::trial()
        };
        let report = SuiteReport {
            shard: shard.parse().ok(),
            trials: vec![trial],
            deselected: elsewhere.iter().map(|id| (*id).to_owned()).collect(),
            ..example::report()
        };
        (format!("{here}.json"), report)
    }

    fn entry(scenario: Option<&str>, matched: bool) -> Listed {
        let matches = ExpectedMatch::Finding {
            check: "pushback.dates".to_owned(),
            scenario: scenario.map(str::to_owned),
        };
        let entry = ExpectedEntry {
            matches,
            because: "known".to_owned(),
            see: None,
            span: Span::default(),
            place: "client.yaml:9".to_owned(),
        };
        Listed { entry, matched }
    }

    fn halves() -> Vec<(String, SuiteReport)> {
        vec![
            part("1/2", "dates[a]", &["dates[b]"]),
            part("2/2", "dates[b]", &["dates[a]"]),
        ]
    }

    #[test]
    fn shards_make_the_whole_again() {
        let whole = merge(halves(), false).expect("they belong together");
        let ids: Vec<_> = whole.trials.iter().map(|t| t.trial.as_str()).collect();
        assert_eq!(ids, ["dates[a]", "dates[b]"]);
        assert!(whole.deselected.is_empty() && whole.missing.is_empty());
        assert_eq!((whole.shard, whole.seed), (None, Some(7)));
    }

    #[test]
    fn an_entry_that_no_part_could_judge_is_judged_on_the_whole() {
        for (matched, verdict) in [(false, Verdict::UnexpectedPass), (true, Verdict::Pass)] {
            let mut halves = halves();
            halves[0].1.expected = vec![entry(Some("dates"), false)];
            halves[1].1.expected = vec![entry(Some("dates"), matched)];
            let whole = merge(halves, false).expect("they belong together");
            assert_eq!(whole.trials[0].verdict, verdict);
        }
        let mut halves = halves();
        halves
            .iter_mut()
            .for_each(|half| half.1.expected = vec![entry(None, false)]);
        let whole = merge(halves, false).expect("they belong together");
        assert_eq!(
            whole.stale,
            ["client.yaml:9: no trial has the expected finding pushback.dates"]
        );
    }

    #[test]
    fn a_shard_that_is_not_there_is_said_and_makes_nothing_stale() {
        let mut halves = halves();
        halves[0].1.expected = vec![entry(None, false)];
        halves.truncate(1);
        let whole = merge(halves, false).expect("one is enough to say so");
        assert_eq!(
            whole.missing,
            ["the report of shard 2/2 is not among those that were joined"]
        );
        assert!(whole.stale.is_empty());
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let refused = |change: &dyn Fn(&mut SuiteReport)| {
            let mut halves = halves();
            change(&mut halves[1].1);
            merge(halves, false).expect_err("they do not belong together")
        };
        let said = refused(&|r| r.client = "other".to_owned());
        assert!(said.contains("the client other"), "{said}");
        let said = refused(&|r| r.trials[0].trial = "dates[a]".to_owned());
        assert!(
            said.contains("reports dates[a], which another report has already"),
            "{said}"
        );
        let said = refused(&|r| r.shard = "2/3".parse().ok());
        assert!(said.contains("are not of one run"), "{said}");
        assert!(merge(Vec::new(), false).is_err());
    }
}
