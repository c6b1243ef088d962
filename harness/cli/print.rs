//! The only place that writes to standard output and standard error.

use std::io::{self, Write};

use super::failure::Failure;
use crate::suite::Exit;

/// Data, to standard output. Colour is taken out where nobody can see it (a pipe, NO_COLOR).
pub(super) fn data(text: &str) -> Result<Exit, Failure> {
    let mut out = anstream::stdout();
    finished(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Data for machines, to standard output, byte for byte.
pub(super) fn bytes(bytes: &[u8]) -> Result<Exit, Failure> {
    let mut out = io::stdout();
    finished(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Talk, to standard error. A closed standard error is nobody's loss.
pub(super) fn talk(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

fn finished(written: io::Result<()>) -> Result<Exit, Failure> {
    match written {
        Ok(()) => Ok(Exit::Fine),
        // The reader has seen enough (`| head`).
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Fine),
        Err(e) => {
            let sentence = format!("standard output cannot be written: {e}");
            Err(Failure::new(Exit::CouldNotRun, &sentence, None))
        }
    }
}
