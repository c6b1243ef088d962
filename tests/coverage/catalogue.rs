//! What can go wrong with a retry client, as its literature and its bug trackers tell it: judged by which check, or
//! observed only, and why. Whoever judges one of the observations moves it up.

/// A wrong behaviour, and the checks that find it.
pub const JUDGED: &[(&str, &[&str])] = &[
    // Pushback.
    (
        "a form of HTTP-date is not read although another is",
        &["pushback.dates"],
    ),
    ("a date is read in local time", &["pushback.dates"]),
    (
        "a two-digit year is read as one of this century",
        &["pushback.dates"],
    ),
    ("a date in the past paralyses the client", &["pushback.dates"]),
    (
        "a malformed Retry-After kills or paralyses the client",
        &["pushback.malformed"],
    ),
    (
        "a call comes before the wait was over that 503, 429, 413 or 3xx asked for",
        &["pushback.honoured"],
    ),
    ("an overflowing or huge wait is cut short", &["pushback.long"]),
    (
        "a wait beyond the deadline is slept through",
        &["pushback.long", "deadline.kept"],
    ),
    ("pushback brings attempts beyond the cap", &["attempts.capped"]),
    (
        "jitter is taken off a wait that was asked for",
        &["pushback.honoured"],
    ),
    (
        "pushback makes an unkeyed POST be repeated",
        &["unsafe.not_repeated"],
    ),
    // Methods and safety.
    (
        "an idempotent request is not repeated although that is promised",
        &["status.transient"],
    ),
    (
        "an unkeyed POST or PATCH is repeated after a failure that may have been applied",
        &["unsafe.not_repeated"],
    ),
    (
        "425, 408 or 421 is not repeated although that is promised",
        &["status.transient"],
    ),
    (
        "a second DELETE's 404 is claimed without being declared",
        &["claim.acknowledged"],
    ),
    (
        "a keyed POST is given up although it is promised to be repeated",
        &["status.transient"],
    ),
    ("a request carries two key headers", &["key.one_header"]),
    (
        "a key is sent without the quotes that are promised",
        &["key.quoted"],
    ),
    // Classification and ends.
    ("a permanent status is repeated", &["status.permanent"]),
    (
        "a transient status or failure is not repeated although that is promised",
        &["status.transient"],
    ),
    (
        "after a transient and a permanent failure the first is reported",
        &["failure.last"],
    ),
    ("there is one attempt too many", &["attempts.capped"]),
    ("the reported stop reason cannot be true", &["stop.allowed"]),
    ("the client sleeps after its last attempt", &["end.prompt"]),
    ("a cancelled operation goes on", &["cancel.kept"]),
    ("calls come after the report", &["end.final"]),
    (
        "nothing is said of an operation that has ended",
        &["end.reported"],
    ),
    ("what was called is said not to have been run", &["end.reported"]),
    (
        "an operation is given up without a call",
        &["end.reported", "stop.allowed"],
    ),
    ("the client never ends", &["client.bounded", "deadline.kept"]),
    // Time.
    (
        "the wait between attempts overflows to nothing, without end",
        &["client.bounded"],
    ),
    (
        "the wait between attempts overflows beyond the deadline",
        &["deadline.kept"],
    ),
    (
        "waits between attempts do not grow as the declared schedule does, or there are none",
        &["spacing.grows"],
    ),
    (
        "a malformed Retry-After makes the client hurry",
        &["spacing.grows"],
    ),
    (
        "the deadline bounds one attempt and not the operation",
        &["deadline.kept"],
    ),
    (
        "a body that stands still escapes the timer",
        &["deadline.kept", "timeout.kept"],
    ),
    (
        "the attempt's timer is reported as the deadline, or the other way about",
        &["stop.allowed"],
    ),
    ("an attempt is waited for beyond its timeout", &["timeout.kept"]),
    (
        "an attempt that timed out is left open",
        &["attempts.one_at_a_time"],
    ),
    (
        "an attempt begins after the deadline",
        &["deadline.kept", "end.final"],
    ),
    // Load.
    ("retries in all exceed the budget", &["budget.kept"]),
    (
        "a healthy dependency pays for another's faults",
        &["healthy.unstrained"],
    ),
    (
        "a transport repeats what its client does not count",
        &["attempts.counted"],
    ),
    (
        "waits that are promised to be drawn are all alike",
        &["jitter.present"],
    ),
    (
        "a fleet fails together and comes back together",
        &["clients.spread"],
    ),
    (
        "a target is called although its breaker is open",
        &["breaker.kept"],
    ),
    (
        "everybody tries at once whether a target is back",
        &["breaker.kept"],
    ),
    // Requests.
    ("a repeat goes to another path", &["request.same"]),
    ("a PUT is repeated as a POST", &["request.same"]),
    ("a repeat lacks its caller's headers", &["request.same"]),
    (
        "a repeat has no body, a shorter one, or other content under one key",
        &["body.same"],
    ),
    (
        "a stream that cannot be read twice is sent again without its content",
        &["body.same"],
    ),
    (
        "a repeat's length and content do not agree: it is cut short",
        &["body.same"],
    ),
    (
        "a dead connection is taken again until the attempts are used up",
        &["status.transient"],
    ),
    // Answers.
    (
        "a body cut before its Content-Length is claimed",
        &["truncated.not_claimed"],
    ),
    (
        "a body cut before its last chunk is claimed",
        &["truncated.not_claimed"],
    ),
    (
        "a truncated answer is not repeated although that is promised",
        &["status.transient"],
    ),
    (
        "a reset after a whole answer makes a failure of it",
        &["claim.acknowledged"],
    ),
    (
        "what came of a cut answer is put before the next one",
        &["body.whole"],
    ),
    ("a late answer is handed to another operation", &["body.whole"]),
];

/// A conduct that is recorded only, and why.
pub const OBSERVED: &[(&str, &str)] = &[
    (
        "a date in the wrong zone or case is guessed at",
        "recipients may be lenient",
    ),
    (
        "Retry-After: 0 means at once, or the client's own backoff",
        "both are found in good clients",
    ),
    (
        "a date is judged by the Date header or by the local clock",
        "no text says which",
    ),
    (
        "backoff begins anew after pushback",
        "asked by gRFC A6 alone; waits for a profile that promises it",
    ),
    (
        "vendors' pushback: retry-after-ms, x-should-retry, grpc-retry-pushback-ms",
        "waits for a profile that promises it",
    ),
    (
        "a failed automatic repeat is repeated",
        "RFC 9110 advises against it, and every policy of several attempts does it",
    ),
    (
        "a precondition is sent again with the repeat",
        "headers may change from attempt to attempt for good reasons",
    ),
    (
        "a 412 or 404 after a lost acknowledgment is taken for one's own doing",
        "right or wrong only by the caller's intent",
    ),
    (
        "425 is repeated outside of early data",
        "there is no early data without TLS here",
    ),
    (
        "the error's wording is that of the last failure",
        "wording is the client's own; its status is judged",
    ),
    ("certificate errors are repeated", "there is no TLS here yet"),
    (
        "the first attempt is delayed",
        "a start, a queue or a limiter may lawfully take that time",
    ),
    (
        "the time that is left is told to the server",
        "no header for it is common to clients",
    ),
    (
        "an attempt begins with less time than is useful",
        "known only of a policy that was handed over",
    ),
    (
        "authentication, cookies and tracing headers change with the attempt",
        "they may have to",
    ),
    (
        "an attempt's number is marked",
        "waits for a profile that promises it",
    ),
    ("Expect: 100-continue is sent again", "both are lawful"),
    (
        "requests that are not HTTP",
        "listed in the evidence; a probe for another protocol looks like it",
    ),
    (
        "a download is resumed by a range",
        "partial answers are not judged yet",
    ),
];
