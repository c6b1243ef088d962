//! The Markdown report, for the summary of a job: what is not right first, the rest folded away.
//!
//! Everything that a client or a scenario wrote is text, never markup: no table cell, link, image, mention or formula
//! can come of it.

use super::figures::rows;
use super::layers::multiplier;
use super::model::{
    ReportedFinding, SuiteReport, TrialReport, VERDICTS, epoch, flaky, grade_word, level_words, verdict_word,
};
use super::news::{SnapshotIs, SnapshotNews};
use super::plain::{cut, plain};
use crate::judge::{Grade, Verdict};

/// The longest sentence that is shown, in characters: a summary has a limit, and the other reports have all of it.
const MOST: usize = 600;

/// The report as GitHub-flavoured Markdown, with a newline at its end.
pub fn markdown(report: &SuiteReport) -> String {
    let mut text = format!("## retrial: {}\n\n{}\n", escaped(&report.client), summary(report));
    let problems = problems(report);
    if !problems.is_empty() {
        text += &format!("\n{}", problems.concat());
    }
    for trial in report.trials.iter().filter(|t| is_not_right(t)) {
        text += &format!("\n{}", details(trial));
    }
    text += &snapshots(&report.snapshots);
    text += &table(report);
    text + &figures(report)
}

fn summary(report: &SuiteReport) -> String {
    let counted = VERDICTS.into_iter().filter_map(|verdict| {
        let n = report.trials.iter().filter(|t| t.verdict == verdict).count();
        (n > 0).then(|| format!("{n} {}", verdict_word(verdict)))
    });
    let counted: Vec<_> = counted.map(|c| escaped(&c)).collect();
    let seed = report
        .seed
        .map_or_else(String::new, |seed| format!(", seed {seed}"));
    let shard = report
        .shard
        .map_or_else(String::new, |shard| format!(", shard {shard}"));
    let interrupted = if report.interrupted { ", interrupted" } else { "" };
    let (n, harness) = (report.trials.len(), &report.harness);
    let trials = if n == 1 { "trial" } else { "trials" };
    format!(
        "**{n} {trials}: {}**{interrupted} (retrial {harness}{seed}{shard})",
        counted.join(", ")
    )
}

/// What belongs to no trial, a list item for each.
fn problems(report: &SuiteReport) -> Vec<String> {
    let stale = report
        .stale
        .iter()
        .map(|s| format!("- **stale** {}\n", escaped(s)));
    let missing = report
        .missing
        .iter()
        .map(|s| format!("- **missing** {}\n", escaped(s)));
    let flaky = report.trials.iter().filter_map(flaky);
    let flaky = flaky.map(|s| format!("- **flaky** {}\n", escaped(&s)));
    stale.chain(missing).chain(flaky).collect()
}

fn is_not_right(trial: &TrialReport) -> bool {
    match trial.verdict {
        Verdict::Warn | Verdict::Fail | Verdict::UnexpectedPass | Verdict::HarnessError => true,
        Verdict::Inconclusive => trial.known.is_none(),
        Verdict::Pass | Verdict::Noted | Verdict::Skipped | Verdict::ExpectedFail => false,
    }
}

fn details(trial: &TrialReport) -> String {
    let (verdict, id) = (escaped(verdict_word(trial.verdict)), escaped(&trial.trial));
    let mut text = format!("### {verdict} {id}\n\n{}\n\n", escaped(&trial.title));
    text += &trial
        .because
        .iter()
        .map(|b| format!("- {}\n", escaped(b)))
        .collect::<String>();
    text += &trial.findings.iter().map(finding).collect::<String>();
    text += &layers(trial);
    let fleet = super::fleet::sentence(&trial.counts);
    text += &fleet.map_or_else(String::new, |s| format!("- fleet: {}\n", escaped(&s)));
    text += &trial
        .remarks
        .iter()
        .map(|r| format!("- {}\n", escaped(r)))
        .collect::<String>();
    text + &format!("- repeat: <code>{}</code>\n", escaped(&trial.repeat))
}

/// A table of the points of a client that has layers, and what multiplied.
fn layers(trial: &TrialReport) -> String {
    let counts = &trial.counts;
    if counts.layers.is_empty() {
        return String::new();
    }
    let mut text = "\n| point | calls | of above | times |\n| --- | ---: | ---: | ---: |\n".to_owned();
    for segment in &counts.segments {
        let (to, times) = (escaped(&segment.to), multiplier(segment.per_mille()));
        text += &format!("| {to} | {} | {} | {times} |\n", segment.calls, segment.above);
    }
    let sentences = super::layers::sentences(counts);
    text += "\n";
    text + &sentences
        .iter()
        .map(|s| format!("- {}\n", escaped(s)))
        .collect::<String>()
}

fn finding(reported: &ReportedFinding) -> String {
    let finding = &reported.finding;
    if finding.grade < Grade::Warn {
        return String::new();
    }
    let place = reported.asked.as_ref();
    let place = place.map_or_else(String::new, |asked| format!(" ({})", escaped(&asked.place)));
    let known = reported.known.as_ref();
    let known = known.map_or_else(String::new, |known| {
        format!("; known: {}", escaped(&known.because))
    });
    let (grade, level) = (grade_word(finding.grade), level_words(finding.level));
    let (check, because) = (escaped(&finding.check), escaped(&finding.because));
    format!("- **{grade}** {check} ({level}): {because}{place}{known}\n")
}

fn snapshots(news: &[SnapshotNews]) -> String {
    let mut text = String::new();
    for is in SnapshotIs::ALL {
        let of_kind: Vec<_> = news.iter().filter(|n| n.is == is).collect();
        if of_kind.is_empty() {
            continue;
        }
        text += &format!("\n### snapshots {}: {}\n\n", is.word(), escaped(is.advice()));
        for one in of_kind {
            text += &format!("- {}\n", escaped(&one.file));
            let lines = one
                .detail
                .iter()
                .map(|line| format!("  <br><code>{}</code>\n", escaped(line)));
            text += &lines.collect::<String>();
        }
    }
    text
}

/// Every trial, folded away.
fn table(report: &SuiteReport) -> String {
    if report.trials.is_empty() {
        return String::new();
    }
    let head = "\n<details><summary>All trials</summary>\n\n| verdict | time | trial | calls | delivered | stop reasons |\n\
                | --- | --- | --- | ---: | ---: | --- |\n";
    let rows: String = report.trials.iter().map(row).collect();
    let epoch = epoch(report).map_or_else(String::new, |sentence| format!("\n{}\n", escaped(&sentence)));
    format!("{head}{rows}{epoch}\n</details>\n")
}

fn row(trial: &TrialReport) -> String {
    let dependencies = || trial.counts.dependencies.values();
    let calls: u64 = dependencies().map(|d| d.calls).sum();
    let delivered: u64 = dependencies().map(|d| d.delivered).sum();
    let stops: Vec<_> = trial.stops().map(|(reason, n)| format!("{reason} {n}")).collect();
    let (verdict, id) = (escaped(verdict_word(trial.verdict)), escaped(&trial.trial));
    let time = trial.time;
    format!(
        "| {verdict} | {time} | {id} | {calls} | {delivered} | {} |\n",
        escaped(&stops.join(", "))
    )
}

/// The figures over all operations, folded away.
fn figures(report: &SuiteReport) -> String {
    let rows = rows(&report.figures());
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows
        .iter()
        .map(|(name, value)| format!("| {name} | {} |\n", escaped(value)));
    let head = "\n<details><summary>Over all operations</summary>\n\n| figure | |\n| --- | --- |\n";
    format!("{head}{}\n</details>\n", rows.collect::<String>())
}

/// Text of anybody, on one line, in which nothing is markup.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in cut(&plain(text), MOST).chars() {
        match c {
            // Whoever renders the page looks for names and numbers behind these after the markup is gone; a comment
            // between keeps them apart.
            '@' | '#' => out += &format!("&#{};<!-- -->", c as u32),
            // `www.` makes a link without any markup.
            '.' if out.to_ascii_lowercase().ends_with("www") => out += "&#46;",
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '!' | '|' | '&' | '~' | ':'
            | '$' | '=' | '"' | '\'' => out += &format!("&#{};", c as u32),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_failure_is_told_with_its_place_and_its_repetition() {
        insta::assert_snapshot!(markdown(&example::report()), @r"
        ## retrial: reference

        **1 trial: 1 fail** (retrial 0.1.0, seed 7)

        ### fail lost-ack

        The acknowledgment is lost

        - **fail** pushback.honoured (promised): call 2 came 12 ms after the 503; the server had asked for 3 s (lost-ack.yaml&#58;2)
        - repeat: <code>retrial run lost-ack --seed 7</code>

        <details><summary>All trials</summary>

        | verdict | time | trial | calls | delivered | stop reasons |
        | --- | --- | --- | ---: | ---: | --- |
        | fail | real | lost-ack | 2 | 1 | ok 1 |

        </details>

        <details><summary>Over all operations</summary>

        | figure | |
        | --- | --- |
        | first-attempt success | 0.0 % (0 of 1) |
        | success after retry | 100.0 % (1 of 1) |
        | operations by calls | 2 calls 1 |
        | retry traffic | 1 call, 100.0 % on top of 1 first call |
        | retries after | 503 1 |
        | latency added | 0.011 s in all, at most 0.011 s for one operation |
        | prevented by deadline | 0 attempts |
        | key conflicts | 0 |
        | oldest pending | 0.023 s |

        </details>
        ");
    }

    #[test]
    fn no_text_of_a_client_becomes_markup() {
        let hostile =
            "</details> | a | ![x](http://e.vil) `c` @team #1 $x$ www.e.vil <!-- \n# h\u{1b}[2J &amp; ~~s~~";
        let mut report = example::report();
        report.client = hostile.to_owned();
        report.stale = vec![hostile.to_owned()];
        report.missing = vec![hostile.to_owned()];
        report.snapshots = vec![SnapshotNews {
            is: SnapshotIs::Different,
            file: hostile.to_owned(),
            detail: vec![hostile.to_owned()],
        }];
        let trial = &mut report.trials[0];
        trial.trial = hostile.to_owned();
        trial.title = hostile.to_owned();
        trial.because = Some(hostile.to_owned());
        trial.repeat = hostile.to_owned();
        trial.remarks = vec![hostile.to_owned()];
        trial.findings[0].finding.because = hostile.to_owned();
        let text = markdown(&report);
        for markup in [
            "![", "](", "`", "@", "$", "://", "www.", "~~", "| a |", "&amp;", "\u{1b}", "#1 ", "\n# h",
        ] {
            assert!(!text.contains(markup), "{markup:?} in {text}");
        }
        // The report's own folds are the only ones that are closed.
        assert_eq!(text.matches("</details>").count(), 2);
    }

    #[test]
    fn a_long_sentence_is_cut() {
        assert!(escaped(&"x".repeat(5000)).len() < 700);
    }
}
