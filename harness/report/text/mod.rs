//! The report for people at a terminal: a table of the trials, then what is not right, then what was not asked.
//!
//! Readable without colour: every verdict is a word.

mod calls;
mod colour;
mod comparison;
mod detail;
mod figures;
mod load;
mod news;
mod omitted;
mod summary;
mod table;
mod trials;

use super::model::SuiteReport;
use super::plain::plain;

pub use colour::Colour;
pub use comparison::comparison_text;
pub use table::{Align, lines as columns};

/// The report as text, with a newline at its end.
pub fn text(report: &SuiteReport, colour: Colour) -> String {
    let sections = [
        head(report),
        trials::table(report, colour),
        detail::details(report, colour),
        omitted::not_asked(report),
        omitted::skipped(report),
        omitted::stale(report, colour),
        omitted::missing(report, colour),
        news::flaky(report, colour),
        news::snapshots(report, colour),
        load::section(report),
        figures::section(report),
        summary::line(report, colour),
    ];
    let written: Vec<_> = sections.into_iter().filter(|s| !s.is_empty()).collect();
    written.join("\n")
}

fn head(report: &SuiteReport) -> String {
    let version = match report.client_versions.as_slice() {
        [] => String::new(),
        versions => format!(" {}", plain(&versions.join(", "))),
    };
    let (harness, client) = (&report.harness, plain(&report.client));
    let seed = match report.seed {
        Some(seed) => format!("seed {seed}"),
        None => "several seeds".to_owned(),
    };
    let shard = report.shard.map_or_else(String::new, |s| format!(", shard {s}"));
    format!("retrial {harness}, client {client}{version}, {seed}{shard}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Figures, Verdict};
    use crate::report::example;

    #[test]
    fn a_failure_is_shown_with_its_line_and_its_calls() {
        insta::assert_snapshot!(text(&example::report(), Colour::Never), @r"
        retrial 0.1.0, client reference 0.1.0, seed 7

        verdict  time  trial     dependency    calls  delivered  multiplier  stop reasons
        fail     real  lost-ack  notification      2          1        2.00  ok 1

        fail lost-ack: The acknowledgment is lost
          fail pushback.honoured (promised): call 2 came 12 ms after the 503; the server had asked for 3 s
            lost-ack.yaml:2  - {times: 1, answer: {status: 503, retry_after: 3s}}
                 ms  call  operation  request                     effect  answer
            >   0.0     1  op-1       POST /send at notification  none    503 at 0.0, retry-after: 3
            >  12.0     2  op-1       POST /send at notification  none    200 at 12.0
          repeat: retrial run lost-ack --seed 7

        not asked: the client can only GET
          lost-ack: op-2 POST /send

        over all 1 operation
          first-attempt success  0.0 % (0 of 1)
          success after retry    100.0 % (1 of 1)
          operations by calls    2 calls 1
          retry traffic          1 call, 100.0 % on top of 1 first call
          retries after          503 1
          latency added          0.011 s in all, at most 0.011 s for one operation
          prevented by deadline  0 attempts
          key conflicts          0
          oldest pending         0.023 s

        1 trial: 1 fail
        ");
    }

    #[test]
    fn skipped_trials_and_stale_entries_are_listed_with_their_sentence() {
        let mut report = example::report();
        let trial = &mut report.trials[0];
        trial.verdict = Verdict::Skipped;
        trial.because = Some("the client cannot be given a key".to_owned());
        trial.findings.clear();
        trial.left_out.clear();
        trial.figures = Figures::default();
        report.stale.push("client.yaml:9: matches nothing".to_owned());
        insta::assert_snapshot!(text(&report, Colour::Never), @r"
        retrial 0.1.0, client reference 0.1.0, seed 7

        skipped: the client cannot be given a key
          lost-ack

        stale client.yaml:9: matches nothing

        1 trial: 1 skipped
        ");
    }

    #[test]
    fn one_reason_of_many_trials_is_told_once() {
        let mut report = example::report();
        report.trials = ["a", "b", "c"]
            .map(|name| broken(name, "the client is not there"))
            .to_vec();
        report.trials.push(broken("d", "it left early"));
        let text = text(&report, Colour::Never);
        assert_eq!(text.matches("the client is not there").count(), 1, "{text}");
        assert!(text.contains("  the same in 2 more: b, c\n"), "{text}");
        assert!(text.contains("harness_error d: "), "{text}");
    }

    fn broken(name: &str, because: &str) -> crate::report::TrialReport {
        let mut trial = example::trial();
        trial.trial = name.to_owned();
        trial.verdict = Verdict::HarnessError;
        trial.because = Some(because.to_owned());
        trial.findings.clear();
        trial
    }

    #[test]
    fn no_text_of_a_client_reaches_the_terminal_raw() {
        let mut report = example::report();
        let hostile = "\u{1b}[2J\u{9b}1m\u{202e}";
        report.client = hostile.to_owned();
        report.client_versions = vec![hostile.to_owned()];
        report.stale = vec![hostile.to_owned()];
        let trial = &mut report.trials[0];
        trial.trial = hostile.to_owned();
        trial.title = hostile.to_owned();
        trial.because = Some(hostile.to_owned());
        trial.repeat = hostile.to_owned();
        trial.remarks = vec![hostile.to_owned()];
        trial.findings[0].finding.because = hostile.to_owned();
        trial.left_out[0].because = hostile.to_owned();
        let mut evidence = (*trial.evidence).clone();
        evidence.calls[0].head.path = hostile.into();
        evidence.calls[0].head.method = hostile.into();
        evidence.calls[0].retry_after = Some(hostile.to_owned());
        trial.evidence = std::sync::Arc::new(evidence);
        let text = text(&report, Colour::Never);
        assert!(
            !text.chars().any(|c| c != '\n' && super::super::plain::steers(c)),
            "{text:?}"
        );
    }
}
