//! What the words of a report mean, for `retrial explain`.

/// A word of the reports and its meaning.
pub(super) struct Word {
    /// As it stands in a report.
    pub word: &'static str,
    /// In a sentence or two.
    pub means: &'static str,
}

/// Every word, in the order in which a reader meets them.
pub(super) const WORDS: &[Word] = &[
    word(
        "pass",
        "The verdict of a trial in which the client was put to the test and did nothing wrong.",
    ),
    word(
        "noted",
        "The verdict of a trial whose worst finding is a note: nothing wrong, and worth knowing. It is green.",
    ),
    word(
        "warn",
        "Conduct against a recommendation that the client does not promise to follow. It is green, and fails the trial \
         with --strict.",
    ),
    word(
        "fail",
        "Conduct against a requirement, against the client's own promise, or against the scenario's `expect`.",
    ),
    word(
        "inconclusive",
        "The trial proved nothing: its fault was not met, no check that bears on it was put to the test, or the harness \
         itself was late. It fails the run unless an entry of `expected` lists it: a test that proves nothing must not \
         pass for one that does.",
    ),
    word(
        "skipped",
        "The client cannot be asked what the trial asks; the report says why.",
    ),
    word("expected_fail", "It failed as an entry of `expected` says."),
    word(
        "unexpected_pass",
        "It passed although an entry of `expected` says that it fails: the entry is to be taken out.",
    ),
    word(
        "harness_error",
        "Nothing can be judged: the client could not be started, broke the protocol or said nothing at all, or the \
         machine refused the harness what it needs. It is never a judgement on the client's retries.",
    ),
    word(
        "calls",
        "Requests that arrived at a dependency for an operation; `+1 cut` are connections cut before a request.",
    ),
    word(
        "delivered",
        "Side effects that were applied at a dependency, whatever was answered.",
    ),
    word(
        "acknowledged",
        "Calls whose complete success answer was handed to the client's side.",
    ),
    word(
        "multiplier",
        "Calls at a dependency divided by the operations that may go there: what a retry policy costs it.",
    ),
    word(
        "held",
        "`held 120 ms by load`: so long a call stood in its dependency's `queue`, or was delayed by the other calls in flight \
         where the dependency `slows`, before its turn was played.",
    ),
    word(
        "normative",
        "The level of a finding that rests on the text of a standard; what the text recommends is a warning, what it \
         requires is a failure.",
    ),
    word(
        "promised",
        "The level of a finding that rests on the client's own promise, or on what it says nothing of.",
    ),
    word(
        "integrity",
        "The level of a finding about plain truthfulness: what no client may get wrong.",
    ),
    word(
        "asked",
        "The level of a finding that rests on the scenario's own `expect`.",
    ),
];

const fn word(word: &'static str, means: &'static str) -> Word {
    Word { word, means }
}
