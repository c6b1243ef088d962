//! Reading an evidence file back.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::sequence::Sequence;
use super::{Header, VERSION};
use crate::evidence::Fact;
use crate::source::is_named_pipe;

/// The longest line that is read, in bytes. A header holds a scenario of at most 1 MiB, written as a JSON string.
const MAX_LINE: u64 = 16 * 1024 * 1024;

/// The most facts that are read: a trial's ceilings keep it far below.
const MAX_FACTS: usize = 2_000_000;

/// The most text that is read, in bytes: facts of a trial that is no larger are some 300 bytes long.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// A trial that was read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// What was asked of whom.
    pub header: Header,
    /// What was observed.
    pub facts: Vec<Fact>,
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
    read_at_most(MAX_BYTES, reader)
}

fn read_at_most(bytes: u64, reader: impl BufRead) -> Result<Recorded, ReadError> {
    let mut reader = reader.take(bytes + 1);
    let first = next_line(&mut reader, 1)?.ok_or_else(|| whole("is empty".to_owned()))?;
    let header = header(&first.bytes)?;
    let mut facts = Vec::new();
    let mut sequence = Sequence::default();
    let mut broke_off = false;
    while let Some(line) = next_line(&mut reader, facts.len() + 2)? {
        if reader.limit() == 0 {
            return Err(whole(format!("is longer than {bytes} bytes")));
        }
        match serde_json::from_slice(&line.bytes) {
            Ok(fact) => {
                let number = facts.len() + 2;
                sequence
                    .take(&fact)
                    .map_err(|why| at(number, format!("cannot have happened: {why}")))?;
                facts.push(fact);
            }
            // Only the last line can lack its end: the writer died in the middle of it.
            Err(_) if !line.ended => broke_off = true,
            Err(e) => return Err(at(facts.len() + 2, format!("not a fact: {e}"))),
        }
        if facts.len() > MAX_FACTS {
            return Err(at(MAX_FACTS + 1, format!("more than {MAX_FACTS} facts")));
        }
    }
    broke_off |= !facts.iter().any(|f| matches!(f, Fact::WatchEnded { .. }));
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
        serde_json::from_slice(line).map_err(|_| at(1, "not the head of an evidence file".to_owned()))?;
    if version.retrial_evidence != VERSION {
        let found = version.retrial_evidence;
        let what = format!("evidence of version {found}, and this retrial reads version {VERSION}");
        return Err(at(1, what));
    }
    serde_json::from_slice(line).map_err(|e| at(1, format!("not the head of an evidence file: {e}")))
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
        assert_eq!(read.facts, whole_trial());
        assert!(!read.broke_off);
    }

    #[test]
    fn a_cut_last_line_says_that_the_trial_broke_off() {
        let mut text = text(&whole_trial());
        text.truncate(text.len() - 4);
        let read = read_from(text.as_bytes()).unwrap();
        assert_eq!(read.facts, whole_trial()[..1]);
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
    fn no_more_is_read_than_is_kept() {
        let text = text(&whole_trial());
        let all = text.len() as u64;
        assert!(read_at_most(all, text.as_bytes()).is_ok());
        let error = read_at_most(all - 1, text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), format!("is longer than {} bytes", all - 1));
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
