//! Names with `*` for anything.

/// Whether `name` is what `pattern` says; only `*` is special, because trial ids hold brackets.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<_> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("dates*", "dates[503]"),
            ("*", ""),
            ("a*b*c", "a1b2c"),
            ("*]", "x[y]"),
            ("a", "a"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("dates", "dates[503]"),
            ("a*b", "ab1"),
            ("ab*b", "ab"),
            ("a*b*c", "acb"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
