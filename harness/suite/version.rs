//! Versions as numbers.

/// The first thing in `text` that looks like a version: digits and dots, `3.11.2` in `Python 3.11.2`.
pub(super) fn version_in(text: &str) -> Option<Vec<u32>> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    words
        .map(|word| word.trim_matches('.'))
        .filter(|word| word.contains('.'))
        .find_map(numbers)
}

fn numbers(word: &str) -> Option<Vec<u32>> {
    word.split('.').map(|part| part.parse().ok()).collect()
}

/// Whether `version` is at least `least`; numbers that are not there count as zero.
pub(super) fn at_least(version: &[u32], least: &[u32]) -> bool {
    let longest = version.len().max(least.len());
    let part = |numbers: &[u32], i: usize| numbers.get(i).copied().unwrap_or(0);
    let pairs = (0..longest).map(|i| (part(version, i), part(least, i)));
    let differing = pairs.into_iter().find(|(have, want)| have != want);
    differing.is_none_or(|(have, want)| have > want)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_commands_say() {
        assert_eq!(version_in("Python 3.11.2\n"), Some(vec![3, 11, 2]));
        assert_eq!(
            version_in("curl 7.88.1 (x86_64-pc-linux-gnu) libcurl/7.88.1"),
            Some(vec![7, 88, 1])
        );
        assert_eq!(version_in("v22.3.0"), Some(vec![22, 3, 0]));
        assert_eq!(
            version_in("go version go1.19.8 linux/amd64"),
            Some(vec![1, 19, 8])
        );
        assert_eq!(version_in("no version."), None);
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(at_least(&[3, 11, 2], &[3, 9]));
        assert!(at_least(&[3, 9], &[3, 9, 0]));
        assert!(!at_least(&[3, 8, 17], &[3, 9]));
        assert!(!at_least(&[3], &[3, 0, 1]));
    }
}
