//! The JUnit report: one test case a trial.
//!
//! A failure is the client's, an error is the harness's (or a client that could not run), and what was not asked or
//! is known is skipped.

use quick_junit::{NonSuccessKind, Property, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::figures::rows;
use super::layers::multiplier;
use super::model::{SuiteReport, TrialReport};
use super::plain::plain;
use crate::judge::{Grade, Verdict};

/// The report as JUnit XML.
///
/// # Errors
/// None that this data can cause; the serialiser's type says otherwise.
pub fn junit(report: &SuiteReport) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new(plain(&report.client));
    for (name, value) in [
        ("harness", report.harness.clone()),
        ("client_version", plain(&report.client_versions.join(", "))),
        (
            "seed",
            report.seed.map_or_else(String::new, |seed| seed.to_string()),
        ),
    ] {
        suite.add_property(Property::new(name, value));
    }
    for (name, value) in rows(&report.figures()) {
        suite.add_property(Property::new(name.replace(' ', "_"), plain(&value)));
    }
    suite.add_test_cases(report.trials.iter().map(|trial| case(report, trial)));
    let stale = report.stale.iter();
    suite.add_test_cases(stale.map(|sentence| failed(report, "stale_entry", sentence, "")));
    let missing = report.missing.iter();
    suite.add_test_cases(missing.map(|sentence| failed(report, "missing", sentence, "")));
    let news = report.snapshots.iter().filter(|news| news.is.fails());
    suite.add_test_cases(news.map(|news| {
        let sentence = format!("{}: {}", news.file, news.is.advice());
        failed(report, "snapshot", &sentence, &news.detail.join("\n"))
    }));
    let mut whole = Report::new("retrial");
    whole.add_test_suite(suite);
    whole.to_string()
}

fn case(report: &SuiteReport, trial: &TrialReport) -> TestCase {
    let mut case = TestCase::new(plain(&trial.trial), status(trial));
    case.set_classname(plain(&report.client));
    case.set_time(trial.took);
    case.add_property(Property::new("time", trial.time.word()));
    if let Some(epoch) = trial.time.epoch() {
        case.add_property(Property::new("epoch", epoch));
    }
    case.set_system_out(details(trial));
    for (name, value) in layers(trial) {
        case.add_property(Property::new(name, value));
    }
    if let Some(fleet) = super::fleet::sentence(&trial.counts) {
        case.add_property(Property::new("fleet", fleet));
    }
    case
}

/// What was counted at each point of a client that has layers.
fn layers(trial: &TrialReport) -> Vec<(String, String)> {
    let counts = &trial.counts;
    let multipliers = counts.segments.iter().map(|s| (&s.to, s.calls, s.per_mille()));
    let mut properties = Vec::new();
    for (to, calls, per_mille) in multipliers {
        let to = plain(to);
        properties.push((format!("layers.{to}.calls"), calls.to_string()));
        properties.push((format!("layers.{to}.over_above"), multiplier(per_mille)));
    }
    let sentences = super::layers::sentences(counts);
    properties.extend(sentences.iter().map(|s| ("layers".to_owned(), plain(s))));
    properties
}

/// Something that fails the run and belongs to no trial.
fn failed(report: &SuiteReport, of_type: &str, sentence: &str, detail: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(of_type).set_message(plain(sentence));
    let mut case = TestCase::new(plain(sentence), status);
    case.set_classname(plain(&report.client));
    if !detail.is_empty() {
        let lines: Vec<_> = detail.lines().map(plain).collect();
        case.set_system_out(lines.join("\n"));
    }
    case
}

fn status(trial: &TrialReport) -> TestCaseStatus {
    let mut status = match trial.verdict {
        Verdict::Pass | Verdict::Noted | Verdict::Warn => return TestCaseStatus::success(),
        Verdict::Skipped | Verdict::ExpectedFail => TestCaseStatus::skipped(),
        Verdict::Inconclusive if trial.known.is_some() => TestCaseStatus::skipped(),
        Verdict::Fail | Verdict::Inconclusive | Verdict::UnexpectedPass => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        Verdict::HarnessError => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    status
        .set_type(super::model::verdict_word(trial.verdict))
        .set_message(plain(&message(trial)));
    status
}

fn message(trial: &TrialReport) -> String {
    if let Some(because) = &trial.because {
        return because.clone();
    }
    // `max_by_key` takes the last of equals; the first is the one that the text report shows first.
    let by_weight = trial.findings.iter().rev();
    let worst = by_weight.max_by_key(|f| (f.known.is_none(), f.finding.grade));
    worst.map_or_else(String::new, |f| {
        format!("{}: {}", f.finding.check, f.finding.because)
    })
}

/// Every finding with its place, one a line, and the command that repeats the trial.
fn details(trial: &TrialReport) -> String {
    let mut lines = Vec::new();
    for reported in &trial.findings {
        let finding = &reported.finding;
        if finding.grade == Grade::Pass {
            continue;
        }
        let place = reported.asked.as_ref();
        let place = place.map_or_else(String::new, |asked| format!(" ({})", plain(&asked.place)));
        let grade = super::model::grade_word(finding.grade);
        let (check, because) = (plain(&finding.check), plain(&finding.because));
        lines.push(format!("{grade} {check}: {because}{place}"));
    }
    lines.extend(super::model::flaky(trial).map(|sentence| format!("flaky {}", plain(&sentence))));
    lines.extend(trial.remarks.iter().map(|r| plain(r)));
    lines.push(format!("repeat: {}", plain(&trial.repeat)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn a_failure_says_what_failed_and_how_to_repeat_it() {
        let xml = junit(&example::report()).unwrap();
        assert!(xml.contains(r#"<failure message="pushback.honoured: call 2 came 12 ms after the 503; the server had asked for 3 s" type="fail"/>"#), "{xml}");
        assert!(xml.contains("repeat: retrial run lost-ack --seed 7"), "{xml}");
        assert!(xml.contains("lost-ack.yaml:2"), "{xml}");
    }

    #[test]
    fn errors_failures_and_skips_are_told_apart() {
        let of = |verdict| {
            let mut report = example::report();
            report.trials[0].verdict = verdict;
            junit(&report).unwrap()
        };
        assert!(
            of(Verdict::HarnessError).contains(r#"failures="0" errors="1""#)
                || of(Verdict::HarnessError).contains("<error ")
        );
        assert!(of(Verdict::Skipped).contains("<skipped "));
        assert!(of(Verdict::ExpectedFail).contains("<skipped "));
        assert!(of(Verdict::UnexpectedPass).contains("<failure "));
        assert!(!of(Verdict::Warn).contains("<failure "));
    }

    #[test]
    fn hostile_text_leaves_well_formed_xml() {
        let mut report = example::report();
        report.trials[0].because = Some("\u{1b}[31m ]]> <a & \"b\" \u{0}\u{fffe}\u{ffff}".to_owned());
        let xml = junit(&report).unwrap();
        let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{fffe}' || c == '\u{ffff}';
        assert!(!xml.chars().any(bad), "{xml}");
        assert!(xml.contains("]]&gt; &lt;a &amp; &quot;b&quot;"), "{xml}");
    }
}
