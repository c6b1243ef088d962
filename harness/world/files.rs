//! Open files: how many this process may have, and the errors that say that there are no more.

use std::io;

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// More than this is not asked for: a client inherits the limit, and some go through all their files one by one.
const ENOUGH: u64 = 65_536;

/// Raises the limit on open files as far as this user may, and as far as is useful. The limit that holds then; `None` where
/// the system does not tell.
///
/// Each call is a connection, and clients run side by side: the 1,024 files of many a shell are few for that.
pub fn raise_open_files() -> Option<u64> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    let wanted = hard.min(ENOUGH);
    if soft >= wanted {
        return Some(soft);
    }
    // Refused, it stays as it was.
    let raised = setrlimit(Resource::RLIMIT_NOFILE, wanted, hard);
    Some(if raised.is_ok() { wanted } else { soft })
}

/// Whether an error says that this process, or the system, has no more files to open.
pub fn is_out_of_files(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw);
    matches!(errno, Some(Errno::EMFILE | Errno::ENFILE))
}

/// What is to be said where there are no more.
pub fn out_of_files() -> String {
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or_else(|_| String::new(), |(n, _)| format!(" ({n})"));
    format!(
        "the limit on open files{limit} was reached, so that connections were kept waiting: raise it (`ulimit -n`), or \
         run fewer trials side by side (`--jobs`)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_once_and_never_lowered() {
        let first = raise_open_files().unwrap();
        assert_eq!(raise_open_files(), Some(first));
        let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert_eq!(soft, first);
    }

    #[test]
    fn only_errors_of_files_say_that_there_are_no_more() {
        assert!(is_out_of_files(&io::Error::from(Errno::EMFILE)));
        assert!(!is_out_of_files(&io::Error::from(Errno::ECONNABORTED)));
        assert!(!is_out_of_files(&io::Error::other("x")));
        assert!(out_of_files().contains("ulimit -n"));
    }
}
