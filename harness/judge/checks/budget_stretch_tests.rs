//! The worst stretch, against trying each.

use std::time::Duration;

use proptest::prelude::*;

use super::{Between, Entry, Refill, Terms};
use crate::term::Stamp;

/// By trying every stretch.
fn is_broken(terms: &Terms, retries: &[Entry], payers: &[Entry]) -> bool {
    let refilled = |from: Stamp, until: Stamp| {
        terms.refill.map_or(0, |refill| {
            let until_then =
                |at: Stamp| at.us() * 1_000 * refill.amount as u64 / refill.every.as_nanos() as u64;
            let tolerated = 5_000_000 * refill.amount as u64 / refill.every.as_nanos() as u64;
            (until_then(until) - until_then(from) + tolerated) as i64 + refill.amount + 2
        })
    };
    let begun = terms.first.map(|(first, begun)| (None, first, begun));
    let begins = retries
        .iter()
        .map(|r| (Some(r.when.from), terms.kept, r.when.from));
    let mut begins = begins.chain(begun);
    begins.any(|(from, held, since)| {
        retries.iter().map(|r| r.when.until).any(|until| {
            let fits = terms.longest.is_none_or(|longest| until.since(since) <= longest);
            let inside = |r: &&Entry| from.is_none_or(|from| r.when.from >= from) && r.when.until <= until;
            let taken: i64 = retries.iter().filter(inside).map(|r| r.amount).sum();
            let may_pay = |p: &&Entry| {
                p.when.from <= until && from.is_none_or(|from| p.when.until.plus(terms.remembered) >= from)
            };
            let paid: i64 = payers.iter().filter(may_pay).map(|p| p.amount).sum();
            since <= until && fits && taken > held + paid + refilled(since, until)
        })
    })
}

fn entries(amounts: std::ops::Range<i64>) -> impl Strategy<Value = Vec<Entry>> {
    let one = (0..60u64, 0..25u64, amounts).prop_map(|(from, long, amount)| Entry {
        when: Between {
            from: Stamp::from_ms(from),
            until: Stamp::from_ms(from + long),
        },
        amount,
    });
    prop::collection::vec(one, 0..14)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_worst_stretch_is_found_if_there_is_one(
        retries in entries(1..4),
        payers in entries(0..3),
        kept in 0..8i64,
        first in prop::option::of(0..8i64),
        refill in prop::option::of((1..3i64, 1..40u64)),
        longest in prop::option::of(0..40u64),
        remembered in 0..10u64,
    ) {
        let terms = Terms {
            kept,
            first: first.filter(|_| longest.is_none()).map(|first| (first.min(kept), Stamp::ZERO)),
            refill: refill.map(|(amount, every)| Refill { amount, every: Duration::from_millis(every) }),
            longest: longest.map(Duration::from_millis),
            remembered: Duration::from_millis(remembered),
        };
        let found = terms.broken(&retries, &payers);
        prop_assert_eq!(found.is_some(), is_broken(&terms, &retries, &payers));
        if let Some(stretch) = found {
            let taken: i64 = retries.iter().filter(|r| stretch.has(r)).map(|r| r.amount).sum();
            prop_assert!(taken > stretch.held + stretch.came);
        }
    }
}
