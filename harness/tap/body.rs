//! Where a message's body ends (RFC 9112 section 6), piece by piece.

use httparse::Status;

/// The longest line between chunks that is followed.
const LINE: usize = 16 * 1024;

/// What is left of a body.
#[derive(Debug)]
pub(super) enum Body {
    /// So many bytes.
    Sized(u64),
    /// Chunks.
    Chunked(Chunks),
    /// Whatever comes until the connection ends.
    UntilClose,
}

/// Where in a chunked body the reading stands.
#[derive(Debug)]
pub(super) enum Chunks {
    /// In a line that tells a chunk's size.
    Size(Vec<u8>),
    /// In a chunk, with so many bytes to go.
    Data(u64),
    /// In the line end behind a chunk.
    After(Vec<u8>),
    /// In the lines behind the last chunk.
    Trailer(Vec<u8>),
}

/// What a piece of a body was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// All of what was offered belongs to the body, and more is to come.
    More,
    /// The body ends after so many bytes of what was offered.
    Ends(usize),
    /// This is no chunked body.
    Broken,
}

impl Body {
    /// A chunked body, from its start.
    pub(super) fn chunked() -> Self {
        Body::Chunked(Chunks::Size(Vec::new()))
    }

    /// Takes a piece; the content in it goes to `content`.
    pub(super) fn take(&mut self, bytes: &[u8], content: &mut dyn FnMut(&[u8])) -> Piece {
        match self {
            Body::UntilClose => {
                content(bytes);
                Piece::More
            }
            Body::Sized(left) => {
                let n = within(*left, bytes);
                content(&bytes[..n]);
                *left -= n as u64;
                match *left {
                    0 => Piece::Ends(n),
                    _ => Piece::More,
                }
            }
            Body::Chunked(chunks) => chunks.take(bytes, content),
        }
    }
}

impl Chunks {
    fn take(&mut self, bytes: &[u8], content: &mut dyn FnMut(&[u8])) -> Piece {
        let mut used = 0;
        while used < bytes.len() {
            let rest = &bytes[used..];
            let next = match self {
                Chunks::Data(left) => {
                    let n = within(*left, rest);
                    content(&rest[..n]);
                    used += n;
                    *left -= n as u64;
                    (*left == 0).then(|| Chunks::After(Vec::new()))
                }
                Chunks::Size(line) | Chunks::After(line) | Chunks::Trailer(line) => {
                    let (n, whole) = one_line(line, rest);
                    used += n;
                    if line.len() > LINE {
                        return Piece::Broken;
                    }
                    match whole.then(|| self.line_read()) {
                        None => None,
                        Some(Read::Goes(next)) => Some(next),
                        Some(Read::Ends) => return Piece::Ends(used),
                        Some(Read::Broken) => return Piece::Broken,
                    }
                }
            };
            if let Some(next) = next {
                *self = next;
            }
        }
        Piece::More
    }

    fn line_read(&self) -> Read {
        match self {
            Chunks::Size(line) => match httparse::parse_chunk_size(line) {
                Ok(Status::Complete((_, 0))) => Read::Goes(Chunks::Trailer(Vec::new())),
                Ok(Status::Complete((_, size))) => Read::Goes(Chunks::Data(size)),
                Ok(Status::Partial) | Err(_) => Read::Broken,
            },
            Chunks::After(line) if is_empty(line) => Read::Goes(Chunks::Size(Vec::new())),
            Chunks::Trailer(line) if is_empty(line) => Read::Ends,
            Chunks::Trailer(_) => Read::Goes(Chunks::Trailer(Vec::new())),
            Chunks::After(_) | Chunks::Data(_) => Read::Broken,
        }
    }
}

/// What a whole line between chunks leads to.
enum Read {
    Goes(Chunks),
    Ends,
    Broken,
}

fn is_empty(line: &[u8]) -> bool {
    matches!(line, b"\r\n" | b"\n")
}

/// Adds to a line up to its end: how many bytes were used, and whether the line is whole.
fn one_line(line: &mut Vec<u8>, bytes: &[u8]) -> (usize, bool) {
    let end = bytes.iter().position(|b| *b == b'\n');
    let n = end.map_or(bytes.len(), |at| at + 1);
    line.extend_from_slice(&bytes[..n]);
    (n, end.is_some())
}

fn within(left: u64, bytes: &[u8]) -> usize {
    usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut body: Body, pieces: &[&[u8]]) -> (Vec<u8>, Piece) {
        let mut content = Vec::new();
        for piece in pieces {
            match body.take(piece, &mut |bytes| content.extend_from_slice(bytes)) {
                Piece::More => {}
                end => return (content, end),
            }
        }
        (content, Piece::More)
    }

    #[test]
    fn a_chunked_body_ends_behind_its_trailer_however_it_is_cut() {
        let whole = b"5;ext=\"a\"\r\nhello\r\n6\r\n world\r\n0\r\nx-sum: 1\r\n\r\nNEXT";
        let (content, end) = read(Body::chunked(), &[whole]);
        assert_eq!(
            (content.as_slice(), end),
            (&b"hello world"[..], Piece::Ends(whole.len() - 4))
        );
        let single: Vec<&[u8]> = whole.chunks(1).collect();
        let (content, end) = read(Body::chunked(), &single);
        assert_eq!((content.as_slice(), end), (&b"hello world"[..], Piece::Ends(1)));
    }

    #[test]
    fn what_is_not_chunked_is_broken() {
        assert_eq!(read(Body::chunked(), &[b"hello\r\n"]).1, Piece::Broken);
        assert_eq!(read(Body::chunked(), &[b"2\r\nabcd\r\n"]).1, Piece::Broken);
        let endless = vec![b'1'; LINE + 1];
        assert_eq!(read(Body::chunked(), &[&endless]).1, Piece::Broken);
    }

    #[test]
    fn a_sized_body_ends_where_it_says() {
        let (content, end) = read(Body::Sized(3), &[b"a", b"bcd"]);
        assert_eq!((content.as_slice(), end), (&b"abc"[..], Piece::Ends(2)));
    }
}
