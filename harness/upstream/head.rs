//! What is copied from the head of a request. Nothing of hyper's is kept: its header values pin its read buffers.

use hyper::header::{CONNECTION, EXPECT, HeaderMap, HeaderName, HeaderValue};

use crate::term::Sha256;

/// The header that carries an idempotency key where the scenario does not name another.
pub(super) const KEY_HEADER: &str = "idempotency-key";

/// The key that these headers are: several are one list to HTTP (RFC 9110 section 5.3), and so another key.
pub(super) fn key(values: &[String]) -> Option<String> {
    (!values.is_empty()).then(|| values.join(", "))
}

/// Every value of a header, in order; bytes that are not UTF-8 are replaced.
///
/// The lines are looked through: a head has few, and to look one up takes more than that.
pub(super) fn values(headers: &HeaderMap, name: &str) -> Vec<String> {
    let of_name = headers
        .iter()
        .filter(|(n, _)| n.as_str().eq_ignore_ascii_case(name));
    of_name
        .map(|(_, v)| String::from_utf8_lossy(v.as_bytes()).into_owned())
        .collect()
}

/// What a head tells whatever its dependency is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// SHA-256 of the lower-cased, sorted header lines.
    pub digest: Sha256,
    /// Whether the connection is to be closed behind the answer.
    pub closes: bool,
    /// Whether the client waits to be told to send its body.
    pub waits: bool,
}

impl Told {
    fn by(headers: &HeaderMap) -> Self {
        Told {
            digest: digest(headers),
            closes: wants_close(headers),
            waits: headers.contains_key(EXPECT),
        }
    }
}

/// The latest head of a connection. A client repeats itself, and a head like the one before it tells the same.
#[derive(Default)]
pub(super) struct Latest {
    /// Its header lines as they came: each name and each value with a line's end, which neither can hold.
    lines: Vec<u8>,
    told: Told,
}

/// The longest header section that is kept to be compared with the next.
const KEPT: usize = 4 * 1024;

impl Latest {
    /// What this head tells, the latest from now on.
    pub(super) fn told(&mut self, headers: &HeaderMap) -> Told {
        if !self.is_repeated_by(headers) {
            self.told = Told::by(headers);
            self.keep(headers);
        }
        if self.lines.len() > KEPT {
            // Nothing of a flood of headers stays; no section at all tells nothing.
            return std::mem::take(self).told;
        }
        self.told
    }

    fn is_repeated_by(&self, headers: &HeaderMap) -> bool {
        let mut rest = &self.lines[..];
        for line in headers {
            for part in parts(line) {
                match rest.split_at_checked(part.len()) {
                    Some((same, [b'\n', behind @ ..])) if same == part => rest = behind,
                    _ => return false,
                }
            }
        }
        rest.is_empty()
    }

    fn keep(&mut self, headers: &HeaderMap) {
        self.lines.clear();
        for part in headers.iter().flat_map(parts) {
            self.lines.extend_from_slice(part);
            self.lines.push(b'\n');
        }
    }
}

fn parts<'a>((name, value): (&'a HeaderName, &'a HeaderValue)) -> [&'a [u8]; 2] {
    [name.as_str().as_bytes(), value.as_bytes()]
}

fn wants_close(headers: &HeaderMap) -> bool {
    let tokens = headers.get_all(CONNECTION).iter().filter_map(|v| v.to_str().ok());
    tokens
        .flat_map(|v| v.split(','))
        .any(|t| t.trim().eq_ignore_ascii_case("close"))
}

/// SHA-256 of the lower-cased, sorted header lines.
pub(super) fn digest(headers: &HeaderMap) -> Sha256 {
    let mut section = Vec::new();
    write_section(headers, &mut section);
    Sha256::of(&section)
}

/// Writes the lower-cased, sorted header lines.
fn write_section(headers: &HeaderMap, section: &mut Vec<u8>) {
    let mut lines: Vec<(&[u8], &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()))
        .collect();
    lines.sort_unstable();
    for (name, value) in lines {
        for part in [name, b": ", value, b"\n"] {
            section.extend_from_slice(part);
        }
    }
    section.make_ascii_lowercase();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines
            .iter()
            .map(|(n, v)| (n.parse().unwrap(), v.parse().unwrap()))
            .collect()
    }

    #[test]
    fn the_digest_does_not_depend_on_order_or_case_and_does_on_content() {
        let one = digest(&headers(&[("accept", "*/*"), ("x", "Y")]));
        assert_eq!(one, digest(&headers(&[("X", "y"), ("Accept", "*/*")])));
        assert_ne!(one, digest(&headers(&[("x", "z"), ("accept", "*/*")])));
        let known = headers(&[("b", "X"), ("a", "1")]);
        assert_eq!(digest(&known), Sha256::of(b"a: 1\nb: x\n"));
    }

    #[test]
    fn a_connection_tells_what_each_head_tells_whatever_came_before() {
        let (mut latest, flood) = (Latest::default(), "f".repeat(2 * KEPT));
        let heads: [&[(&str, &str)]; 13] = [
            &[],
            &[("x", "1")],
            &[("x", "1")],
            &[("x", "1"), ("y", "")],
            &[("x", "1"), ("y", "2")],
            &[("x", "")],
            &[("xy", "")],
            &[("connection", "keep-alive, Close"), ("expect", "100-continue")],
            &[("connection", "keep-alive, Close"), ("expect", "100-continue")],
            &[("x", &flood)],
            &[("x", &flood)],
            &[("x", "1")],
            &[],
        ];
        for lines in heads {
            let names = lines
                .iter()
                .map(|(n, v)| (n.parse::<HeaderName>().unwrap(), v.parse().unwrap()));
            let headers: HeaderMap = names.collect();
            let section: String = lines
                .iter()
                .map(|(n, v)| format!("{n}: {v}\n").to_lowercase())
                .collect();
            let closes = lines.iter().any(|(n, _)| *n == "connection");
            let expected = Told {
                digest: Sha256::of(section.as_bytes()),
                closes,
                waits: closes,
            };
            assert_eq!(latest.told(&headers), expected, "{section:.19}");
            assert!(latest.lines.len() <= KEPT && latest.lines.capacity() <= 4 * KEPT);
        }
    }

    #[test]
    fn the_values_of_a_header_come_in_order_whatever_its_case() {
        let headers = headers(&[("a", "1"), ("b", "2"), ("a", "3")]);
        assert_eq!(values(&headers, "A"), ["1", "3"]);
        assert!(values(&headers, "c").is_empty());
    }
}
