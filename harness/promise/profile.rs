//! Profiles: promises under a name, for a client whose documentation says "we retry like that".
//!
//! A profile holds only what every right client of its kind does, and what a check can judge without blaming one; the
//! rest of what it says is listed, so that nobody takes silence for a pass.

/// Promises under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// Its name, as a client's file writes it.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The promises, as a client's file would write them.
    pub promises: &'static str,
    /// What it says and no check can judge yet.
    pub unjudged: &'static [&'static str],
    /// Keys of the citations (see `spec`).
    pub cites: &'static [&'static str],
}

/// Every profile.
pub static PROFILES: &[Profile] = &[
    Profile {
        name: "rfc-only",
        summary: "What the RFCs recommend, kept as a promise: waits that are asked for are honoured, and nothing that \
            may have been applied is sent again.",
        promises: "pushback: {honours: [413, 429, 503], forms: [seconds, dates]}\nnever_repeats_unsafe: true\n",
        unjudged: &[],
        cites: &["rfc9110-10.2.3", "rfc9110-5.6.7", "rfc6585-4", "rfc9110-9.2.2"],
    },
    Profile {
        name: "aws-standard-2020",
        summary: "The standard retry mode of the AWS SDKs as introduced in 2020.",
        promises: AWS,
        unjudged: &[
            "The retry quota of 500 tokens, of which a retry costs 5 and one after a timeout 10: some have one for each \
             client, some one for each service. Where a process has one in all, write `budget: {tokens: 500, retry: 5, \
             timeout: 10, success: 1}`.",
            "Backoff with full jitter, doubling, of at most 20 s.",
            AWS_STATUSES,
        ],
        cites: &["aws-retry-behavior", "aws-jitter"],
    },
    Profile {
        name: "aws-standard-2026",
        summary: "The standard retry mode of the AWS SDKs as updated in 2026.",
        promises: AWS,
        unjudged: &[
            "The retry quota of 500 tokens, of which a retry costs 14 and one after throttling 5, which the error code \
             tells and not the status: where a process has one in all, write `budget: {tokens: 500, retry: 14, \
             throttled: 5, throttled_on: [..], success: 1}`.",
            "The header x-amz-retry-after, kept between the client's own backoff and 5 s more.",
            "Backoff of its own for throttling and for other failures, and attempts of its own for some services: a \
             client of such a service writes its own `attempts`.",
            AWS_STATUSES,
        ],
        cites: &["aws-retry-update", "aws-retry-behavior"],
    },
    Profile {
        name: "grpc-a6",
        summary: "gRPC's client retries: at most five attempts, the first included.",
        promises: "attempts: 5\n",
        unjudged: &[
            "Backoff with jitter of a fifth in both directions.",
            "The throttle, whose numbers are the service's: while half of the tokens or fewer are left nothing is \
             retried; a failure takes one, and a success gives back a part of one. Where yours are known, write `budget: \
             {max_tokens: .., token_ratio_per_mille: ..}`.",
            "The trailer grpc-retry-pushback-ms, which replaces the backoff or, negative or malformed, forbids the \
             retry; the backoff begins anew after it.",
            "A call is committed by its first response headers and not retried after them.",
            "A transparent retry, once, which counts as no attempt.",
            "The header grpc-previous-rpc-attempts, and one deadline over all attempts.",
        ],
        cites: &["grpc-a6"],
    },
    Profile {
        name: "finagle-budget",
        summary: "Finagle's default retry budget: a fifth of the requests may be retried, and ten a second besides.",
        promises: "{}\n",
        unjudged: &[
            "The budget itself, of which each client has one: where a process has one client, write `budget: {window: \
             10s, ratio_per_mille: 200, at_least: 100}`.",
        ],
        cites: &["finagle-retry-budget", "sre-retry-budget"],
    },
    Profile {
        name: "none",
        summary: "No promise at all: what is found is worth what the standards say of it.",
        promises: "{}\n",
        unjudged: &[],
        cites: &[],
    },
];

/// What both generations have in common. These SDKs repeat any method: most of the services' operations are POSTs.
const AWS: &str = "attempts: 3\nrepeats_unsafe_on: [500, 502, 503, 504]\n";

const AWS_STATUSES: &str = "Which statuses are repeated: 500, 502, 503 and 504 always, others (429 above all) by the \
    error code in the body or by the SDK, so that a list would blame one of them.";

/// The profile with this name.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|p| p.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    #[test]
    fn every_profile_but_none_is_cited_and_every_citation_exists() {
        for profile in PROFILES {
            assert_eq!(
                profile.cites.is_empty(),
                profile.name == "none",
                "{}",
                profile.name
            );
            let known = profile.cites.iter().all(|key| spec::citation(key).is_some());
            assert!(known && profile.summary.ends_with('.'), "{}", profile.name);
            assert!(
                profile.unjudged.iter().all(|s| s.ends_with('.')),
                "{}",
                profile.name
            );
        }
    }
}
