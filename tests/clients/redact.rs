//! What differs from run to run in a report's sentences: times, dates, and the order in which calls arrive.

/// The sentence with `T` for each time, `N` for the number of each call and `DATE` for each date, and without the number of others
/// like it: where a capacity is met, that is how many came at once.
pub fn redacted(sentence: &str) -> String {
    let sentence = without_more(sentence);
    let mut dates_gone = String::new();
    for (i, piece) in sentence.split('`').enumerate() {
        let separator = if i == 0 { "" } else { "`" };
        // Every second piece is quoted; of those only dates are this long and full of colons.
        let is_date = i % 2 == 1 && piece.len() >= 24 && piece.matches(':').count() == 2;
        dates_gone.push_str(separator);
        dates_gone.push_str(if is_date { "DATE" } else { piece });
    }
    let words: Vec<&str> = dates_gone.split(' ').collect();
    let word = |i: usize| words.get(i).copied().unwrap_or_default();
    let shown = |(i, this): (usize, &&str)| {
        if is_number(this) && is_unit(word(i + 1)) {
            "T".to_owned()
        } else if i > 0 && ["call", "calls"].contains(&word(i - 1)) && is_number(this) {
            "N".to_owned()
        } else {
            (*this).to_owned()
        }
    };
    words.iter().enumerate().map(shown).collect::<Vec<_>>().join(" ")
}

fn without_more(sentence: &str) -> &str {
    match sentence.rsplit_once(" (and ") {
        Some((told, more)) if more.ends_with(" more like it)") => told,
        _ => sentence,
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn is_unit(word: &str) -> bool {
    ["ms", "s"].contains(&word.trim_end_matches([';', ',', '.', ')']))
}

#[test]
fn what_differs_from_run_to_run_is_gone_and_nothing_else() {
    let sentence = "call 8 came 0 ms after the 503; the server had asked for 3 s by `Sun, 29 Nov 2026 23:35:47 GMT` \
                    (RFC 9110 §5.6.7) (and 2 more like it)";
    assert_eq!(
        redacted(sentence),
        "call N came T ms after the 503; the server had asked for T s by `DATE` (RFC 9110 §5.6.7)"
    );
    assert_eq!(
        redacted("after the malformed `Retry-After: 120junk`"),
        "after the malformed `Retry-After: 120junk`"
    );
}
