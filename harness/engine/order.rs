//! What a client is told of an operation: URLs with its marker, its key, its body.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::layers::Entry;
use crate::client::protocol::Order;
use crate::scenario::{KeyPlan, Planned, RequestBody};
use crate::term::{Name, OperationId};
use crate::upstream::Shared;

/// Makes an operation's order. `authorities` says where the dependencies are served; `None`: it goes where none is.
pub(super) fn order(
    planned: Planned<'_>,
    authorities: &BTreeMap<Name, String>,
    seed: u64,
    keys_given: bool,
    deadline_passed: bool,
) -> Option<Order> {
    let (op, request) = (planned.id, planned.request());
    let base = |name: &Name| Some(format!("http://{}/{op}", authorities.get(name)?));
    let bases: Vec<String> = request.to.iter().map(base).collect::<Option<_>>()?;
    let urls: Vec<String> = bases
        .iter()
        .map(|base| format!("{base}{}", request.path))
        .collect();
    let (base_url, url) = (bases.first().cloned()?, urls.first().cloned()?);
    let deadline = planned.group.deadline.filter(|_| deadline_passed);
    Some(Order {
        op,
        method: request.method.clone(),
        url,
        base_url,
        urls,
        headers: request.headers.clone(),
        body_base64: request.body.as_ref().map(base64_of),
        stream: request.stream,
        key: request
            .key
            .as_ref()
            .filter(|_| keys_given)
            .map(|plan| key(plan, seed, op)),
        deadline_ms: deadline.map(|d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX)),
    })
}

/// Sends an operation to the entry of a client's layers: the path as it is, and marks that layers may pass on.
pub(super) fn at_entry(order: &mut Order, entry: &Entry, seed: u64, shared: &Shared) {
    let path = order.url.strip_prefix(&order.base_url).unwrap_or_default();
    let base_url = format!("http://{}", entry.authority);
    order.url = format!("{base_url}{path}");
    order.urls = vec![order.url.clone()];
    order.base_url = base_url;
    let trace = trace(seed, order.op);
    shared.note_trace(&trace, order.op);
    let span = &trace[..16];
    mark(order, "traceparent", format!("00-{trace}-{span}-01"));
    if let Some(header) = &entry.invocation {
        mark(order, header, order.op.to_string());
    }
}

/// Adds a header, unless the scenario has one of that name.
fn mark(order: &mut Order, name: &str, value: String) {
    let there = order.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
    if !there {
        order.headers.push((name.to_owned(), value));
    }
}

/// The trace id of an operation (W3C Trace Context): the same for one seed, and never all zeros.
fn trace(seed: u64, op: OperationId) -> String {
    let digest = Sha256::digest(format!("{seed} trace {op}"));
    digest[..16].iter().map(|b| format!("{b:02x}")).collect()
}

fn base64_of(body: &RequestBody) -> String {
    match body {
        RequestBody::Text(text) => BASE64_STANDARD.encode(text),
        RequestBody::Zeros(n) => BASE64_STANDARD.encode(vec![0; usize::try_from(*n).unwrap_or(usize::MAX)]),
    }
}

/// The key that a plan stands for: the same for one seed, in the form of a UUID of version 8 (RFC 9562).
fn key(plan: &KeyPlan, seed: u64, op: OperationId) -> String {
    let text = match plan {
        KeyPlan::Own => format!("{seed} own {op}"),
        KeyPlan::Shared(name) => format!("{seed} shared {name}"),
    };
    let digest = Sha256::digest(text);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = 0x80 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let hex = |part: &[u8]| part.iter().map(|b| format!("{b:02x}")).collect::<String>();
    [
        &bytes[..4],
        &bytes[4..6],
        &bytes[6..8],
        &bytes[8..10],
        &bytes[10..],
    ]
    .map(hex)
    .join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_an_operations_own_or_shared_by_name() {
        let own = |op| key(&KeyPlan::Own, 7, OperationId(op));
        let shared = |op| key(&KeyPlan::Shared("a".into()), 7, OperationId(op));
        assert_eq!(own(1), own(1));
        assert_ne!(own(1), own(2));
        assert_eq!(shared(1), shared(2));
        assert_ne!(own(1), key(&KeyPlan::Own, 8, OperationId(1)));
    }

    #[test]
    fn a_key_has_the_form_of_a_uuid() {
        let key = key(&KeyPlan::Own, 1, OperationId(1));
        let parts: Vec<usize> = key.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(&key[14..15], "8");
    }
}
