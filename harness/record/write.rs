//! Writing an evidence file while the trial runs.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use super::Header;
use crate::evidence::{Fact, Observer};

/// An evidence file that is being written.
///
/// An observer must be quick and cannot fail, so a write error is kept and given back by [`Recording::finish`];
/// after it nothing more is written.
#[derive(Clone)]
pub struct Recording {
    lines: Arc<Mutex<Lines>>,
}

struct Lines {
    out: Box<dyn Write + Send>,
    error: Option<io::Error>,
}

impl Recording {
    /// Creates the file, or empties it, and writes its first line.
    ///
    /// # Errors
    /// The file cannot be created or written.
    pub fn begin(path: &Path, header: &Header) -> io::Result<Self> {
        // One write a line: who is killed half-way leaves whole lines behind.
        Recording::begin_on(File::create(path)?, header)
    }

    /// Begins a recording on any writer; buffering is the writer's.
    ///
    /// # Errors
    /// The first line cannot be written.
    pub fn begin_on(out: impl Write + Send + 'static, header: &Header) -> io::Result<Self> {
        let mut lines = Lines {
            out: Box::new(out),
            error: None,
        };
        lines.append(header);
        match lines.error.take() {
            Some(error) => Err(error),
            None => Ok(Recording {
                lines: Arc::new(Mutex::new(lines)),
            }),
        }
    }

    /// What a recorder shows each fact to.
    pub fn observer(&self) -> Observer {
        let lines = Arc::clone(&self.lines);
        Box::new(move |fact: &Fact| lock(&lines).append(fact))
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// The first error of this or any earlier write: the file is not whole.
    pub fn finish(&self) -> io::Result<()> {
        let mut lines = lock(&self.lines);
        match lines.error.take() {
            Some(error) => Err(error),
            None => lines.out.flush(),
        }
    }
}

impl Lines {
    fn append(&mut self, line: &impl Serialize) {
        if self.error.is_some() {
            return;
        }
        // The line is built first, so that an error leaves no half line from the serialiser behind.
        let written = serde_json::to_vec(line)
            .map_err(io::Error::from)
            .and_then(|mut bytes| {
                bytes.push(b'\n');
                self.out.write_all(&bytes)
            });
        self.error = written.err();
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // A trial that is dropped half-way still leaves what was observed. There is nobody to tell of an error.
        let _ = self.out.flush();
    }
}

fn lock(lines: &Mutex<Lines>) -> MutexGuard<'_, Lines> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Recorder;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct FullDisk(usize);

    impl Write for FullDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or_else(|| io::Error::other("disk full"))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn facts_are_appended_one_a_line_as_they_happen() {
        let page = Page::default();
        let recording = Recording::begin_on(page.clone(), &Header::example()).unwrap();
        let recorder = Recorder::observed(recording.observer());
        recorder.record(Fact::TrialBegan { unix_us: 1 });
        let text = String::from_utf8(page.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().nth(1), Some(r#"{"trial_began":{"unix_us":1}}"#));
        assert_eq!(text.lines().count(), 2);
    }

    #[test]
    fn a_write_error_is_remembered_and_told_at_the_end() {
        let head = serde_json::to_vec(&Header::example()).unwrap().len() + 1;
        let recording = Recording::begin_on(FullDisk(head), &Header::example()).unwrap();
        let mut observer = recording.observer();
        observer(&Fact::TrialBegan { unix_us: 1 });
        observer(&Fact::TrialBegan { unix_us: 2 });
        assert_eq!(recording.finish().unwrap_err().to_string(), "disk full");
    }
}
