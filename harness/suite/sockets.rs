//! What of a trial only real sockets show, or a process of its own: the rule by which time is chosen.
//!
//! A fault is either something that is *said or left unsaid* (a status, a wish for a wait, an effect, a key, a
//! silence) or something that is *done to a connection*. The first costs nothing but waiting, and waiting is free in
//! virtual time. The second is the system's doing: a memory pipe can only play what somebody thought of, so it is tried
//! on the system itself, along with what belongs to a process and with answers that race with the request's body.
//!
//! | real sockets | virtual time |
//! |---|---|
//! | a time zone; kept connections | keys, bodies, deadlines, several operations and targets |
//! | connections refused or left unanswered | silence in an outage, answers in an outage, capacity |
//! | every cut by FIN or RST, and any at the request | a silence before, in or after the answer |
//! | raw bytes, early answers, answers that end with or talk of their connection | all other answers, also late or slow |

use crate::scenario::{Answer, Cut, Dependency, Down, Framing, Need, Trial, Turn};
use crate::term::{CutBy, Place};

/// What of this trial only real sockets or a process show, as a clause; `None` where nothing costs but waiting.
pub(super) fn needs_sockets(trial: &Trial) -> Option<&'static str> {
    let zone = trial.zone.as_ref().map(|_| "a time zone belongs to a process");
    let needs = || trial.needs.iter().find_map(|need| of_need(*need));
    zone.or_else(needs)
        .or_else(|| trial.dependencies.iter().find_map(of_dependency))
}

fn of_need(need: Need) -> Option<&'static str> {
    match need {
        Need::ConnectionReuse => Some("connections are kept by a transport"),
        Need::Layers(_) => Some("layers are processes"),
        Need::Key
        | Need::Body
        | Need::Concurrency
        | Need::Deadline
        | Need::SeveralTargets
        | Need::Refresh => None,
    }
}

fn of_dependency(dependency: &Dependency) -> Option<&'static str> {
    let outages = dependency.outages.iter().find_map(|outage| of_outage(&outage.be));
    let turns = || dependency.turns.iter().find_map(of_turn);
    let gates = || dependency.answers_at_gates().find_map(of_answer);
    outages.or_else(turns).or_else(gates)
}

fn of_outage(down: &Down) -> Option<&'static str> {
    match down {
        Down::Refused => Some("connections are refused"),
        Down::BlackHole => Some("requests for connections are not answered"),
        // The answer itself is looked at with the other answers.
        Down::Hang | Down::Answer(_) => None,
    }
}

fn of_turn(turn: &Turn) -> Option<&'static str> {
    let raw = turn.raw.as_ref().map(|_| "raw bytes are sent");
    let cut = turn.cut.and_then(of_cut);
    raw.or(cut).or_else(|| turn.answer.as_ref().and_then(of_answer))
}

fn of_cut(cut: Cut) -> Option<&'static str> {
    match (cut.by, cut.at) {
        (CutBy::Fin, _) => Some("a connection is closed"),
        (CutBy::Rst, _) => Some("a connection is reset"),
        (CutBy::Hang, Place::Accept | Place::RequestHead | Place::RequestBody(_)) => {
            Some("a request is not read to its end")
        }
        (
            CutBy::Hang,
            Place::BeforeAnswer
            | Place::StatusLine(_)
            | Place::Headers(_)
            | Place::Body(_)
            | Place::AfterAnswer
            | Place::Idle(_),
        ) => None,
    }
}

fn of_answer(answer: &Answer) -> Option<&'static str> {
    if answer.early {
        return Some("an answer races with the request's body");
    }
    let closes = match answer.framing {
        Framing::Close => true,
        Framing::Sized | Framing::Chunked => false,
    };
    (closes || answer.keep_alive.is_some()).then_some("an answer decides over its connection")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::scenario;
    use crate::source::Source;

    fn trial(head: &str, dependency: &str) -> Trial {
        let yaml = format!(
            "version: 1\ntitle: t\n{head}dependencies: {{d: {dependency}}}\n\
             operations: [{{request: {{method: PUT, to: [d], path: /, key: own, body: {{zeros: 9}}}}}}]\n"
        );
        let loaded = scenario::load(Arc::new(Source::new("f.yaml", yaml)), "f");
        loaded.expect("a sound scenario").remove(0)
    }

    fn turn(turn: &str) -> Trial {
        trial(
            "",
            &format!("{{script: [{{times: 1, {turn}}}, {{answer: {{status: 200}}}}]}}"),
        )
    }

    #[test]
    fn what_only_costs_waiting_needs_no_sockets() {
        for said in [
            "answer: {status: 503, retry_after: 3s}",
            "takes: 9s, effect: begun, answer: {status: 503, after: 1h}",
            "answer: {status: 200, body: {zeros: 9}, framing: chunked, drip: {bytes: 1, every: 1s}}",
            "cut: {at: before_answer, by: hang}",
            "answer: {status: 200, body: {zeros: 9}}, cut: {at: {body: 3}, by: hang}",
        ] {
            assert_eq!(needs_sockets(&turn(said)), None, "{said}");
        }
        for gated in [
            "{}",
            "{outages: [{from: 0s, until: 5s, be: hang}]}",
            "{outages: [{from: 0s, until: 5s, be: {answer: {status: 503}}}]}",
            "{capacity: {accept: {at_once: 2}, overflow: {status: 503}}, script: [{answer: {status: 200}}]}",
            "{keys: {header: K, keep: 1s}, script: [{answer: {status: 200}}]}",
        ] {
            assert_eq!(needs_sockets(&trial("needs: [key]\n", gated)), None, "{gated}");
        }
    }

    #[test]
    fn what_is_done_to_a_connection_needs_sockets() {
        for done in [
            "cut: {at: accept, by: fin}",
            "cut: {at: accept, by: hang}",
            "cut: {at: {request_body: 3}, by: hang}",
            "cut: {at: before_answer, by: rst}",
            "answer: {status: 200}, cut: {at: {idle: 1s}, by: fin}",
            "raw: junk",
            "answer: {status: 413, early: true}",
            "answer: {status: 200, framing: close}",
            "answer: {status: 503, keep_alive: false}",
        ] {
            assert!(needs_sockets(&turn(done)).is_some(), "{done}");
        }
        for gated in [
            "{outages: [{from: 0s, until: 5s, be: refused}]}",
            "{outages: [{from: 0s, until: 5s, be: black_hole}]}",
            "{outages: [{from: 0s, be: {answer: {status: 503, keep_alive: false}}}]}",
        ] {
            assert!(needs_sockets(&trial("", gated)).is_some(), "{gated}");
        }
    }

    #[test]
    fn what_belongs_to_a_process_needs_one() {
        assert!(needs_sockets(&trial("vary: {zones: [UTC]}\n", "{}")).is_some());
        assert!(needs_sockets(&trial("needs: [connection_reuse]\n", "{}")).is_some());
    }
}
