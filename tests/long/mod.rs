//! Tests that have a long form: `RETRIAL_LONG=1 cargo test --release --test soak --test hostile --test fuzz` runs those.

use std::time::Duration;

/// For how long a test goes on in its long form, `usual` minutes unless the variable names another number; `None` where the
/// short form is run.
pub fn minutes(usual: u64) -> Option<Duration> {
    let asked = std::env::var("RETRIAL_LONG").ok()?;
    let minutes = match asked.parse() {
        Ok(0) => return None,
        Ok(1) | Err(_) => usual,
        Ok(other) => other,
    };
    Some(Duration::from_secs(60 * minutes))
}
