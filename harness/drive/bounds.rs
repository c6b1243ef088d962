//! How long and how much a client is waited for and listened to.

use std::time::Duration;

/// Bounds that a client's processes cannot lift. Tests set short ones; everybody else takes the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// From spawning an adapter to its hello. A Java adapter on a busy machine takes half a minute.
    pub start: Duration,
    /// From SIGTERM to SIGKILL.
    pub term_grace: Duration,
    /// For what is still in a pipe when its process has exited: a grandchild may hold the pipe open for ever.
    pub pipe_grace: Duration,
    /// Lines of talk that are kept in a trial; later ones are counted.
    pub talk_lines: usize,
    /// Bytes of a line of talk that are kept.
    pub talk_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            start: Duration::from_secs(60),
            term_grace: Duration::from_secs(1),
            pipe_grace: Duration::from_millis(250),
            talk_lines: 200,
            talk_bytes: 500,
        }
    }
}
