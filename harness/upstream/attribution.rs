//! To which operation does a call belong?

use hyper::HeaderMap;

use super::shared::{Shared, lock};
use crate::evidence::Attribution;
use crate::term::{Name, OperationId};

/// Whose call it is, how that is known, and its path without the marker.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Attributed<'a> {
    pub op: Option<OperationId>,
    pub by: Attribution,
    pub path: &'a str,
}

/// What is seen of a call before it is known whose it is.
pub(super) struct Sight<'a, 'b> {
    /// The dependency or tap.
    pub point: &'b Name,
    pub method: &'b str,
    pub path: &'a str,
    pub keys: &'b [String],
    pub headers: &'b HeaderMap,
}

/// Attributes a call: by the marker in its path, by a key, by the invocation header, by its trace, by being the only
/// operation's, else to none.
///
/// A call without a mark is the only operation's if it asks for what the operation asks for: a look at a dependency's health
/// is nobody's (CONTRACTS rule 16).
///
/// A marker of an operation that was never asked makes a side call, whatever else the call carries. Being the only
/// operation's tells nothing of what also came before any operation was asked: a health check goes on meanwhile.
pub(super) fn attribute<'a>(shared: &Shared, sight: &Sight<'a, '_>) -> Attributed<'a> {
    let Sight {
        point,
        method,
        path,
        keys,
        headers,
    } = *sight;
    if let Some((op, rest)) = marked(path) {
        return match lock(&shared.running).was_asked(op) {
            true => Attributed {
                op: Some(op),
                by: Attribution::Url,
                path: rest,
            },
            false => Attributed {
                op: None,
                by: Attribution::Nothing,
                path,
            },
        };
    }
    let by_key = keys
        .iter()
        .find_map(|key| lock(&shared.keys).get(unquoted(key)).copied().flatten());
    let by_mark = by_key
        .map(|op| (op, Attribution::Key))
        .or_else(|| Some((by_invocation(shared, headers)?, Attribution::Invocation)))
        .or_else(|| Some((by_trace(shared, headers)?, Attribution::Trace)))
        .or_else(|| Some((alone(shared, (point, method, path))?, Attribution::Alone)));
    match by_mark {
        Some((op, by)) => Attributed {
            op: Some(op),
            by,
            path,
        },
        None => Attributed {
            op: None,
            by: Attribution::Nothing,
            path,
        },
    }
}

/// The only operation that is running, unless the call is one of those that come anyway.
fn alone(shared: &Shared, (point, method, path): (&Name, &str, &str)) -> Option<OperationId> {
    let alone = shared.alone_with(method, path);
    let mut anyway = lock(&shared.anyway);
    if lock(&shared.running).none_was_asked() {
        anyway.came(point, method, path);
    }
    alone.filter(|_| !anyway.is_known(point, method, path))
}

/// The operation that the invocation header names, where the client passes one on.
fn by_invocation(shared: &Shared, headers: &HeaderMap) -> Option<OperationId> {
    let value = headers.get(shared.invocation.get()?)?;
    let op = value.to_str().ok()?.trim().parse().ok()?;
    lock(&shared.running).was_asked(op).then_some(op)
}

/// The operation whose trace this is: the second part of a `traceparent` (W3C Trace Context).
fn by_trace(shared: &Shared, headers: &HeaderMap) -> Option<OperationId> {
    let value = headers.get("traceparent")?.to_str().ok()?;
    let trace = value.trim().split('-').nth(1)?;
    lock(&shared.traces).get(trace).copied()
}

/// Splits `/op-7/send` into the operation and `/send`.
fn marked(path: &str) -> Option<(OperationId, &str)> {
    let path = path.strip_prefix('/')?;
    let end = path.find('/').unwrap_or(path.len());
    let (marker, rest) = path.split_at(end);
    let op = marker.parse().ok()?;
    Some((op, if rest.is_empty() { "/" } else { rest }))
}

/// A key without the quotes that the draft puts around it: it is handed over bare.
fn unquoted(key: &str) -> &str {
    let inner = key.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::evidence::Recorder;
    use crate::upstream::Limits;
    use crate::world::{VirtualWorld, World};

    fn shared(running: &[u32]) -> Shared {
        let limits = Limits {
            calls: 10,
            connections: 10,
            bytes: 10,
            time: Duration::ZERO,
        };
        let shared = Shared::new(VirtualWorld::default().start_clock(), Recorder::new(), 1, limits);
        for op in running {
            lock(&shared.running).insert(OperationId(*op));
        }
        shared
    }

    fn check(shared: &Shared, path: &str, keys: &[&str], expected: (Option<u32>, Attribution, &str)) {
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let is = attribute(
            shared,
            &Sight {
                point: &"loan".into(),
                method: "GET",
                path,
                keys: &keys,
                headers: &HeaderMap::new(),
            },
        );
        assert_eq!((is.op.map(|op| op.0), is.by, is.path), expected);
    }

    #[tokio::test]
    async fn the_marker_goes_before_the_key_and_the_key_before_being_alone() {
        let shared = shared(&[7, 8]);
        shared.note_key("k8", OperationId(8));
        check(
            &shared,
            "/op-7/send",
            &["k8"],
            (Some(7), Attribution::Url, "/send"),
        );
        check(&shared, "/op-7", &[], (Some(7), Attribution::Url, "/"));
        check(&shared, "/send", &["k8"], (Some(8), Attribution::Key, "/send"));
        check(&shared, "/send", &[], (None, Attribution::Nothing, "/send"));
        lock(&shared.running).remove(&OperationId(8));
        check(&shared, "/send", &[], (Some(7), Attribution::Alone, "/send"));
    }

    #[tokio::test]
    async fn a_look_at_the_health_of_a_dependency_is_nobodys() {
        let shared = shared(&[7]);
        shared.note_request(OperationId(7), "GET", "/send?to=a");
        check(&shared, "/healthz", &[], (None, Attribution::Nothing, "/healthz"));
        check(&shared, "/send", &[], (Some(7), Attribution::Alone, "/send"));
        let look = attribute(
            &shared,
            &Sight {
                point: &"loan".into(),
                method: "HEAD",
                path: "/send",
                keys: &[],
                headers: &HeaderMap::new(),
            },
        );
        assert_eq!((look.op, look.by), (None, Attribution::Nothing));
    }

    #[tokio::test]
    async fn a_call_after_its_operation_ended_is_still_its_own() {
        let shared = shared(&[7]);
        lock(&shared.running).remove(&OperationId(7));
        check(&shared, "/op-7/send", &[], (Some(7), Attribution::Url, "/send"));
    }

    #[tokio::test]
    async fn a_marker_of_an_operation_never_asked_makes_a_side_call() {
        let shared = shared(&[7]);
        check(
            &shared,
            "/op-9/send",
            &[],
            (None, Attribution::Nothing, "/op-9/send"),
        );
    }

    #[tokio::test]
    async fn a_key_that_two_operations_share_tells_nobody_apart() {
        let shared = shared(&[1, 2]);
        shared.note_key("same", OperationId(1));
        shared.note_key("same", OperationId(2));
        check(&shared, "/send", &["same"], (None, Attribution::Nothing, "/send"));
    }

    #[tokio::test]
    async fn a_mark_that_is_passed_on_tells_operations_apart() {
        let shared = shared(&[7, 8]);
        shared.note_trace("4bf92f", OperationId(8));
        let by = |name: &'static str, value: &'static str| {
            let headers = HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
            let is = attribute(
                &shared,
                &Sight {
                    point: &"loan".into(),
                    method: "GET",
                    path: "/send",
                    keys: &[],
                    headers: &headers,
                },
            );
            (is.op.map(|op| op.0), is.by)
        };
        let nobody = (None, Attribution::Nothing);
        assert_eq!(
            by("traceparent", "00-4bf92f-11-01"),
            (Some(8), Attribution::Trace)
        );
        assert_eq!(by("traceparent", "00-other-11-01"), nobody);
        assert_eq!(by("x-request-id", "op-7"), nobody);
        shared.invocation.set("x-request-id".to_owned()).unwrap();
        assert_eq!(by("x-request-id", "op-7"), (Some(7), Attribution::Invocation));
        assert_eq!(by("x-request-id", "op-9"), nobody);
    }

    #[tokio::test]
    async fn what_comes_before_any_operation_goes_on_and_is_none_of_one() {
        let quiet = shared(&[]);
        quiet.own_request("GET", "/loan");
        for path in ["/health", "/loan"] {
            check(&quiet, path, &[], (None, Attribution::Nothing, path));
        }
        lock(&quiet.running).insert(OperationId(1));
        check(&quiet, "/health", &[], (None, Attribution::Nothing, "/health"));
        check(&quiet, "/notify", &[], (Some(1), Attribution::Alone, "/notify"));
        // Nobody can tell a check from the operation where they ask for the same.
        check(&quiet, "/loan", &[], (Some(1), Attribution::Alone, "/loan"));
        // What comes between operations may be a late call of one, and is learnt nothing from.
        lock(&quiet.running).remove(&OperationId(1));
        check(&quiet, "/late", &[], (None, Attribution::Nothing, "/late"));
        lock(&quiet.running).insert(OperationId(2));
        check(&quiet, "/late", &[], (Some(2), Attribution::Alone, "/late"));
    }
}
