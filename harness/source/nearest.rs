//! Did you mean?

/// How alike two words must be, from 0 to 1, for one to be offered for the other.
const ALIKE: f64 = 0.8;

/// The longest word that is compared, in bytes: comparing takes time by the product of two lengths, and a word may be a
/// whole file long.
const LONGEST: usize = 200;

/// The most options that are compared.
const MOST: usize = 1000;

/// The option that is most like `word`, if one is like it at all.
pub fn nearest<'a>(word: &str, options: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    options
        .into_iter()
        .take(MOST)
        .filter(|option| option.len() <= LONGEST)
        .map(|option| (alike(&word.to_lowercase(), option), option))
        .filter(|(alike, _)| *alike > ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, option)| option)
}

/// A single slip in a word of some length counts most, but for the word itself: Jaro and Winkler's measure misses swapped letters in short ones.
fn alike(word: &str, option: &str) -> f64 {
    match word.chars().count() > 2 && strsim::damerau_levenshtein(word, option) == 1 {
        true => 0.999,
        false => strsim::jaro_winkler(word, option),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_offered_and_a_far_one_is_not() {
        let offered = |word| nearest(word, ["url", "urls", "body", "retry_after", "k"]);
        assert_eq!(offered("ulr"), Some("url"));
        assert_eq!(offered("retry_aftr"), Some("retry_after"));
        assert_eq!(offered("bodies"), Some("body"));
        assert_eq!(offered("URL"), Some("url"));
        assert_eq!(offered("x"), None);
        assert_eq!(offered("timeout"), None);
    }
}
