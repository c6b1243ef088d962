//! Did you mean?

/// How alike two words must be, from 0 to 1, for one to be offered for the other.
const ALIKE: f64 = 0.8;

/// The option that is most like `word`, if one is like it at all.
pub fn nearest<'a>(word: &str, options: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    options
        .into_iter()
        .map(|option| (strsim::jaro_winkler(word, option), option))
        .filter(|(alike, _)| *alike > ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, option)| option)
}
