//! The header of keys, where it is the client's own.

use crate::needed::is_here;
use crate::program::{Folder, stdout};

const SCENARIO: &str = "\
version: 1
title: A key
dependencies:
  pay:
    keys: {header: Idempotency-Key, keep: 1h}
operations:
  - {request: {method: POST, to: [pay], path: /, key: own, body: {text: x}}}
";

const CLIENT: &str = "\
version: 1
name: c
driver: {exec: {command: [curl, -sS, -f, -X, '{method}', -d, '{body}', -H, 'PayPal-Request-Id: {key}', '{url}']}}
";

/// A client whose keys go in a header of its own says so, and is judged by that one, whatever the scenario calls it.
#[test]
fn a_client_may_name_the_header_of_its_keys() {
    if !is_here("curl") {
        return;
    }
    for (marks, without_a_key) in [("", true), ("marks: {key: PayPal-Request-Id}\n", false)] {
        let folder = Folder::new()
            .with("s.yaml", SCENARIO)
            .with("client.yaml", &format!("{CLIENT}{marks}"));
        let arguments = [
            "run",
            "-s",
            "s.yaml",
            "--client",
            "client.yaml",
            "-r",
            "evidence=e",
            "-r",
            "text=-",
        ];
        let ended = folder.retrial(&arguments).code(0);
        let evidence = folder.read("e/s.jsonl");
        assert_eq!(
            evidence.contains(r#""keys":[]"#),
            without_a_key,
            "{}\n{evidence}",
            stdout(&ended)
        );
    }
}
