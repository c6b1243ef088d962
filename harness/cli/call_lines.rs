//! What happens at the dependencies, as lines of JSON, to a file or standard output.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::failure::Failure;
use super::print;
use crate::serve::News;
use crate::suite::Exit;

/// Where the lines go.
pub(super) enum CallLines {
    /// Nobody asked for them.
    Nowhere,
    /// To standard output.
    Stdout,
    /// To a file.
    File(File),
}

impl CallLines {
    /// Opens what was asked for.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        match path {
            None => Ok(CallLines::Nowhere),
            Some(path) if path.as_os_str() == "-" => Ok(CallLines::Stdout),
            Some(path) => File::create(path).map(CallLines::File).map_err(|e| {
                let sentence = format!("{} cannot be written: {e}", path.display());
                Failure::usage(&sentence, None)
            }),
        }
    }

    /// Whether standard output is theirs.
    pub(super) const fn are_stdout(&self) -> bool {
        matches!(self, CallLines::Stdout)
    }

    /// Writes one line.
    pub(super) fn write(&mut self, news: &News) -> Result<(), Failure> {
        let line = match self {
            CallLines::Nowhere => return Ok(()),
            CallLines::Stdout | CallLines::File(_) => line(news)?,
        };
        match self {
            CallLines::Nowhere => Ok(()),
            CallLines::Stdout => print::bytes(&line).map(|_| ()),
            CallLines::File(file) => file
                .write_all(&line)
                .map_err(|e| failed(&format!("the calls cannot be written: {e}"))),
        }
    }
}

fn line(news: &News) -> Result<Vec<u8>, Failure> {
    let mut line = serde_json::to_vec(news).map_err(|e| failed(&format!("a call cannot be written: {e}")))?;
    line.push(b'\n');
    Ok(line)
}

fn failed(sentence: &str) -> Failure {
    Failure::new(Exit::CouldNotRun, sentence, None)
}
