//! A report made by hand, for the tests of this room.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::model::{AskedAt, LeftOut, ReportedFinding, SuiteReport, TrialReport};
use crate::evidence::{Arrival, Attribution, Evidence, Fact};
use crate::judge::{
    DependencyCounts, Figures, Finding, FleetCounts, Grade, LayerCounts, Level, Segment, Split, TrialCounts,
    Verdict,
};
use crate::source::{Source, Span};
use crate::term::{
    CallId, ConnId, Effect, LayerRole, OperationId, Role, Sha256, Stamp, StampedBy, StopReason, Time,
};

const TEXT: &str = "title: Lost\n  - {times: 1, answer: {status: 503, retry_after: 3s}}\n";

/// One failed trial.
pub(crate) fn report() -> SuiteReport {
    SuiteReport {
        harness: "0.1.0".to_owned(),
        client: "reference".to_owned(),
        client_versions: vec!["0.1.0".to_owned()],
        seed: Some(7),
        trials: vec![trial()],
        expected: Vec::new(),
        stale: Vec::new(),
        deselected: Vec::new(),
        shard: None,
        missing: Vec::new(),
        snapshots: Vec::new(),
        interrupted: false,
    }
}

/// A trial whose second call came early.
pub(crate) fn trial() -> TrialReport {
    TrialReport {
        trial: "lost-ack".to_owned(),
        scenario: "lost-ack".to_owned(),
        title: "The acknowledgment is lost".to_owned(),
        source: Arc::new(Source::new("lost-ack.yaml", TEXT)),
        time: Time::Real,
        verdict: Verdict::Fail,
        because: None,
        known: None,
        not_run: false,
        acted: true,
        runs: BTreeMap::new(),
        findings: vec![ReportedFinding {
            finding: early(),
            known: None,
            asked: Some(AskedAt {
                place: "lost-ack.yaml:2".to_owned(),
                line: "- {times: 1, answer: {status: 503, retry_after: 3s}}".to_owned(),
            }),
        }],
        counts: counts(),
        figures: figures(),
        left_out: vec![LeftOut {
            operation: OperationId(2),
            request: "POST /send".to_owned(),
            because: "the client can only GET".to_owned(),
        }],
        evidence: Arc::new(Evidence::fold(facts())),
        repeat: "retrial run lost-ack --seed 7".to_owned(),
        evidence_file: None,
        took: Duration::from_millis(1500),
        remarks: Vec::new(),
    }
}

fn early() -> Finding {
    Finding {
        check: "pushback.honoured".to_owned(),
        level: Level::Promised,
        grade: Grade::Fail,
        because: "call 2 came 12 ms after the 503; the server had asked for 3 s".to_owned(),
        operations: vec![OperationId(1)],
        calls: vec![CallId(1), CallId(2)],
        span: Some(Span { start: 14, end: 60 }),
        cites: vec!["rfc9110-10.2.3".to_owned()],
    }
}

fn counts() -> TrialCounts {
    let dependency = DependencyCounts {
        calls: 2,
        delivered: 1,
        acknowledged: 1,
        operations: 1,
        multiplier_per_mille: 2000,
        ..DependencyCounts::default()
    };
    TrialCounts {
        operations: 1,
        stop_reasons: [(StopReason::Ok, 1)].into(),
        dependencies: [("notification".to_owned(), dependency)].into(),
        side_calls: 0,
        ..TrialCounts::default()
    }
}

fn figures() -> Figures {
    Figures {
        operations: 1,
        succeeded_after_retry: 1,
        attempts: [(2, 1)].into(),
        calls: 2,
        retries: 1,
        retries_after: [("503".to_owned(), 1)].into(),
        added_latency_ms: 11,
        worst_added_latency_ms: 11,
        oldest_pending_ms: 23,
        ..Figures::default()
    }
}

fn facts() -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(answered(1, 10, 503, Some("3")));
    facts.extend(answered(2, 22, 200, None));
    facts
}

fn answered(call: u32, at_ms: u64, status: u16, retry_after: Option<&str>) -> [Fact; 3] {
    let arrival = Arrival {
        call: CallId(call),
        op: Some(OperationId(1)),
        by: Attribution::Url,
        role: Role::Attempt,
        point: "notification".into(),
        conn: ConnId(1),
        nth_on_conn: call,
        protocol: "HTTP/1.1".into(),
        method: "POST".into(),
        path: "/send".into(),
        query: None,
        keys: Vec::new(),
        lacks: Vec::new(),
        head_sha256: Sha256::default(),
        at: Stamp::from_ms(at_ms),
        stamped_by: StampedBy::Program,
        turn: Some(call - 1),
        outage: None,
        overflow: false,
        queued_us: 0,
        effect: Effect::Applied,
    };
    let began = Fact::AnswerBegan {
        call: CallId(call),
        at: Stamp::from_ms(at_ms),
        status: Some(status),
        asked_wait_ms: retry_after.map(|_| 3000),
        asked_until: None,
        retry_after: retry_after.map(str::to_owned),
    };
    let ended = Fact::AnswerEnded {
        call: CallId(call),
        at: Stamp::from_ms(at_ms + 1),
        complete: true,
        cut: None,
    };
    [Fact::Arrived(Box::new(arrival)), began, ended]
}

/// Two layers, of which the lower was asked three times.
pub(crate) fn layers() -> Vec<LayerCounts> {
    let layer = |name: &str, role, calls| LayerCounts {
        name: name.to_owned(),
        role,
        calls,
        acknowledged: 1,
        multiplier_per_mille: calls * 1000,
    };
    vec![
        layer("front", LayerRole::Gateway, 1),
        layer("a-loan", LayerRole::Service, 3),
    ]
}

/// Two clients, one of which was started anew.
pub(crate) fn fleet() -> FleetCounts {
    FleetCounts {
        clients: 2,
        processes: 3,
        operations: 6,
        calls: 18,
        one_process_may: Some(8),
    }
}

/// The way from the caller down to a dependency.
pub(crate) fn segments() -> Vec<Segment> {
    let segment = |from: Option<&str>, to: &str, above, calls| Segment {
        from: from.map(str::to_owned),
        to: to.to_owned(),
        above,
        calls,
        unmarked: 0,
        side_calls: 1,
        split: None,
    };
    let mut last = segment(Some("a-loan"), "notification", 3, 9);
    last.split = Some(Split {
        by: "membership".to_owned(),
        calls: 3,
    });
    vec![
        segment(None, "front", 1, 1),
        segment(Some("front"), "a-loan", 1, 3),
        last,
    ]
}
