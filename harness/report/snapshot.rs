//! What of a trial is pinned in a snapshot, and the file it stands in.
//!
//! Pinned are counts: operations, stop reasons, and for each dependency calls, effects delivered and the multiplier.
//! No time is, and neither is a count that time or chance decides: where an outage ends, a capacity is shared, a client
//! is kept waiting without an answer or a turn falls by chance, random backoff makes two right runs differ. So does the
//! order in which operations side by side come to a budget or to turns that they share. `varies` stands there with the
//! reason.
//! The file is one of insta's, so that its tools show and accept it.

use std::time::Duration;

use similar::ChangeTag;
use similar::algorithms::{Capture, Compact, Replace, myers};

use super::model::TrialReport;
use super::plain::plain;
use crate::judge::{DependencyCounts, LayerCounts, TrialCounts};
use crate::promise::Budget;
use crate::scenario::{Dependency, Down, KeyState, Outage, Scope, Start, Trial, Turn};
use crate::term::{CutBy, Place};

/// The text that is pinned of a trial, with a newline at its end.
pub fn snapshot_body(trial: &Trial, report: &TrialReport) -> String {
    let counts = &report.counts;
    let mut text = format!("operations: {}\nstop reasons:", counts.operations);
    let raced = undecided_budget(trial);
    let varies = |d: &Dependency| raced.filter(|_| !d.healthy).or_else(|| undecided(trial, d));
    let decided = trial.dependencies.iter().find_map(varies);
    match decided {
        Some(why) => text += &format!(" varies ({why})\n"),
        None => {
            text.push('\n');
            for (reason, n) in report.stops() {
                text += &format!("  {reason}: {n}\n");
            }
        }
    }
    text += &layers(counts, decided);
    text += "dependencies:\n";
    for (name, counts) in &counts.dependencies {
        text += &counted(name, counts, trial.dependency(name).and_then(varies));
    }
    text
}

/// The layers of a client, from its entry down; nothing for one of one piece.
fn layers(counts: &TrialCounts, why: Option<&str>) -> String {
    if counts.layers.is_empty() {
        return String::new();
    }
    if let Some(why) = why {
        return format!("layers: varies ({why})\n");
    }
    let layer = |l: &LayerCounts| {
        let (name, role) = (plain(&l.name), l.role);
        let multiplier = thousandths(l.multiplier_per_mille);
        format!(
            "  {name}:\n    role: {role}\n    calls: {}\n    multiplier: {multiplier}\n",
            l.calls
        )
    };
    let layers = counts.layers.iter().map(layer);
    format!("layers:\n{}", layers.collect::<String>())
}

fn thousandths(per_mille: u64) -> String {
    format!("{}.{:03}", per_mille / 1000, per_mille % 1000)
}

fn counted(name: &str, counts: &DependencyCounts, why: Option<&str>) -> String {
    let name = plain(name);
    if let Some(why) = why {
        return format!("  {name}: varies ({why})\n");
    }
    let (calls, delivered) = (counts.calls, counts.delivered);
    let mut text = format!("  {name}:\n    calls: {calls}\n    delivered: {delivered}\n");
    if counts.begun > 0 {
        text += &format!("    begun: {}\n", counts.begun);
    }
    text + &format!("    multiplier: {}\n", thousandths(counts.multiplier_per_mille))
}

/// For how long a key must be remembered for no retry of a trial to come after it is forgotten.
const LONG: Duration = Duration::from_secs(600);

/// Why a right client's counts at this dependency differ from run to run, if they may.
fn undecided(trial: &Trial, dependency: &Dependency) -> Option<&'static str> {
    let outage = dependency.outages.iter().find_map(undecided_outage);
    let capacity = || {
        dependency
            .capacity
            .as_ref()
            .map(|_| "a capacity that calls share")
    };
    let load = || {
        let slowed = dependency.slows.filter(|_| side_by_side(trial));
        slowed.map(|_| "a load that calls share")
    };
    let forgotten = dependency.keys.as_ref().filter(|keys| keys.keep < LONG);
    let forgotten = || forgotten.map(|_| "a key that is forgotten in time");
    let turn = || dependency.turns.iter().find_map(undecided_turn);
    let order = || undecided_order(trial, dependency);
    outage
        .or_else(capacity)
        .or_else(load)
        .or_else(forgotten)
        .or_else(turn)
        .or_else(order)
}

/// Why a right client's counts differ wherever it is failed: operations that run side by side overtake each other on
/// the way to one budget, and what is earned while it is full is lost.
fn undecided_budget(trial: &Trial) -> Option<&'static str> {
    let given = trial.given.as_ref()?;
    if given.breaker.is_some() || given.budget.as_ref().is_some_and(fills_with_time) {
        return Some("a budget or a breaker that time decides");
    }
    (given.budget.is_some() && side_by_side(trial)).then_some("a budget that operations side by side share")
}

fn fills_with_time(budget: &Budget) -> bool {
    match budget {
        Budget::Bucket(bucket) => bucket.refill_every.is_some(),
        Budget::Window(_) => true,
        Budget::Quota(_) | Budget::Throttle(_) => false,
    }
}

/// Why it depends on who comes first which operation meets which turn.
fn undecided_order(trial: &Trial, dependency: &Dependency) -> Option<&'static str> {
    let shared = match dependency.per {
        Scope::Operation => false,
        Scope::Dependency | Scope::Connection => dependency.turns.len() > 1,
    };
    (shared && side_by_side(trial)).then_some("turns that operations side by side share")
}

fn side_by_side(trial: &Trial) -> bool {
    let beside = trial
        .operations
        .iter()
        .filter(|group| group.start != Start::InSequence);
    beside.map(|group| group.count).sum::<u32>() > 1
}

fn undecided_outage(outage: &Outage) -> Option<&'static str> {
    if !outage.from.is_zero() || outage.until.is_some() || outage.every.is_some() {
        return Some("an outage that ends by time");
    }
    match outage.be {
        Down::BlackHole | Down::Hang => Some(SILENCE),
        Down::Refused | Down::Answer(_) => None,
    }
}

fn undecided_turn(turn: &Turn) -> Option<&'static str> {
    let when = turn.when.as_ref();
    if when.is_some_and(|when| when.chance.is_some()) {
        return Some("a turn that falls by chance");
    }
    if when.is_some_and(|when| when.key == Some(KeyState::InFlight)) {
        return Some("a key that is in flight for a time");
    }
    let early = turn.answer.as_ref().is_some_and(|answer| answer.early);
    let cut = turn.cut.as_ref()?;
    match (cut.at, cut.by) {
        (_, CutBy::Hang) => Some(SILENCE),
        (Place::Idle(_), _) => Some("a connection that ends while it is idle"),
        (_, CutBy::Fin | CutBy::Rst) => {
            early.then_some("an answer that races with the end of its connection")
        }
    }
}

/// How many attempts fit before a deadline depends on how long the client waits between them.
const SILENCE: &str = "a silence that the client's timer ends";

/// The file for `body`: front matter and text, as insta writes them.
pub fn snapshot_file(client: &str, report: &TrialReport, body: &str) -> String {
    // JSON strings are YAML strings.
    let quoted = |text: &str| serde_json::Value::from(plain(text)).to_string();
    format!(
        "---\nsource: {}\ndescription: {}\ninfo:\n  client: {}\n  trial: {}\n---\n{body}",
        quoted(&report.source.path),
        quoted(&report.title),
        quoted(client),
        quoted(&report.trial),
    )
}

/// The body of a snapshot file; `None` where it is none.
pub fn body_of(file: &str) -> Option<String> {
    let file = file.replace("\r\n", "\n");
    let (_, body) = file.strip_prefix("---\n")?.split_once("\n---\n")?;
    Some(body.trim_end().to_owned() + "\n")
}

/// How `observed` differs from `pinned`, line by line: `-` was pinned, `+` was observed.
pub fn difference(pinned: &str, observed: &str) -> Vec<String> {
    let pinned: Vec<_> = pinned.split_inclusive('\n').collect();
    let observed: Vec<_> = observed.split_inclusive('\n').collect();
    // By this one algorithm: the crate's shorter way chooses among all it has when it is called, and each is made anew.
    let mut changes = Compact::new(Replace::new(Capture::new()), &pinned, &observed);
    let Ok(()) = myers::diff(
        &mut changes,
        &pinned,
        0..pinned.len(),
        &observed,
        0..observed.len(),
    );
    let changes = changes.into_inner().into_inner().into_ops();
    let changes = changes.iter().flat_map(|op| op.iter_changes(&pinned, &observed));
    let lines = changes.map(|change| {
        let sign = match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => ' ',
        };
        format!("{sign} {}", change.value().trim_end())
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::report::example;
    use crate::scenario;
    use crate::source::Source;

    fn trial(dependency: &str) -> Trial {
        loaded(dependency, "")
    }

    /// Two operations that `how` starts, and a policy if it says so.
    fn loaded(dependency: &str, how: &str) -> Trial {
        let (policy, start) = how.split_once(" start: ").unwrap_or((how, "in_sequence"));
        let text = format!(
            "version: 1\ntitle: t\n{policy}\ndependencies: {{notification: {dependency}}}\n\
             operations: [{{count: 2, start: {start}, request: {{method: GET, to: [notification], path: /}}}}]\n"
        );
        let loaded = scenario::load(Arc::new(Source::new("f.yaml", text)), "f");
        loaded.expect("it is valid").remove(0)
    }

    #[test]
    fn counts_and_stop_reasons_are_pinned_and_no_time_is() {
        insta::assert_snapshot!(snapshot_body(&trial("{}"), &example::trial()), @r"
        operations: 1
        stop reasons:
          ok: 1
        dependencies:
          notification:
            calls: 2
            delivered: 1
            multiplier: 2.000
        ");
    }

    #[test]
    fn the_layers_of_a_client_are_pinned_from_its_entry_down() {
        let mut report = example::trial();
        report.counts.layers = example::layers();
        let body = snapshot_body(&trial("{}"), &report);
        let layers = body
            .split("layers:\n")
            .nth(1)
            .and_then(|rest| rest.split("dependencies").next());
        insta::assert_snapshot!(layers.unwrap_or_default(), @r"
          front:
            role: gateway
            calls: 1
            multiplier: 1.000
          a-loan:
            role: service
            calls: 3
            multiplier: 3.000
        ");
    }

    #[test]
    fn what_time_or_chance_decides_is_not_pinned() {
        for (dependency, why) in [
            (
                "{outages: [{from: 0s, until: 1s, be: refused}]}",
                "an outage that ends by time",
            ),
            (
                "{outages: [{from: 1s, be: refused}]}",
                "an outage that ends by time",
            ),
            (
                "{script: [{when: {chance: 0.5}, answer: {status: 503}}, {answer: {status: 200}}]}",
                "a turn that falls by chance",
            ),
            (
                "{script: [{times: 1, cut: {at: before_answer, by: hang}}, {answer: {status: 200}}]}",
                "a silence that the client's timer ends",
            ),
            (
                "{keys: {header: Idempotency-Key, keep: 1s}, script: [{answer: {status: 200}}]}",
                "a key that is forgotten in time",
            ),
        ] {
            let body = snapshot_body(&trial(dependency), &example::trial());
            let varies = format!("varies ({why})");
            assert_eq!(body.matches(&varies).count(), 2, "{body}");
            assert!(!body.contains("calls"), "{body}");
        }
        let endless = trial("{outages: [{from: 0s, be: {answer: {status: 503}}}]}");
        assert!(snapshot_body(&endless, &example::trial()).contains("calls: 2"));
    }

    #[test]
    fn what_operations_side_by_side_share_is_not_pinned() {
        let failing = "{script: [{answer: {status: 503}}]}";
        let shared =
            "{per: dependency, script: [{times: 1, answer: {status: 503}}, {answer: {status: 200}}]}";
        let budget = "given: {budget: {initial: 2, cap: 2, earn_per_mille: 100}}";
        let varies = |dependency, how: String| {
            let body = snapshot_body(&loaded(dependency, &how), &example::trial());
            body.contains("varies (")
        };
        for (dependency, policy) in [(failing, budget), (shared, "")] {
            assert!(varies(dependency, format!("{policy} start: at_once")), "{policy}");
            assert!(!varies(dependency, policy.to_owned()), "{policy}");
        }
        assert!(!varies("{}", format!("{budget} start: at_once")));
    }

    #[test]
    fn a_file_is_read_back_whatever_its_names_hold() {
        let mut report = example::trial();
        report.title = "---\n\"quoted\": \u{1b}[2J\n---\n".to_owned();
        let file = snapshot_file("a: b", &report, "one\ntwo\n");
        assert_eq!(body_of(&file).as_deref(), Some("one\ntwo\n"));
        assert_eq!(
            body_of(&file.replace('\n', "\r\n")).as_deref(),
            Some("one\ntwo\n")
        );
        assert_eq!(body_of("something else"), None);
    }

    #[test]
    fn a_difference_reads_line_by_line() {
        let lines = difference("calls: 2\nmultiplier: 2.000\n", "calls: 3\nmultiplier: 2.000\n");
        assert_eq!(lines, ["- calls: 2", "+ calls: 3", "  multiplier: 2.000"]);
    }

    #[test]
    fn a_load_decides_only_where_operations_run_side_by_side() {
        let why = |how| {
            let trial = loaded("{slows: {per_call_in_flight: 5ms}}", how);
            undecided(&trial, &trial.dependencies[0])
        };
        assert_eq!(why(" start: at_once"), Some("a load that calls share"));
        assert_eq!(why(" start: in_sequence"), None);
    }
}
