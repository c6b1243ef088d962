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

/// SHA-256 of the lower-cased, sorted header lines.
pub(super) fn digest(headers: &HeaderMap) -> Sha256 {
    let mut lines: Vec<(&[u8], &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()))
        .collect();
    lines.sort_unstable();
    let mut section = Vec::with_capacity(512);
    for (name, value) in lines {
        for part in [name, b": ", value, b"\n"] {
            section.extend_from_slice(part);
        }
    }
    section.make_ascii_lowercase();
    Sha256::of(&section)
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
}
