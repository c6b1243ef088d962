//! The live view of what is served: a line for each call, and where somebody sits at a terminal, the counts below them.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::print;
use crate::evidence::GateState;
use crate::report::{Align, columns, plain};
use crate::serve::{CallRecord, CallWas, EffectWas, News, Standing, Summary};
use crate::term::Stamp;

/// How often the counts are shown anew.
pub(super) const OFTEN: Duration = Duration::from_millis(200);

/// The live view, on standard error.
#[derive(Clone)]
pub(super) struct Live {
    bar: ProgressBar,
}

impl Live {
    /// An empty view. Its counts hide themselves where standard error is no terminal.
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed}  {wide_msg}") {
            bar.set_style(style);
        }
        Live { bar }
    }

    /// Shows what happened.
    pub(super) fn tell(&self, news: &News) {
        let text = match news {
            News::Serving(summary) => serving(summary),
            News::Call(record) => call(record),
            News::AcceptCut {
                dependency,
                at_us,
                by,
            } => format!(
                "{:>10} ms  {}  connection cut at accept ({by})",
                ms(*at_us),
                plain(dependency)
            ),
            News::Gate {
                dependency,
                at_us,
                gate,
            } => format!("{:>10} ms  {}  {}", ms(*at_us), plain(dependency), gate_is(*gate)),
        };
        match self.bar.is_hidden() {
            true => print::talk(&format!("{text}\n")),
            false => self.bar.println(text),
        }
    }

    /// Whether anybody can see the counts.
    pub(super) fn is_seen(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Shows the counts as they are now.
    pub(super) fn show(&self, summary: &Summary) {
        let counts = summary.dependencies.iter().map(|(name, standing)| {
            let (calls, delivered) = (calls(standing), standing.counts.delivered);
            format!("{}: calls {calls}, delivered {delivered}", plain(name))
        });
        self.bar.set_message(counts.collect::<Vec<_>>().join("; "));
        self.bar.tick();
    }

    /// Takes the counts away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// The counts as a table.
pub(super) fn table(summary: &Summary) -> String {
    let head = [
        ("dependency", Align::Left),
        ("calls", Align::Right),
        ("delivered", Align::Right),
        ("answers", Align::Left),
    ];
    let rows = summary.dependencies.iter().map(|(name, standing)| {
        let statuses = standing.counts.statuses.iter();
        let answers: Vec<_> = statuses.map(|(status, n)| format!("{status} x{n}")).collect();
        let delivered = standing.counts.delivered.to_string();
        vec![plain(name), calls(standing), delivered, answers.join(", ")]
    });
    columns(&head, rows.collect()).join("\n") + "\n"
}

fn calls(standing: &Standing) -> String {
    match standing.counts.accept_cuts {
        0 => standing.counts.calls.to_string(),
        cut => format!("{}+{cut} cut", standing.counts.calls),
    }
}

fn serving(summary: &Summary) -> String {
    let mut text = format!("serving {}: {}", plain(&summary.trial), plain(&summary.title));
    for (name, standing) in &summary.dependencies {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n  {}  {}", plain(name), plain(&standing.url));
    }
    text
}

fn call(call: &CallRecord) -> String {
    let (at, dependency) = (ms(call.arrived_us), plain(&call.dependency));
    let (method, path) = (plain(&call.method), plain(&call.path));
    let effect = effect(call.effect);
    let mut text = format!("{at:>10} ms  {dependency}  {method} {path}  {effect}  ");
    text += &match call.status {
        Some(status) => status.to_string(),
        None if call.answered_us.is_some() => "raw bytes".to_owned(),
        None => "no answer".to_owned(),
    };
    text += match (call.outage, call.overflow) {
        (Some(_), _) => ", outage",
        (None, true) => ", over capacity",
        (None, false) => "",
    };
    text += &match (call.cut, call.ended) {
        (Some((place, by)), _) => format!(", cut {place} ({by})"),
        (None, CallWas::Open) => ", not over".to_owned(),
        (None, CallWas::Incomplete) => ", the caller left".to_owned(),
        (None, CallWas::Complete) => String::new(),
    };
    text
}

const fn effect(effect: EffectWas) -> &'static str {
    match effect {
        EffectWas::None => "no effect",
        EffectWas::Due => "effect due",
        EffectWas::Applied => "applied",
        EffectWas::Begun => "begun",
        EffectWas::Recognised => "recognised",
    }
}

const fn gate_is(gate: GateState) -> &'static str {
    match gate {
        GateState::Open => "accepts connections",
        GateState::Refusing => "refuses connections",
        GateState::BlackHole => "leaves connections unanswered",
    }
}

fn ms(at: Stamp) -> String {
    format!("{}.{}", at.us() / 1000, at.us() / 100 % 10)
}
