//! A key is written as the draft writes it: a string in quotes.

use super::{Check, CheckResult, Levels};
use crate::judge::keyed::shown;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::{cited, count};
use crate::judge::{Case, Level};

const ID: &str = "key.quoted";
const CITES: &[&str] = &["idempotency-key-07", "rfc9651-3.3.3"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An idempotency key is written as a string in quotes.",
    requirement: "The draft has the key be a string of structured fields: visible ASCII characters and spaces between \
        double quotes, in which a quote and a backslash stand behind a backslash. Most services took bare keys long \
        before the draft, and their clients are right to send those; so it is judged only of a client that promises \
        `quotes_keys`. What follows the string after a semicolon is left alone.",
    cites: CITES,
    levels: Levels {
        silent: "skipped",
        promised: "fail (`quotes_keys`)",
        opted_out: "note",
    },
    bears_on: &[],
    mutants: &["bare-keys"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    for course in courses.iter().filter(|_| case.promises.quotes_keys) {
        // What a caller writes into its headers is not of the client's making.
        if course.planned.request().key.is_none() {
            continue;
        }
        for call in course.attempts.iter().filter(|call| !call.head.keys.is_empty()) {
            ruling.exercise(course);
            let Some(bare) = call.head.keys.iter().find(|key| !is_string(key)) else {
                continue;
            };
            let because = format!(
                "{} of {} carried the key {}, which is no string in quotes{}",
                call.id(),
                course.id(),
                shown(bare),
                cited(CITES[1]),
            );
            let charge = Charge::new(worth(case), because).about(course);
            ruling.charge(charge.shown_by([*call]).asked_at(case.span_of(call)));
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "every key was a string in quotes in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn worth(case: &Case) -> Worth {
    match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    }
}

/// Whether a value is a string of structured fields (RFC 9651 §3.3.3), with or without parameters.
fn is_string(value: &str) -> bool {
    let Some(inner) = value.trim_matches(' ').strip_prefix('"') else {
        return false;
    };
    let mut left = inner.chars();
    while let Some(c) = left.next() {
        match c {
            '"' => return left.as_str().is_empty() || left.as_str().starts_with(';'),
            '\\' if !matches!(left.next(), Some('"' | '\\')) => return false,
            '\\' | ' '..='~' => {}
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};

    fn story(keys: [&str; 2]) -> Story {
        let turns = vec![answered(503).times(1), answered(200).applied()];
        let story = Story::of(turns).by("POST").keyed();
        let story = story.call(0, 0).under(&[keys[0]]).call(1, 100).under(&[keys[1]]);
        story.ok(110).promising(|p| p.quotes_keys = true)
    }

    #[test]
    fn strings_are_told_from_what_only_looks_like_them() {
        for right in [
            r#""k""#,
            r#""""#,
            r#""a b~""#,
            r#""a\"b\\c""#,
            r#""k";v=1"#,
            r#" "k" "#,
        ] {
            assert!(is_string(right), "{right}");
        }
        for wrong in ["k", r#""k"#, r#"k""#, r#""a\b""#, r#""a"b"#, r#""é""#, "'k'", ""] {
            assert!(!is_string(wrong), "{wrong}");
        }
    }

    #[test]
    fn quoted_keys_pass_and_a_bare_one_fails_the_promise() {
        let quoted = r#""k-1""#;
        assert_eq!(story([quoted; 2]).check(ID).findings[0].grade, Grade::Pass);
        let (grade, because) = story([quoted, "k-1"]).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "call 2 of op-1 carried the key k-1, which is no string in quotes (RFC 9651 §3.3.3)"
        );
    }

    #[test]
    fn in_silence_and_of_a_key_that_the_caller_wrote_nothing_is_said() {
        let silent = story(["k"; 2]).promising(|p| p.quotes_keys = false);
        assert_eq!(silent.check(ID), CheckResult::default());
        let mut by_caller = story(["k"; 2]);
        by_caller.trial.operations[0].request.key = None;
        assert_eq!(by_caller.check(ID), CheckResult::default());
    }
}
