//! Lines of a pipe, read in bounded memory.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The line, or its beginning.
    pub(super) bytes: Vec<u8>,
    /// Whether it was longer than what is kept of a line.
    pub(super) cut: bool,
}

/// Reads lines and never holds more than `keep` bytes of one, however long it is.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    keep: usize,
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, keep: usize) -> Self {
        Lines {
            reader: BufReader::new(reader),
            keep,
            skipping: false,
        }
    }

    /// The next line; `None` at the end. A line that is too long is returned as soon as that is known, cut, and what
    /// follows of it is skipped by the next call: a line without an end must not be waited for.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                let cut = false;
                return Ok((!bytes.is_empty()).then_some(Line { bytes, cut }));
            }
            let end = available.iter().position(|b| *b == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            let too_long = !self.skipping && bytes.len() + part.len() > self.keep;
            if !self.skipping {
                bytes.extend_from_slice(&part[..part.len().min(self.keep - bytes.len())]);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            let was_skipping = self.skipping;
            self.skipping = (self.skipping || too_long) && end.is_none();
            if too_long || (end.is_some() && !was_skipping) {
                return Ok(Some(Line { bytes, cut: too_long }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(text: &[u8], keep: usize) -> Vec<(String, bool)> {
        let mut lines = Lines::new(text, keep);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push((String::from_utf8(line.bytes).unwrap(), line.cut));
        }
        read
    }

    #[tokio::test]
    async fn lines_come_without_their_ends_and_the_last_needs_none() {
        let read = all(b"one\n\nthree", 9).await;
        assert_eq!(
            read,
            [
                ("one".into(), false),
                (String::new(), false),
                ("three".into(), false)
            ]
        );
    }

    #[tokio::test]
    async fn a_line_of_just_the_kept_length_is_whole() {
        assert_eq!(all(b"four\n", 4).await, [("four".into(), false)]);
    }

    #[tokio::test]
    async fn a_long_line_is_cut_and_its_rest_is_skipped() {
        let long = [b"x".repeat(100_000), b"\nnext\n".to_vec()].concat();
        assert_eq!(all(&long, 3).await, [("xxx".into(), true), ("nex".into(), true)]);
        assert_eq!(
            all(&long, 4).await,
            [("xxxx".into(), true), ("next".into(), false)]
        );
    }
}
