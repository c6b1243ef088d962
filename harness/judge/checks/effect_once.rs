//! The effect of a keyed operation happens once, however often it is sent.

use super::{Check, CheckResult, Levels};
use crate::evidence::{Call, EffectOutcome};
use crate::judge::keyed::{key_of, same_key};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::{cited, count, time};
use crate::judge::{Case, Course, Level};
use crate::scenario::Dependency;
use crate::term::{Claim, KeyState};

const ID: &str = "effect.once";
const CITES: &[&str] = &["idempotency-key-07", "rfc9110-9.2.2"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An operation with a key has its effect once at a dependency that recognises keys.",
    requirement: "A key that is kept from attempt to attempt lets the dependency have the effect once, whatever \
        answers are lost. Duplicates are effects that an operation had under another key than before, or under none; \
        losses are operations that were claimed as a success although their only effect was another operation's, whose \
        key they took. An effect that happens again because the dependency has forgotten the key is noted: no client \
        can know of that. Judged of operations that sent a key in the header in which the \
        dependency looks for it; put to the test where it recognised one.",
    cites: CITES,
    levels: Levels {
        silent: "note",
        promised: "fail where a key is promised",
        opted_out: "note",
    },
    bears_on: &super::FAILURES,
    mutants: &["drops-key-on-retry"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    for course in courses.iter().filter(|c| c.takes_a_key()) {
        for dependency in case.trial.dependencies.iter().filter(|d| d.keys.is_some()) {
            let calls: Vec<&Call> = course.attempts_at(&dependency.name).collect();
            let sent = calls.iter().any(|call| !call.head.keys.is_empty());
            if sent {
                judge_duplicates(case, course, dependency, &calls, &mut ruling);
                judge_loss(case, &courses, course, &calls, &mut ruling);
            }
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "{} had no effect twice, however often it was sent",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_duplicates(
    case: &Case,
    course: &Course,
    dependency: &Dependency,
    calls: &[&Call],
    ruling: &mut Ruling,
) {
    let recognised = |call: &&Call| {
        matches!(
            call.key,
            Some(KeyState::InFlight | KeyState::Done | KeyState::OtherContent)
        )
    };
    if calls.iter().any(recognised) {
        ruling.exercise(course);
    }
    let applied: Vec<&Call> = calls.iter().copied().filter(|c| c.delivered()).collect();
    let Some((first, more)) = applied.split_first() else {
        return;
    };
    for (n, call) in (2..).zip(more) {
        let told = format!(
            "{} had its effect a {} time at {}",
            course.id(),
            ordinal(n),
            dependency.name
        );
        let forgotten = applied[..n - 1].iter().any(|before| same_key(before, call));
        let (worth, why) = match forgotten {
            true => {
                let keep = dependency
                    .keys
                    .as_ref()
                    .map_or_else(String::new, |k| time(k.keep));
                let why = format!("its dependency remembers a key for {keep}");
                (Worth::note(Level::Promised), why)
            }
            false => {
                let why = format!("{} had carried {}", first.id(), key_of(first));
                (worth(case), why)
            }
        };
        let because = format!(
            "{told}: {} carried {}; {why}{}",
            call.id(),
            key_of(call),
            cited(CITES[0])
        );
        let charge = Charge::new(worth, because).about(course);
        ruling.charge(charge.shown_by([*first, *call]).asked_at(case.span_of(call)));
    }
}

fn judge_loss(case: &Case, courses: &[Course], course: &Course, calls: &[&Call], ruling: &mut Ruling) {
    let claimed = course.claim() == Some(Claim::Ok) && !course.calls.iter().any(|c| c.delivered());
    let recognised = |c: &&&Call| matches!(c.effect, Some((_, EffectOutcome::Recognised)));
    let Some(call) = calls.iter().find(recognised).filter(|_| claimed) else {
        return;
    };
    let owner = courses.iter().find_map(|other| {
        let mut theirs = other.attempts_at(&call.head.point);
        let applied = theirs.find(|c| c.delivered() && same_key(c, call))?;
        Some((other, applied))
    });
    let Some((owner, applied)) = owner.filter(|(owner, _)| !course.shares_its_key_with(owner)) else {
        return;
    };
    let because = format!(
        "{} was claimed as a success and never had its effect: {} carried {}, under which {} had had that of {}{}",
        course.id(),
        call.id(),
        key_of(call),
        applied.id(),
        owner.id(),
        cited(CITES[0]),
    );
    let charge = Charge::new(worth(case), because).about(course);
    ruling.charge(charge.shown_by([applied, *call]).asked_at(case.span_of(call)));
}

fn worth(case: &Case) -> Worth {
    match case.promises.key && !case.promises.opted_out(ID) {
        true => Worth::BROKEN_PROMISE,
        false => Worth::note(Level::Promised),
    }
}

fn ordinal(n: usize) -> String {
    match n {
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        n => format!("{n}th"),
    }
}

#[cfg(test)]
#[path = "effect_once_tests.rs"]
mod tests;
