//! What is not YAML, or not of the grammar's shape.

use super::{GOOD, shown, with};

#[test]
fn only_comments() {
    insta::assert_snapshot!(shown("# later\n"), @r#"
        error: there is nothing in this file
        --> orders.yaml
    "#);
}

#[test]
fn an_unknown_key() {
    insta::assert_snapshot!(shown(&with("retry_after", "retry_aftr")), @r#"
        error: unknown key `retry_aftr`
         --> orders.yaml:6:42
          |
        6 |       - {times: 1, answer: {status: 503, retry_aftr: 3s}}
          |                                          ^^^^^^^^^^ not a key that may stand here
          |
          = help: expected one of: status, stored, retry_after, headers, body, framing, after, drip, keep_alive, means, early, clock
        help: did you mean `retry_after`?
          |
        6 |       - {times: 1, answer: {status: 503, retry_after: 3s}}
          |                                                   +
    "#);
}

#[test]
fn a_key_that_belongs_elsewhere() {
    insta::assert_snapshot!(shown(&with("answer: {status: 200}", "status: 200")), @r#"
        error: unknown key `status`
         --> orders.yaml:7:27
          |
        7 |       - {effect: applied, status: 200}
          |                           ^^^^^^ not a key that may stand here
          |
          = help: `status` belongs under `answer` in a turn: {answer: {status: 503}}
    "#);
}

#[test]
fn a_bare_text_where_a_body_stands() {
    insta::assert_snapshot!(shown(&with("{status: 200}", "{status: 200, body: hello}")), @r#"
        error: unknown word `hello`
         --> orders.yaml:7:55
          |
        7 |       - {effect: applied, answer: {status: 200, body: hello}}
          |                                                       ^^^^^ not a word that may stand here
          |
          = help: expected one of: text, zeros, file, ranges
        help: did you mean `{text: hello}`?
          |
        7 -       - {effect: applied, answer: {status: 200, body: hello}}
        7 +       - {effect: applied, answer: {status: 200, body: {text: hello}}}
          |
    "#);
}

#[test]
fn a_word_in_capitals() {
    assert!(shown(&with("effect: applied", "effect: APPLIED")).contains("did you mean `applied`?"));
}

#[test]
fn an_unknown_word() {
    insta::assert_snapshot!(shown(&with("effect: applied", "effect: aplied")), @r#"
        error: unknown word `aplied`
         --> orders.yaml:7:18
          |
        7 |       - {effect: aplied, answer: {status: 200}}
          |                  ^^^^^^ not a word that may stand here
          |
          = help: expected one of: none, applied, begun
        help: did you mean `applied`?
          |
        7 |       - {effect: applied, answer: {status: 200}}
          |                    +
    "#);
}

#[test]
fn a_wrong_type() {
    insta::assert_snapshot!(shown(&with("times: 1", "times: once")), @r#"
        error: `times` must be a whole number from 0 to 4294967295
         --> orders.yaml:6:17
          |
        6 |       - {times: once, answer: {status: 503, retry_after: 3s}}
          |                 ^^^^ this is something else
    "#);
}

#[test]
fn a_wrong_type_where_a_word_may_stand_too() {
    insta::assert_snapshot!(shown(&with("503", "\"five hundred\"")), @r#"
        error: `status` must be a status such as 503, or `varied` for each of vary.statuses
         --> orders.yaml:6:37
          |
        6 |       - {times: 1, answer: {status: "five hundred", retry_after: 3s}}
          |                                     ^^^^^^^^^^^^^^ this is something else
    "#);
}

#[test]
fn a_map_for_a_list() {
    insta::assert_snapshot!(shown(&with("[orders]", "orders")), @r#"
        error: `to` must be a list such as [a, b]
         --> orders.yaml:9:33
          |
        9 |   - {request: {method: GET, to: orders, path: /orders}}
          |                                 ^^^^^^ this is something else
          |
        help: did you mean `[orders]`?
          |
        9 -   - {request: {method: GET, to: orders, path: /orders}}
        9 +   - {request: {method: GET, to: [orders], path: /orders}}
          |
    "#);
}

#[test]
fn a_map_of_operations() {
    insta::assert_snapshot!(shown(&with("  - {request", "  first: {request")), @r#"
        error: `operations` must be a list such as [a, b]
         --> orders.yaml:9:3
          |
        9 |   first: {request: {method: GET, to: [orders], path: /orders}}
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is a map
          |
          = help: each entry of a list begins with `- `
    "#);
}

#[test]
fn a_place_of_a_cut_that_does_not_say_how_far() {
    let cut = |at: &str| {
        shown(&with(
            "answer: {status: 503, retry_after: 3s}",
            &format!("cut: {{at: {at}, by: rst}}"),
        ))
    };
    insta::assert_snapshot!(cut("body"), @r#"
        error: after how many bytes? write `{body: 10}` in place of `body`
         --> orders.yaml:6:30
          |
        6 |       - {times: 1, cut: {at: body, by: rst}}
          |                              ^^^^
    "#);
    insta::assert_snapshot!(cut("idle"), @r#"
        error: idle for how long? write `{idle: 2s}` in place of `idle`
         --> orders.yaml:6:30
          |
        6 |       - {times: 1, cut: {at: idle, by: rst}}
          |                              ^^^^
    "#);
    insta::assert_snapshot!(cut("bodi"), @r#"
        error: unknown word `bodi`
         --> orders.yaml:6:30
          |
        6 |       - {times: 1, cut: {at: bodi, by: rst}}
          |                              ^^^^ not a word that may stand here
          |
          = help: expected one of: accept, request_head, request_body, before_answer, status_line, headers, body, after_answer, idle
        help: did you mean `body`?
          |
        6 -       - {times: 1, cut: {at: bodi, by: rst}}
        6 +       - {times: 1, cut: {at: body, by: rst}}
          |
    "#);
    insta::assert_snapshot!(cut("{bodi: 3}"), @r#"
        error: unknown word `bodi`
         --> orders.yaml:6:31
          |
        6 |       - {times: 1, cut: {at: {bodi: 3}, by: rst}}
          |                               ^^^^ not a word that may stand here
          |
          = help: expected one of: request_body, status_line, headers, body, idle
        help: did you mean `body`?
          |
        6 -       - {times: 1, cut: {at: {bodi: 3}, by: rst}}
        6 +       - {times: 1, cut: {at: {body: 3}, by: rst}}
          |
    "#);
    insta::assert_snapshot!(cut("{body: x}"), @r#"
        error: `body` must be a whole number, not negative
         --> orders.yaml:6:37
          |
        6 |       - {times: 1, cut: {at: {body: x}, by: rst}}
          |                                     ^ this is something else
    "#);
}

#[test]
fn a_version_that_is_missing_is_missing_at_the_beginning() {
    insta::assert_snapshot!(shown(&format!("# ours\n\n{}", with("version: 1\n", ""))), @r#"
        error: the key `version` is missing
         --> orders.yaml:3:1
          |
        3 | title: The first answer asks for a wait
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `version` belongs beside this
    "#);
}

#[test]
fn a_tag_of_yaml() {
    insta::assert_snapshot!(shown(&with("effect: applied", "effect: !now applied")), @r#"
        error: the tag `!now` has no meaning here
         --> orders.yaml:7:18
          |
        7 |       - {effect: !now applied, answer: {status: 200}}
          |                  ^^^^ a YAML tag
          |
          = help: leave it out; a text that looks like one is put in quotes
    "#);
    insta::assert_snapshot!(shown(&with("- {effect", "- !!map {effect")), @r#"
        error: the tag `!!map` has no meaning here
         --> orders.yaml:7:9
          |
        7 |       - !!map {effect: applied, answer: {status: 200}}
          |         ^^^^^ a YAML tag
          |
          = help: leave it out; a text that looks like one is put in quotes
    "#);
    assert_eq!(
        shown(&with(
            "title: The first answer asks for a wait",
            "title: '!now <<'"
        )),
        ""
    );
}

#[test]
fn a_merge_key() {
    let yaml =
        with("- {times: 1", "- &first {times: 1").replace("{effect: applied", "{<<: *first, effect: applied");
    insta::assert_snapshot!(shown(&yaml), @r#"
        error: maps are not merged here
         --> orders.yaml:7:10
          |
        7 |       - {<<: *first, effect: applied, answer: {status: 200}}
          |          ^^ a merge key
          |
          = help: write out what it stands for; a whole value can be an alias, such as `- *turn`
    "#);
}

#[test]
fn a_key_without_a_value() {
    insta::assert_snapshot!(shown(&with("title: The first answer asks for a wait", "title:")), @r#"
        error: `title` must be a text
         --> orders.yaml:2:6
          |
        2 | title:
          |      ^ nothing is written here
    "#);
}

#[test]
fn a_key_that_is_missing() {
    insta::assert_snapshot!(shown(&with("path: /orders", "body: {text: x}")), @r#"
        error: the key `path` is missing
         --> orders.yaml:9:43
          |
        9 |   - {request: {method: GET, to: [orders], body: {text: x}}}
          |                                           ^^^^ `path` belongs beside this
    "#);
}

#[test]
fn a_duplicate_key_is_shown_at_the_second() {
    insta::assert_snapshot!(shown(&with("dependencies:", "title: Another\ndependencies:")), @r#"
        error: the key `title` is written twice
         --> orders.yaml:3:1
          |
        3 | title: Another
          | ^^^^^ the second time
          |
          = help: which of the two was meant? leave one out
    "#);
}

#[test]
fn two_words_where_one_can_stand() {
    insta::assert_snapshot!(shown(&with("3s", "{imf: {ahead: 3s}, raw: soon}")), @r#"
        error: only one of these keys can stand here
         --> orders.yaml:6:74
          |
        6 |       - {times: 1, answer: {status: 503, retry_after: {imf: {ahead: 3s}, raw: soon}}}
          |                                                                          ^^^ one too many
    "#);
}

#[test]
fn a_tab() {
    insta::assert_snapshot!(shown(&with("  orders:\n", "\torders:\n")), @r#"
        error: this is not YAML: tabs disallowed within this context (block indentation)
         --> orders.yaml:4:2
          |
        4 |     orders:
          |     ^ the reading stopped here
          |
          = help: there is a tab here; YAML is indented with spaces
    "#);
}

#[test]
fn a_bracket_that_is_not_closed() {
    insta::assert_snapshot!(shown(&with("{status: 200}}", "{status: 200}")), @r#"
        error: this is not YAML: "-" is only valid inside a block
         --> orders.yaml:9:3
          |
        7 |       - {effect: applied, answer: {status: 200}
          |         - is this bracket closed?
        8 | operations:
        9 |   - {request: {method: GET, to: [orders], path: /orders}}
          |   ^ the reading stopped here
    "#);
}

#[test]
fn a_second_document() {
    insta::assert_snapshot!(shown(&format!("{GOOD}---\n{GOOD}")), @r#"
        error: a file holds one document, and here a second one begins
          --> orders.yaml:11:1
           |
        11 | version: 1
           | ^^^^^^^^^^
           |
           = help: put each into a file of its own
    "#);
}

#[test]
fn an_alias_without_an_anchor() {
    insta::assert_snapshot!(shown(&with("3s", "*pause")), @r#"
        error: this alias has no anchor before it
         --> orders.yaml:6:55
          |
        6 |       - {times: 1, answer: {status: 503, retry_after: *pause}}
          |                                                       ^ the reading stopped here
    "#);
}

#[test]
fn a_problem_behind_an_alias_is_shown_where_the_alias_stands() {
    let yaml = with("title: The", "title: &t The").replace("times: 1", "times: *t");
    insta::assert_snapshot!(shown(&yaml), @r#"
        error: `times` must be a whole number from 0 to 4294967295
         --> orders.yaml:6:17
          |
        6 |       - {times: *t, answer: {status: 503, retry_after: 3s}}
          |                 ^^ this is something else
    "#);
}

/// A text that is cut off, or has one character changed, at any place: it is read or refused, never a panic.
#[test]
fn no_slip_of_the_pen_is_too_much() {
    let text = with("3s", "{imf: {ahead: 3s}}").replace("title: ", "# ä\ntitle: ");
    let text = format!("{text}expect: {{dependencies: {{orders: {{calls: {{at_most: 4}}}}}}}}\n");
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        shown(&text[..at]);
        for slip in [
            "", "}", "[", "'", "\"", "*", "&", ":", "\n", "\t", "é", "- ", "!x ",
        ] {
            shown(&format!("{}{slip}{after}", &text[..at]));
        }
    }
}
