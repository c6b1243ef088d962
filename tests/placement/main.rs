//! Where the retry sits: the loan service with its three placements, real processes over real sockets, and what each
//! placement costs the dependency that fails and the one that does not.

mod gateways;
#[path = "../needed/mod.rs"]
mod needed;
#[path = "../../fixtures/placement/rows.rs"]
mod rows;
mod stacks;
#[path = "../../fixtures/placement/stage.rs"]
mod stage;

use rows::{PERSISTENT, Row, TRANSIENT, side_by_side};

/// The three placements look alike from outside; only the healthy dependency tells them apart.
#[test]
fn a_failure_that_passes_costs_the_healthy_dependency_what_the_outer_layers_repeat() {
    let rows = side_by_side("loan/transient.yaml", &TRANSIENT, None);
    insta::assert_snapshot!(rows::table(&rows, Row::transient), @r"
    | 1 | 1 | 1 | 503 | 1 | 1 | 1 | 1 |
    | 1 | 1 | 3 | 200 | 1 | 1 | 3 | 3 |
    | 1 | 3 | 1 | 200 | 1 | 3 | 3 | 3 |
    | 3 | 1 | 1 | 200 | 3 | 3 | 3 | 3 |
    ");
}

/// Stacked, the failing dependency sees the product of all layers, the healthy one that of the two outer ones.
#[test]
fn a_failure_that_stays_is_multiplied_by_every_layer() {
    let rows = side_by_side("loan/persistent.yaml", &PERSISTENT, None);
    insta::assert_snapshot!(rows::table(&rows, Row::persistent), @r"
    | 1 | 1 | 1 | 1 | 1 | 1 | 1 |
    | 3 | 1 | 1 | 3 | 3 | 3 | 3 |
    | 3 | 3 | 1 | 9 | 9 | 9 | 9 |
    | 3 | 3 | 3 | 27 | 27 | 27 | 9 |
    | 5 | 3 | 3 | 45 | 45 | 45 | 15 |
    ");
    assert!(rows.iter().all(|row| row.status == 503));
}

/// A key that every layer passes on undoes none of the calls, and all but one of the effects.
#[test]
fn a_key_that_is_passed_on_delivers_once_wherever_the_retry_sits() {
    let rows = side_by_side("loan/keyed.yaml", &TRANSIENT[1..], Some("k-1"));
    for row in rows {
        assert_eq!(
            (row.notification, row.delivered, row.status),
            (3, 1, 200),
            "{row:?}"
        );
    }
}

#[test]
fn five_layers_of_three_attempts_make_243_calls_at_the_bottom() {
    assert_eq!(rows::chain(5, 3), 243);
}
