//! Finding processes that outlive their trial, by a tag of the test's own (not by the mark that is under test).

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A tag that no other process on this machine carries.
pub fn tag() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("hostile-{}-{count}-end", std::process::id())
}

/// A shell script that carries the tag in its command line, and its children in their environment.
pub fn tagged(tag: &str, script: &str) -> String {
    format!("HOSTILE={tag}; export HOSTILE; {script}")
}

/// The command lines of living processes that carry the tag.
pub fn alive(tag: &str) -> Vec<String> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let carries = |bytes: &[u8]| bytes.windows(tag.len()).any(|w| w == tag.as_bytes());
    processes
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .bytes()
                .all(|b| b.is_ascii_digit())
        })
        .filter_map(|entry| {
            let cmdline = std::fs::read(entry.path().join("cmdline")).ok()?;
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            (carries(&cmdline) || carries(&environ))
                .then(|| String::from_utf8_lossy(&cmdline).replace('\0', " "))
        })
        .collect()
}

/// Waits until nothing carries the tag any more; panics if that takes more than a few seconds.
pub async fn wait_until_none(tag: &str) {
    for _ in 0..500 {
        if alive(tag).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("left behind: {:?}", alive(tag));
}
