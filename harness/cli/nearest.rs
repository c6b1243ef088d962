//! "Did you mean".

use crate::source::nearest;

/// A hint that names the nearest of `options`, or where the list is.
pub(super) fn hint<'a>(word: &str, options: impl IntoIterator<Item = &'a str>, list: &str) -> String {
    match nearest(word, options) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("`{list}` lists them"),
    }
}
