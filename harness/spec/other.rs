//! Texts that are not RFCs: drafts, books and policies that clients are built by.

use super::Citation;

/// The others.
pub(super) static ALL: &[Citation] = &[
    Citation {
        key: "idempotency-key-07",
        title: "draft-ietf-httpapi-idempotency-key-header-07",
        section: "",
        url: "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07",
        says: "A draft, not an RFC: a client sends exactly one Idempotency-Key with a request, the same one when it repeats the request, and never the same one with other content; a server may answer 400 where it is missing, 409 while the first request is at work and 422 where the content differs.",
    },
    Citation {
        key: "sre-retry-budget",
        title: "the SRE book",
        section: "Handling Overload",
        url: "https://sre.google/sre-book/handling-overload/",
        says: "A request is tried at most three times in all, a client lets retries be only a tenth of its traffic, and only the layer directly above a failure repeats it.",
    },
    Citation {
        key: "sre-cascading",
        title: "the SRE book",
        section: "Addressing Cascading Failures",
        url: "https://sre.google/sre-book/addressing-cascading-failures/",
        says: "Retries need randomised exponential backoff, a limit for each request and a budget for the process; retries at several layers multiply.",
    },
    Citation {
        key: "aws-jitter",
        title: "the AWS Architecture Blog",
        section: "Exponential Backoff And Jitter",
        url: "https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/",
        says: "Clients whose backoff has no jitter come back together; jitter spreads their calls and lowers the total.",
    },
    Citation {
        key: "grpc-a6",
        title: "gRFC A6",
        section: "Client Retries",
        url: "https://github.com/grpc/proposal/blob/master/A6-client-retries.md",
        says: "gRPC's retries: a cap on attempts, jittered backoff, a throttle (each failure takes a token, each success gives back a part of one, and nothing is repeated at half of the most or below), and server pushback that replaces the backoff or forbids the retry.",
    },
    Citation {
        key: "aws-retry-behavior",
        title: "the AWS SDKs and Tools Reference Guide",
        section: "Retry behavior",
        url: "https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html",
        says: "The standard mode makes three attempts, repeats failures of the connection and 500, 502, 503 and 504 with jittered backoff, and takes each retry from a quota of 500 tokens, which what succeeds gives back.",
    },
    Citation {
        key: "aws-retry-update",
        title: "the AWS Developer Tools Blog",
        section: "Announcing updated retry behavior for AWS SDKs and Tools",
        url: "https://aws.amazon.com/blogs/developer/announcing-updated-retry-behavior-for-aws-sdks-and-tools/",
        says: "In 2026 the standard mode becomes the default everywhere; a retry takes 14 tokens of the quota, where it took 5 (10 after a timeout), and 5 where the failure is throttling, so that clients give up sooner while a service is down; its backoff begins at 50 ms, or a second after throttling.",
    },
    Citation {
        key: "gcs-retry",
        title: "Google Cloud Storage",
        section: "Retry strategy",
        url: "https://cloud.google.com/storage/docs/retry-strategy",
        says: "Operations are idempotent always, under a condition, or never; those of the second kind are repeated only with a precondition, such as a match of the generation, and those of the third are not repeated of the client's own accord.",
    },
    Citation {
        key: "finagle-retry-budget",
        title: "the Finagle blog",
        section: "Retry Budgets",
        url: "https://finagle.github.io/blog/2016/02/08/retry-budgets",
        says: "By default a fifth of the requests may be retried on top of ten retries a second; credits expire after ten seconds.",
    },
    Citation {
        key: "circuit-breaker",
        title: "Martin Fowler",
        section: "Circuit Breaker",
        url: "https://martinfowler.com/bliki/CircuitBreaker.html",
        says: "Once failures reach a threshold the breaker opens and calls fail at once; after a while one call tries whether the service is back, and closes the breaker or opens it again.",
    },
];
