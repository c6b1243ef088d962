//! What is copied from the head of a request. Nothing of hyper's is kept: its header values pin its read buffers.

use hyper::HeaderMap;

use crate::term::Sha256;

/// The header that carries an idempotency key where the scenario does not name another.
pub(super) const KEY_HEADER: &str = "idempotency-key";

/// The key that these headers are: several are one list to HTTP (RFC 9110 section 5.3), and so another key.
pub(super) fn key(values: &[String]) -> Option<String> {
    (!values.is_empty()).then(|| values.join(", "))
}

/// Every value of a header, in order; bytes that are not UTF-8 are replaced.
pub(super) fn values(headers: &HeaderMap, name: &str) -> Vec<String> {
    headers
        .get_all(name)
        .iter()
        .map(|v| String::from_utf8_lossy(v.as_bytes()).into_owned())
        .collect()
}

/// The digests of a connection's heads. A client repeats itself: a head like the one before it has the same digest.
#[derive(Default)]
pub(super) struct Digests {
    /// The header section as it is digested, and where the next one is put together.
    last: Vec<u8>,
    next: Vec<u8>,
    digest: Sha256,
}

/// The longest header section that is kept to be compared with the next.
const KEPT: usize = 4 * 1024;

impl Digests {
    /// SHA-256 of the lower-cased, sorted header lines.
    pub(super) fn of(&mut self, headers: &HeaderMap) -> Sha256 {
        self.next.clear();
        write_section(headers, &mut self.next);
        if self.next != self.last {
            self.digest = Sha256::of(&self.next);
            std::mem::swap(&mut self.next, &mut self.last);
        }
        if self.last.len() > KEPT {
            // Nothing of a flood of headers stays; no section at all has the digest of nothing.
            return std::mem::take(self).digest;
        }
        self.digest
    }
}

/// SHA-256 of the lower-cased, sorted header lines.
pub(super) fn digest(headers: &HeaderMap) -> Sha256 {
    Digests::default().of(headers)
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
    fn a_connection_tells_each_head_s_own_digest_whatever_came_before() {
        let (mut digests, flood) = (Digests::default(), "f".repeat(2 * KEPT));
        let heads = ["", "1", "1", "2", &flood, &flood, "1", "", ""];
        for value in heads {
            let mut headers = HeaderMap::new();
            if !value.is_empty() {
                headers.insert("x", value.parse().unwrap());
            }
            let section = match value {
                "" => String::new(),
                value => format!("x: {value}\n"),
            };
            assert_eq!(digests.of(&headers), Sha256::of(section.as_bytes()), "{value:.9}");
            assert!(digests.last.len() <= KEPT && digests.next.capacity() <= 4 * KEPT);
        }
    }
}
