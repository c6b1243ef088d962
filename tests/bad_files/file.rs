//! Files as a whole.

use std::path::Path;

use retrial::source::{MAX_BYTES, read_file, render};

/// What is said of a file with these bytes.
fn said_of(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.yaml");
    std::fs::write(&path, bytes).unwrap();
    said(&path)
}

/// What is said of a path, without the folder it is in.
fn said(path: &Path) -> String {
    let problem = read_file(path).expect_err("the file is bad");
    let folder = format!("{}/", path.parent().unwrap().display());
    render(&[problem], false).replace(&folder, "")
}

#[test]
fn a_missing_file() {
    let folder = tempfile::tempdir().unwrap();
    insta::assert_snapshot!(said(&folder.path().join("orders.yaml")), @r#"
        error: there is no such file
        --> orders.yaml
    "#);
}

#[test]
fn a_directory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.yaml");
    std::fs::create_dir(&path).unwrap();
    insta::assert_snapshot!(said(&path), @r#"
        error: this is a directory, not a file
        --> orders.yaml
    "#);
}

#[test]
fn a_named_pipe_that_nobody_writes_to_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.yaml");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    insta::assert_snapshot!(said(&path), @r#"
        error: this is a named pipe, not a file
        --> orders.yaml
    "#);
}

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(said_of(b"\n  \n"), @r#"
        error: this file is empty
        --> orders.yaml
    "#);
}

#[test]
fn a_binary_file() {
    insta::assert_snapshot!(said_of(b"\x7fELF\x00\x01"), @r#"
        error: this is not a text file: byte 4 is zero
        --> orders.yaml
    "#);
}

#[test]
fn a_file_in_another_encoding() {
    insta::assert_snapshot!(said_of(b"title: caf\xe9"), @r#"
        error: this is not a text file: byte 10 is not UTF-8
        --> orders.yaml
    "#);
}

#[test]
fn a_file_that_is_too_long() {
    insta::assert_snapshot!(said_of(&vec![b'#'; MAX_BYTES + 1]), @r#"
        error: this file is longer than 1 MiB, which is the most that is read
        --> orders.yaml
    "#);
}

#[test]
fn a_byte_order_mark_does_not_move_the_carets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.yaml");
    std::fs::write(&path, "\u{feff}versoin: 1\n").unwrap();
    let source = read_file(&path).expect("a good text");
    assert_eq!(source.text, "versoin: 1\n");
}
