//! What is copied from the head of a request. Nothing of hyper's is kept: its header values pin its read buffers.

use hyper::HeaderMap;
use sha2::{Digest as _, Sha256};

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

/// SHA-256 of the lower-cased, sorted header lines, in hexadecimal.
pub(super) fn digest(headers: &HeaderMap) -> String {
    let mut lines: Vec<(&[u8], &[u8])> = headers
        .iter()
        .map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()))
        .collect();
    lines.sort_unstable();
    let mut hash = Sha256::new();
    for (name, value) in lines {
        hash.update(name);
        hash.update(b": ");
        hash.update(value.to_ascii_lowercase());
        hash.update(b"\n");
    }
    hexadecimal(&hash.finalize())
}

/// Bytes in lower-case hexadecimal.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |n: u8| char::from(DIGITS[usize::from(n)]);
    bytes
        .iter()
        .flat_map(|b| [digit(b >> 4), digit(b & 15)])
        .collect()
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
        assert_eq!(one.len(), 64);
    }
}
