//! What a client says beside the protocol: kept within bounds, for the evidence and for saying how it broke.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncRead;

use super::lines::Lines;
use super::{Bounds, Brief};
use crate::evidence::Fact;
use crate::term::Name;

/// How many of the latest lines are told when a client breaks.
const LAST: usize = 3;

/// The talk of one trial's client, or of one process of it.
#[derive(Clone)]
pub(super) struct Talk {
    brief: Brief,
    bounds: Bounds,
    kept: Arc<Mutex<usize>>,
    last: Arc<Mutex<VecDeque<String>>>,
    /// Whose it is, where a trial has several processes.
    who: Option<Name>,
}

impl Talk {
    pub(super) fn new(brief: Brief, bounds: Bounds) -> Self {
        Talk {
            brief,
            bounds,
            kept: Arc::default(),
            last: Arc::default(),
            who: None,
        }
    }

    /// The same trial's talk, with latest lines of its own: for one of several processes.
    pub(super) fn of_one_process(&self) -> Self {
        Talk {
            last: Arc::default(),
            ..self.clone()
        }
    }

    /// The same for one that has a name, which is told with each line.
    pub(super) fn of(&self, who: &Name) -> Self {
        Talk {
            who: Some(who.clone()),
            ..self.of_one_process()
        }
    }

    /// Takes a line.
    pub(super) fn say(&self, line: &[u8]) {
        let kept = &line[..line.len().min(self.bounds.talk_bytes)];
        let text = String::from_utf8_lossy(kept).trim_end().to_owned();
        if text.is_empty() {
            return;
        }
        self.remember(&text);
        self.record(match &self.who {
            Some(who) => format!("{who}: {text}"),
            None => text,
        });
    }

    /// Reads a pipe to its end as talk.
    pub(super) async fn listen<R: AsyncRead + Unpin>(self, pipe: R) {
        let mut lines = Lines::new(pipe, self.bounds.talk_bytes);
        // A pipe that cannot be read any more has nothing more to say.
        while let Ok(Some(line)) = lines.next().await {
            self.say(&line.bytes);
        }
    }

    /// The latest line.
    pub(super) fn last_line(&self) -> Option<String> {
        self.last().back().cloned()
    }

    /// `; it last said: ...`, or nothing.
    pub(super) fn last_words(&self) -> String {
        let last = self.last();
        if last.is_empty() {
            return String::new();
        }
        let lines: Vec<&str> = last.iter().map(String::as_str).collect();
        format!("; it last said: {}", lines.join(" / "))
    }

    fn remember(&self, text: &str) {
        let mut last = self.last();
        last.push_back(text.to_owned());
        if last.len() > LAST {
            last.pop_front();
        }
    }

    fn record(&self, text: String) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        *kept += 1;
        let line = match (*kept).cmp(&self.bounds.talk_lines) {
            std::cmp::Ordering::Less => text,
            std::cmp::Ordering::Equal => "(further talk is not kept)".to_owned(),
            std::cmp::Ordering::Greater => return,
        };
        let at = self.brief.clock.now();
        self.brief.recorder.record(Fact::Talk { at, line });
    }

    fn last(&self) -> std::sync::MutexGuard<'_, VecDeque<String>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
