//! What is varied: which trials a file makes, their ids, and whether `varied` and its lists fit together.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::super::raw::{self, By, DateAt, Pushback, Vary, Written};
use super::Check;
use crate::source::{Placed, Problems, Span};

/// The most trials that one file may make.
const MOST_TRIALS: usize = 500;

/// The most text that all trials of a file may have together, in bytes: each is made of the whole file.
const MOST_TEXT: usize = 64 * 1024 * 1024;

/// What `varied` stands for in one trial; `None` where that is not varied.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::scenario) struct Choice<'a> {
    /// The method.
    pub method: Option<&'a Placed<String>>,
    /// The status.
    pub status: Option<&'a Placed<u16>>,
    /// The pushback.
    pub pushback: Option<&'a Placed<Pushback>>,
    /// How a cut ends the exchange.
    pub cut: Option<&'a Placed<By>>,
    /// The client's time zone.
    pub zone: Option<&'a Placed<String>>,
}

impl Choice<'_> {
    /// `name`, or `name[503,Asia/Tokyo]`.
    pub fn id(&self, name: &str) -> String {
        let varied: Vec<String> = [
            self.method.map(|m| m.value.clone()),
            self.status.map(|s| s.value.to_string()),
            self.pushback.map(|p| word(&pushback(&p.value))),
            self.cut.map(|c| by(c.value).to_owned()),
            self.zone.map(|z| z.value.clone()),
        ]
        .into_iter()
        .flatten()
        .collect();
        match varied.is_empty() {
            true => name.to_owned(),
            false => format!("{name}[{}]", varied.join(",")),
        }
    }
}

/// Where `varied` was met.
#[derive(Debug, Default)]
pub(in crate::scenario) struct Uses {
    pub methods: Cell<bool>,
    pub statuses: Cell<bool>,
    pub pushbacks: Cell<bool>,
    pub cuts: Cell<bool>,
}

/// Every combination of what is varied, in the order methods, statuses, pushbacks, cuts, zones; one that varies
/// nothing where nothing is.
pub(in crate::scenario) fn choices<'a>(vary: &'a Vary, problems: &Problems) -> Vec<Choice<'a>> {
    let mut all = vec![Choice::default()];
    grow(&mut all, &vary.methods, problems, |c, m| Choice {
        method: Some(m),
        ..c
    });
    grow(&mut all, &vary.statuses, problems, |c, s| Choice {
        status: Some(s),
        ..c
    });
    grow(&mut all, &vary.pushbacks, problems, |c, p| Choice {
        pushback: Some(p),
        ..c
    });
    grow(&mut all, &vary.cuts, problems, |c, by| Choice {
        cut: Some(by),
        ..c
    });
    grow(&mut all, &vary.zones, problems, |c, z| Choice {
        zone: Some(z),
        ..c
    });
    check_values(vary, problems);
    all
}

/// Each choice so far with each value of one more list.
fn grow<'a, T>(
    all: &mut Vec<Choice<'a>>,
    list: &'a Option<Placed<Vec<Placed<T>>>>,
    problems: &Problems,
    with: impl Fn(Choice<'a>, &'a Placed<T>) -> Choice<'a>,
) {
    let Some(list) = list else { return };
    let values = &list.value;
    if values.is_empty() {
        problems.say(list.span, "an empty list makes no trial", "nothing to vary");
    } else if all.len() * values.len() > MOST_TRIALS {
        let message = format!("this makes more than {MOST_TRIALS} trials");
        problems.say(list.span, message, "vary less, or in several files");
    } else if all.len() * values.len() * problems.source().text.len() > MOST_TEXT {
        let message = "this makes too many trials of so long a file";
        problems.say(list.span, message, "vary less, or in several files");
    } else {
        *all = all
            .iter()
            .flat_map(|c| values.iter().map(|v| with(*c, v)))
            .collect();
    }
}

fn check_values(vary: &Vary, problems: &Problems) {
    no_doubles(&vary.methods, problems, |m| m.clone());
    no_doubles(&vary.statuses, problems, |s| s.to_string());
    no_doubles(&vary.pushbacks, problems, |p| word(&pushback(p)));
    no_doubles(&vary.cuts, problems, |c| by(*c).to_owned());
    no_doubles(&vary.zones, problems, |z| z.clone());
    for zone in vary.zones.iter().flat_map(|l| &l.value) {
        if !is_zone(&zone.value) {
            problems.say(
                zone.span,
                format!("`{}` is not the name of a time zone", zone.value),
                "such as Asia/Tokyo",
            );
        }
    }
    for cut in vary
        .cuts
        .iter()
        .flat_map(|l| &l.value)
        .filter(|c| c.value == By::Varied)
    {
        problems.say(cut.span, "`varied` cannot stand for itself", "fin, rst or hang");
    }
    let pushbacks = vary.pushbacks.iter().flat_map(|l| &l.value);
    for p in pushbacks.filter(|p| matches!(p.value, Pushback::Varied)) {
        problems.say(p.span, "`varied` cannot stand for itself", "such as 3s");
    }
}

fn no_doubles<T>(list: &Option<Placed<Vec<Placed<T>>>>, problems: &Problems, text: impl Fn(&T) -> String) {
    let mut seen = BTreeSet::new();
    for value in list.iter().flat_map(|l| &l.value) {
        if !seen.insert(text(&value.value)) {
            problems.say(
                value.span,
                "two trials would have the same name",
                "written before",
            );
        }
    }
}

/// Reports lists that no `varied` refers to.
pub(in crate::scenario) fn unused(vary: &Vary, uses: &Uses, problems: &Problems) {
    let lists: [(Option<Span>, bool, &str); 4] = [
        (
            vary.methods.as_ref().map(|l| l.span),
            uses.methods.get(),
            "a `method`",
        ),
        (
            vary.statuses.as_ref().map(|l| l.span),
            uses.statuses.get(),
            "a `status`",
        ),
        (
            vary.pushbacks.as_ref().map(|l| l.span),
            uses.pushbacks.get(),
            "a `retry_after`",
        ),
        (
            vary.cuts.as_ref().map(|l| l.span),
            uses.cuts.get(),
            "a cut's `by`",
        ),
    ];
    for (span, used, place) in lists {
        if let (Some(span), false) = (span, used) {
            problems.add(
                problems
                    .at(span, "this is varied, and nothing says where")
                    .hint(format!("write `varied` as {place}")),
            );
        }
    }
}

impl<'a> Check<'a> {
    /// What `varied` stands for at a place; a problem where that list is missing.
    pub(super) fn varied<T>(&self, used: &Cell<bool>, value: Option<T>, list: &str, span: Span) -> Option<T> {
        used.set(true);
        if value.is_none() {
            self.problems.add(
                self.problems
                    .at(span, "`varied` stands here, and nothing is varied")
                    .labelled("each value of a list that is missing")
                    .hint(format!("write the list: `vary: {{{list}: [..]}}`")),
            );
        }
        value
    }
}

/// An IANA name as far as its characters tell.
fn is_zone(name: &str) -> bool {
    let part = |p: &str| {
        p.starts_with(|c: char| c.is_ascii_alphabetic())
            && p.bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+'))
    };
    name.len() <= 64 && name.split('/').all(part)
}

/// What is left of a text where it becomes part of a trial's id.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-+.:/_ ".contains(c);
    text.chars().map(|c| if plain(c) { c } else { '_' }).collect()
}

fn by(by: By) -> &'static str {
    match by {
        By::Fin => "fin",
        By::Rst => "rst",
        By::Hang => "hang",
        By::Varied => "varied",
    }
}

fn pushback(p: &raw::Pushback) -> String {
    match p {
        Pushback::Wait(text) => text.clone(),
        Pushback::Varied => "varied".to_owned(),
        Pushback::Written(Written::Imf(at)) => format!("imf:{}", date(at)),
        Pushback::Written(Written::Rfc850(at)) => format!("rfc850:{}", date(at)),
        Pushback::Written(Written::Asctime(at)) => format!("asctime:{}", date(at)),
        Pushback::Written(Written::Raw(text)) => format!("raw:{}", text.value),
        Pushback::Written(Written::Twice(texts)) => {
            let texts: Vec<&str> = texts.value.iter().map(|t| t.value.as_str()).collect();
            format!("twice:{}", texts.join("/"))
        }
    }
}

fn date(at: &DateAt) -> String {
    match at {
        DateAt::Ahead(d) => d.value.clone(),
        DateAt::Past(d) => format!("-{}", d.value),
    }
}
