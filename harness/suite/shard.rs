//! Which trials belong to which part of a run: by a trial's id alone, so that a scenario more or less moves no other.

use sha2::{Digest, Sha256};

use crate::report::Shard;

/// Whether the trial with this id belongs to this part.
pub fn in_shard(shard: Shard, trial: &str) -> bool {
    let digest = Sha256::digest(trial.as_bytes());
    let number = digest
        .iter()
        .take(8)
        .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    number % u64::from(shard.of()) == u64::from(shard.index() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trial_belongs_to_exactly_one_part_and_parts_are_alike() {
        let parts: Vec<Shard> = ["1/3", "2/3", "3/3"]
            .iter()
            .filter_map(|s| s.parse().ok())
            .collect();
        let ids: Vec<_> = (0..300).map(|n| format!("dates[{n},Asia/Tokyo]")).collect();
        let in_part = |part: &Shard| ids.iter().filter(|id| in_shard(*part, id)).count();
        let sizes: Vec<_> = parts.iter().map(in_part).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 300);
        assert!(sizes.iter().all(|n| (60..140).contains(n)), "{sizes:?}");
    }

    #[test]
    fn the_split_never_changes() {
        let part: Shard = "1/2".parse().expect("it is one");
        let ids = ["healthy", "retry-after[503,UTC]", "outage-ends"];
        assert_eq!(ids.map(|id| in_shard(part, id)), [false, false, false]);
    }
}
