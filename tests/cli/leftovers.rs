//! What clients leave behind is gone when the program ends.

use std::process::Command;

use crate::program::{Folder, ONE_503};

/// A name for processes that nobody else's have.
fn tag() -> String {
    format!("left-behind-{}", std::process::id())
}

/// The command lines of living processes that hold the tag.
fn alive(tag: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(tag))
        .collect()
}

#[test]
fn a_grandchild_that_left_its_group_and_cleared_its_environment_is_ended() {
    let can = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !std::path::Path::new("/proc/self/stat").exists() || !can("setsid") || !can("env") {
        return;
    }
    let tag = tag();
    let escape = format!("setsid env -i sh -c 'sleep 300; : {tag}' >/dev/null 2>&1 & exit 0");
    let script = format!("#!/bin/sh\n{escape}\n");
    let folder = Folder::new()
        .with("one-503.yaml", ONE_503)
        .with("client.sh", &script);
    folder.retrial(&["run", "-s", "one-503.yaml", "--", "sh", "client.sh", "{url}"]);
    assert_eq!(alive(&tag), [""; 0]);
}
