//! Reading a file that a user named.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;

use super::{Problem, Source};

/// The longest file that is read, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// Reads a text file of at most [`MAX_BYTES`], without a byte order mark.
///
/// # Errors
///
/// A [`Problem`] with the file as a whole: missing, a directory, unreadable, too long, binary, or empty.
#[expect(
    clippy::result_large_err,
    reason = "once a file, and the callers collect them"
)]
pub fn read_file(path: &Path) -> Result<Arc<Source>, Problem> {
    let named = Arc::new(Source::new(path.to_string_lossy(), ""));
    let bytes = bytes_of(path).map_err(|e| Problem::whole(&named, e))?;
    let text = text_of(bytes).map_err(|e| Problem::whole(&named, e))?;
    Ok(Arc::new(Source::new(path.to_string_lossy(), text)))
}

/// Whether opening a file would wait for somebody to write to it: a pipe with a name of its own in some folder. The
/// shell's `<(command)` is a pipe too, but one that is being written already, and has no such name.
pub fn is_named_pipe(path: &Path) -> bool {
    path.metadata().is_ok_and(|m| m.file_type().is_fifo()) && path.canonicalize().is_ok()
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    if is_named_pipe(path) {
        return Err("this is a named pipe, not a file".to_owned());
    }
    let file = File::open(path).map_err(|e| unreadable(&e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err("this is a directory, not a file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| unreadable(&e))?;
    if bytes.len() > MAX_BYTES {
        return Err("this file is longer than 1 MiB, which is the most that is read".to_owned());
    }
    Ok(bytes)
}

fn unreadable(e: &io::Error) -> String {
    match e.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "this file may not be read (permission denied)".to_owned(),
        io::ErrorKind::IsADirectory => "this is a directory, not a file".to_owned(),
        _ => format!("this file cannot be read: {e}"),
    }
}

fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        return Err(format!("this is not a text file: byte {at} is zero"));
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!("this is not a text file: byte {at} is not UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    if text.trim().is_empty() {
        return Err("this file is empty".to_owned());
    }
    Ok(text)
}
