//! Calls without a mark that are no operation's, although nothing else ran when they came: the health checks of a gateway.
//!
//! Every operation is handed to the entry of a client's layers with a mark, and a gateway hands on the headers of what it
//! passes on. Where the calls below one carry the mark, a call without it is one that the gateway makes of its own accord.
//! A service makes requests of its own, marked or not, so nothing is known of those below one.

use std::collections::BTreeSet;

use super::{Attribution, Call, Evidence};
use crate::term::{LayerRole, Name, OperationId, Role};

/// Makes side calls of them.
pub(super) fn set_apart(evidence: &mut Evidence) {
    let Some(entry) = evidence.layers.first().map(|layer| layer.name.clone()) else {
        return;
    };
    let marked = |call: &&Call| matches!(call.head.by, Attribution::Trace | Attribution::Invocation);
    // An operation whose mark did not reach the entry, since the scenario has one of its own, is known by being alone only.
    let at_entry = evidence.passed.iter().filter(|c| c.head.point == entry);
    let handed: BTreeSet<OperationId> = at_entry.filter(marked).filter_map(|c| c.head.op).collect();
    let all = evidence.passed.iter().chain(&evidence.calls);
    let marks: BTreeSet<Name> = all.filter(marked).map(|c| c.head.point.clone()).collect();
    let passed_on = |point: &Name| marks.contains(point) && is_handed_on_to(evidence, point);
    let own: BTreeSet<Name> = marks.iter().filter(|p| passed_on(p)).cloned().collect();
    for call in evidence.passed.iter_mut().chain(&mut evidence.calls) {
        let of_handed = call.head.op.is_some_and(|op| handed.contains(&op));
        if call.head.by == Attribution::Alone && of_handed && own.contains(&call.head.point) {
            call.head.op = None;
            call.head.by = Attribution::Nothing;
            call.head.role = Role::Side;
        }
    }
}

/// Whether all that comes to a point for an operation was handed on as it was, headers and all.
fn is_handed_on_to(evidence: &Evidence, point: &Name) -> bool {
    let place = evidence.layers.iter().position(|layer| layer.name == *point);
    let above = match place {
        // The caller hands over with a mark.
        Some(0) => return true,
        Some(place) => evidence.layers.get(place - 1),
        None => evidence.layers.last(),
    };
    above.is_some_and(|layer| layer.role == LayerRole::Gateway)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Arrival, Fact};
    use crate::term::{CallId, ConnId, Effect, Sha256, Stamp, StampedBy};

    /// A gateway before a service, and calls: the operation, where and how it is known.
    fn seen(calls: &[(u32, &str, Attribution)]) -> Vec<(Option<u32>, Role)> {
        let layer = |point: &str, role| Fact::LayerServed {
            point: point.into(),
            role,
            base: String::new(),
        };
        let mut facts = vec![
            layer("loan", LayerRole::Service),
            layer("front", LayerRole::Gateway),
        ];
        let call = |(nth, (op, point, by)): (u32, &(u32, &str, Attribution))| {
            Fact::Arrived(Box::new(Arrival {
                call: CallId(nth),
                op: Some(OperationId(*op)),
                by: *by,
                role: Role::Attempt,
                point: (*point).into(),
                conn: ConnId(nth),
                nth_on_conn: 1,
                protocol: "HTTP/1.1".into(),
                method: "GET".into(),
                path: "/".into(),
                query: None,
                keys: Vec::new(),
                lacks: Vec::new(),
                head_sha256: Sha256::default(),
                at: Stamp::from_ms(u64::from(nth)),
                stamped_by: StampedBy::Program,
                turn: None,
                outage: None,
                overflow: false,
                queued_us: 0,
                effect: Effect::None,
            }))
        };
        facts.extend((1..).zip(calls).map(call));
        let evidence = Evidence::fold(&facts);
        let mut all: Vec<&Call> = evidence.passed.iter().chain(&evidence.calls).collect();
        all.sort_by_key(|call| call.id());
        let what = |call: &Call| (call.head.op.map(|op| op.0), call.head.role);
        all.into_iter().map(what).collect()
    }

    const SIDE: (Option<u32>, Role) = (None, Role::Side);
    const OF_1: (Option<u32>, Role) = (Some(1), Role::Attempt);
    const OF_2: (Option<u32>, Role) = (Some(2), Role::Attempt);

    use Attribution::{Alone, Invocation, Trace};

    #[test]
    fn a_gateways_health_check_is_no_operations_where_its_calls_carry_a_mark() {
        for mark in [Trace, Invocation] {
            let calls = [(1, "front", mark), (1, "loan", Alone), (1, "loan", mark)];
            assert_eq!(seen(&calls), [OF_1, SIDE, OF_1]);
        }
    }

    #[test]
    fn what_watches_the_entry_is_no_operations_either() {
        let calls = [(1, "front", Alone), (1, "front", Trace)];
        assert_eq!(seen(&calls), [SIDE, OF_1]);
    }

    #[test]
    fn where_the_gateway_hands_on_no_mark_nobody_can_tell() {
        let calls = [(1, "front", Trace), (1, "loan", Alone), (1, "loan", Alone)];
        assert_eq!(seen(&calls), [OF_1; 3]);
    }

    #[test]
    fn a_service_may_mark_one_request_and_not_another() {
        let calls = [
            (1, "front", Trace),
            (1, "loan", Trace),
            (1, "membership", Trace),
            (1, "membership", Alone),
        ];
        assert_eq!(seen(&calls), [OF_1; 4]);
    }

    #[test]
    fn an_operation_whose_mark_is_the_scenarios_own_keeps_its_calls() {
        let calls = [
            (1, "front", Trace),
            (1, "loan", Trace),
            (2, "front", Alone),
            (2, "loan", Alone),
        ];
        assert_eq!(seen(&calls), [OF_1, OF_1, OF_2, OF_2]);
    }
}
