//! Reading an evidence file back.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::sequence::Sequence;
use super::{Header, VERSION};
use crate::evidence::{Fact, Packed};
use crate::source::{from_json, is_named_pipe};

/// The longest line that is read, in bytes. A header holds a scenario of at most 1 MiB, written as a JSON string.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// The most facts that are kept: those of the calls that a trial is judged by, and of its operations, stay below.
const MAX_FACTS: usize = 20_000_000;

/// The most bytes that they may take: twice as many as those of a trial with the most calls, unless a client talks in
/// megabytes.
const MAX_KEPT: usize = 1024 * 1024 * 1024;

/// A trial that was read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// What was asked of whom.
    pub header: Header,
    /// What was observed.
    pub facts: Packed,
    /// Whether the trial broke off: its last line is cut, or its end was never recorded.
    pub broke_off: bool,
}

/// What is wrong with an evidence file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The line, from 1; `None` where the file as a whole is meant.
    pub line: Option<usize>,
    /// What is wrong, in a lower-case sentence without a full stop.
    pub what: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads an evidence file.
///
/// # Errors
/// It cannot be opened, is not an evidence file of [`VERSION`], or a line of it is not a fact, or not one that can
/// have happened after those before it. A cut last line is no
/// error: see [`Recorded::broke_off`].
pub fn read(path: &Path) -> Result<Recorded, ReadError> {
    if is_named_pipe(path) {
        return Err(whole("is a named pipe, not a file".to_owned()));
    }
    let file = File::open(path).map_err(|e| whole(format!("cannot be read: {e}")))?;
    read_from(BufReader::new(file))
}

/// Reads evidence from any reader.
///
/// # Errors
/// As [`read`].
pub fn read_from(reader: impl BufRead) -> Result<Recorded, ReadError> {
    keeping_at_most(MAX_KEPT, reader)
}

fn keeping_at_most(bytes: usize, mut reader: impl BufRead) -> Result<Recorded, ReadError> {
    let first = next_line(&mut reader, 1)?.ok_or_else(|| whole("is empty".to_owned()))?;
    let header = header(&first.bytes)?;
    let (mut facts, mut sequence) = (Packed::default(), Sequence::default());
    let (mut broke_off, mut ended) = (false, false);
    let mut number = 2;
    while let Some(line) = next_line(&mut reader, number)? {
        match serde_json::from_slice(&line.bytes) {
            Ok(fact) => {
                sequence
                    .take(&fact)
                    .map_err(|why| at(number, format!("cannot have happened: {why}")))?;
                ended |= matches!(fact, Fact::WatchEnded { .. });
                facts.push(&fact);
            }
            // Only the last line can lack its end: the writer died in the middle of it.
            Err(_) if !line.ended => broke_off = true,
            Err(e) => return Err(at(number, format!("not a fact: {e}"))),
        }
        if facts.len() > MAX_FACTS {
            return Err(at(number, format!("more than {MAX_FACTS} facts")));
        }
        if facts.bytes() > bytes {
            return Err(at(number, format!("more than {bytes} bytes of facts")));
        }
        number += 1;
    }
    broke_off |= !ended;
    Ok(Recorded {
        header,
        facts,
        broke_off,
    })
}

struct Line {
    bytes: Vec<u8>,
    ended: bool,
}

fn next_line(reader: &mut impl BufRead, number: usize) -> Result<Option<Line>, ReadError> {
    let mut bytes = Vec::new();
    reader
        .take(MAX_LINE)
        .read_until(b'\n', &mut bytes)
        .map_err(|e| at(number, format!("cannot be read: {e}")))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 == MAX_LINE {
        return Err(at(number, format!("longer than {MAX_LINE} bytes")));
    }
    let ended = bytes.last() == Some(&b'\n');
    Ok(Some(Line { bytes, ended }))
}

/// The version stands in every header, whatever else a later version puts there.
#[derive(serde::Deserialize)]
struct VersionOnly {
    retrial_evidence: u32,
}

fn header(line: &[u8]) -> Result<Header, ReadError> {
    let version: VersionOnly =
        from_json(line).map_err(|_| at(1, "not the head of an evidence file".to_owned()))?;
    if version.retrial_evidence != VERSION {
        let found = version.retrial_evidence;
        let what = format!("evidence of version {found}, and this retrial reads version {VERSION}");
        return Err(at(1, what));
    }
    from_json(line).map_err(|e| at(1, format!("not the head of an evidence file: {e}")))
}

fn whole(what: String) -> ReadError {
    ReadError { line: None, what }
}

fn at(line: usize, what: String) -> ReadError {
    ReadError {
        line: Some(line),
        what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Stamp;

    fn text(facts: &[Fact]) -> String {
        let mut text = serde_json::to_string(&Header::example()).unwrap() + "\n";
        for fact in facts {
            text += &(serde_json::to_string(fact).unwrap() + "\n");
        }
        text
    }

    fn whole_trial() -> Vec<Fact> {
        vec![
            Fact::TrialBegan { unix_us: 5 },
            Fact::WatchEnded {
                at: Stamp::from_ms(9),
            },
        ]
    }

    #[test]
    fn what_was_written_is_read_back() {
        let read = read_from(text(&whole_trial()).as_bytes()).unwrap();
        assert_eq!(read.header, Header::example());
        assert_eq!(read.facts, whole_trial().into_iter().collect());
        assert!(!read.broke_off);
    }

    #[test]
    fn a_cut_last_line_says_that_the_trial_broke_off() {
        let mut text = text(&whole_trial());
        text.truncate(text.len() - 4);
        let read = read_from(text.as_bytes()).unwrap();
        assert_eq!(read.facts, whole_trial()[..1].iter().cloned().collect());
        assert!(read.broke_off);
    }

    #[test]
    fn a_trial_whose_end_was_never_recorded_broke_off() {
        assert!(read_from(text(&whole_trial()[..1]).as_bytes()).unwrap().broke_off);
    }

    #[test]
    fn a_bad_line_in_the_middle_is_located() {
        let text = text(&whole_trial()).replace("trial_began", "trial_begun");
        let error = read_from(text.as_bytes()).unwrap_err();
        assert_eq!(error.line, Some(2));
        assert!(
            error
                .to_string()
                .starts_with("line 2: not a fact: unknown variant")
        );
    }

    #[test]
    fn facts_are_read_into_bounded_memory() {
        let text = text(&whole_trial());
        let all = read_from(text.as_bytes()).unwrap().facts.bytes();
        assert!(keeping_at_most(all, text.as_bytes()).is_ok());
        let error = keeping_at_most(all - 1, text.as_bytes()).unwrap_err();
        let said = format!("line 3: more than {} bytes of facts", all - 1);
        assert_eq!(error.to_string(), said);
    }

    #[test]
    fn another_file_is_no_evidence() {
        let said = |bytes: &[u8]| read_from(bytes).unwrap_err().to_string();
        assert_eq!(said(b""), "is empty");
        assert_eq!(said(b"version: 1\n"), "line 1: not the head of an evidence file");
        assert_eq!(
            said(b"{\"retrial_evidence\":2}\n"),
            "line 1: evidence of version 2, and this retrial reads version 1"
        );
    }
}
