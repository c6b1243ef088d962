//! What an adapter's line says: talk, a result, or something that breaks the protocol.

use std::sync::Arc;

use tokio::io::AsyncRead;

use super::desk::Desk;
use crate::client::protocol::ResultLine;
use crate::drive::lines::{Line, Lines};
use crate::drive::talk::Talk;
use crate::evidence::Outcome;
use crate::term::{Claim, OperationId, StopReason};

/// How much of a faulty line is shown.
const SHOWN: usize = 120;

/// How much of a client's own words is kept, in bytes.
const WORDS: usize = 1000;

/// What a client told of an operation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    Outcome(Outcome),
    CouldNotRun(String),
}

/// Reads results until the client's standard output ends.
///
/// # Errors
/// The client broke the protocol: what it did, as a clause.
pub(super) async fn read<R: AsyncRead + Unpin>(mut stdout: Lines<R>, desk: Arc<Desk>) -> Result<(), String> {
    loop {
        let line = match stdout.next().await {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(()),
            Err(e) => return Err(format!("could not be read from: {e}")),
        };
        if let Some(json) = json(&line, desk.talk())? {
            let (op, told) = parse(json)?;
            desk.take(op, told)?;
        }
    }
}

/// The line if it belongs to the protocol; `None` if it was talk.
///
/// # Errors
/// It is too long: what the client did, as a clause.
pub(super) fn json<'a>(line: &'a Line, talk: &Talk) -> Result<Option<&'a [u8]>, String> {
    if line.cut {
        return Err("wrote a line of more than 1 MiB".to_owned());
    }
    if line.bytes.starts_with(b"{\"") {
        return Ok(Some(&line.bytes));
    }
    talk.say(&line.bytes);
    Ok(None)
}

fn parse(json: &[u8]) -> Result<(OperationId, Told), String> {
    let line: ResultLine = serde_json::from_slice(json)
        .map_err(|e| format!("wrote a line that is no result ({e}): {}", show(json)))?;
    let op = line.op;
    if let Some(because) = line.could_not_run {
        return Ok((op, Told::CouldNotRun(kept(because))));
    }
    let claim = match line.claim {
        Some(claim @ (Claim::Ok | Claim::Failed | Claim::Unknown)) => claim,
        Some(Claim::Answered) => {
            return Err(format!(
                "claimed `answered` for {op}: only a command's exit status says that"
            ));
        }
        None => return Err(format!("claimed nothing in its result for {op}: {}", show(json))),
    };
    let outcome = Outcome {
        claim,
        status: line.status,
        attempts: line.attempts,
        stop: line.stop.unwrap_or(StopReason::Unreported),
        body_sha256: line.body_sha256.map(kept),
        error: line.error.map(kept),
    };
    Ok((op, Told::Outcome(outcome)))
}

/// A client's words, cut to a sane length: a line may hold a megabyte of them.
pub(super) fn kept(mut words: String) -> String {
    if words.len() > WORDS {
        let boundary = (0..=WORDS).rev().find(|at| words.is_char_boundary(*at));
        words.truncate(boundary.unwrap_or_default());
        words.push_str("...");
    }
    words
}

/// The beginning of a line, for showing.
pub(super) fn show(line: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
    match line.len() > SHOWN {
        true => format!("{shown}..."),
        false => shown.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_alone_is_a_result() {
        let (op, told) = parse(br#"{"op":"op-2","claim":"ok"}"#).unwrap();
        let Told::Outcome(outcome) = told else {
            panic!("{told:?}")
        };
        assert_eq!((op, outcome.claim), (OperationId(2), Claim::Ok));
        assert_eq!(outcome.stop, StopReason::Unreported);
    }

    #[test]
    fn what_could_not_be_run_needs_no_claim() {
        let (_, told) = parse(br#"{"op":"op-1","could_not_run":"no bodies"}"#).unwrap();
        assert_eq!(told, Told::CouldNotRun("no bodies".to_owned()));
    }

    #[test]
    fn faulty_results_are_told_apart() {
        for (line, clause) in [
            (r#"{"op":"op-1"}"#, "claimed nothing in its result for op-1"),
            (
                r#"{"op":"op-1","claim":"answered"}"#,
                "claimed `answered` for op-1",
            ),
            (
                r#"{"op":"op-1","claim":"maybe"}"#,
                "wrote a line that is no result (unknown variant",
            ),
            (
                r#"{"op":"op-1","cliam":"ok"}"#,
                "wrote a line that is no result (unknown field",
            ),
            (r#"{"op":"#, "wrote a line that is no result (EOF"),
        ] {
            let did = parse(line.as_bytes()).unwrap_err();
            assert!(did.starts_with(clause), "{did}");
        }
    }

    #[test]
    fn words_are_cut_between_characters() {
        assert_eq!(kept("short".to_owned()), "short");
        let cut = kept(format!("x{}", "\u{e9}".repeat(WORDS)));
        assert_eq!(cut.len(), WORDS - 1 + "...".len());
    }

    #[test]
    fn a_long_faulty_line_is_shown_by_its_beginning() {
        assert_eq!(show(&[b'x'; 1000]).len(), SHOWN + 3);
    }
}
