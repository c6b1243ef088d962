//! What statuses say of a repeat, where the client promises nothing.

/// Methods whose repeat changes nothing that the first call did not (RFC 9110 §9.2.2).
const IDEMPOTENT: [&str; 6] = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"];

/// Methods that are certainly not idempotent; of an unknown method nothing is said.
const NOT_IDEMPOTENT: [&str; 2] = ["POST", "PATCH"];

/// Failing statuses that no repeat of the same request is likely to change.
const PERMANENT: [u16; 18] = [
    400, 402, 403, 404, 405, 406, 410, 411, 414, 415, 416, 422, 426, 428, 431, 451, 501, 505,
];

/// Failing statuses that are widely taken for passing.
const TRANSIENT: [u16; 6] = [408, 429, 500, 502, 503, 504];

/// Statuses after which a repeat is no retry of a failure: it brings credentials, drops an expectation, goes to
/// another server, leaves early data, or sends what the server never had whole (RFC 9110 §15.5.2, §15.5.8, §15.5.9,
/// §15.5.18, §15.5.20; RFC 8470 §5.2).
const REPEAT_IS_FORESEEN: [u16; 6] = [401, 407, 408, 417, 421, 425];

/// Whether repeating a call with this method changes nothing.
pub fn idempotent(method: &str) -> bool {
    IDEMPOTENT.contains(&method)
}

/// Whether repeating a call with this method may do its work twice.
pub fn not_idempotent(method: &str) -> bool {
    NOT_IDEMPOTENT.contains(&method)
}

/// Whether a repeat is pointless by the status alone.
pub fn permanent(status: u16) -> bool {
    PERMANENT.contains(&status)
}

/// Whether the status is widely taken for passing.
pub fn transient(status: u16) -> bool {
    TRANSIENT.contains(&status)
}

/// Whether the status itself foresees that the request is sent again, whatever the method.
pub fn repeat_is_foreseen(status: u16) -> bool {
    REPEAT_IS_FORESEEN.contains(&status)
}
