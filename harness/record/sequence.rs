//! Facts that cannot have happened in the order in which they are told.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::{Fact, is_call_beyond};
use crate::term::{CallId, OperationId, Place, ProcessId, Stamp};

/// No trial lasts for longer, also in virtual time: a year, in microseconds.
const LONGEST_US: u64 = 366 * 24 * 3_600 * 1_000_000;

/// More layers than a client's file can have.
const MOST_LAYERS: usize = 100;

/// What has been told so far.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    began: bool,
    layers: usize,
    /// Processes that have stood in the place of another.
    successors: BTreeSet<ProcessId>,
    calls: BTreeMap<CallId, Told>,
    asked: BTreeMap<OperationId, Stamp>,
}

/// What has been told of one call.
#[derive(Debug)]
struct Told {
    arrived: Stamp,
    /// Bits, one for each kind of fact that a call has once.
    once: u8,
}

impl Sequence {
    /// Takes the next fact, or says why it cannot come here: a lower-case sentence without a full stop.
    pub(super) fn take(&mut self, fact: &Fact) -> Result<(), String> {
        match fact {
            Fact::TrialBegan { .. } if self.began => return Err("the trial began before".to_owned()),
            Fact::TrialBegan { .. } => self.began = true,
            Fact::Asked { op, at, .. } => {
                sane(*at)?;
                if self.asked.insert(*op, *at).is_some() {
                    return Err(format!("{op} was asked before"));
                }
            }
            Fact::Arrived(head) => {
                sane(head.at)?;
                // Those are only counted.
                if is_call_beyond(head.call) {
                    return Ok(());
                }
                let (arrived, once) = (head.at, 0);
                if self.calls.insert(head.call, Told { arrived, once }).is_some() {
                    return Err(format!("{} arrived before", head.call));
                }
            }
            Fact::BodyRead { call, .. } => self.tell(*call, None, 1)?,
            Fact::Decided { call, at, .. } => self.tell(*call, Some(*at), 2)?,
            Fact::EffectDone { call, at, .. } => self.tell(*call, Some(*at), 4)?,
            Fact::AnswerBegan { call, at, .. } => self.tell(*call, Some(*at), 8)?,
            // The end of an idle connection, behind that of its last answer.
            Fact::AnswerEnded {
                call,
                at,
                cut: Some((Place::Idle(_), _)),
                ..
            } => self.tell(*call, Some(*at), 32)?,
            Fact::AnswerEnded { call, at, .. } => self.tell(*call, Some(*at), 16)?,
            Fact::PeerLeft { call, at } => self.tell(*call, Some(*at), 0)?,
            Fact::Reported { op, at, .. }
            | Fact::GaveNoResult { op, at }
            | Fact::CouldNotRun { op, at, .. } => {
                self.end(*op, *at)?;
            }
            Fact::LayerServed { .. } if self.layers == MOST_LAYERS => {
                return Err(format!("a client is made of at most {MOST_LAYERS} layers"));
            }
            Fact::LayerServed { .. } => self.layers += 1,
            Fact::ClientRestarted { at, successor, .. } => {
                sane(*at)?;
                if !self.successors.insert(*successor) {
                    return Err("this process was started before".to_owned());
                }
            }
            Fact::GateChanged { at, .. }
            | Fact::ClientReady { at, .. }
            | Fact::Cancelled { at, .. }
            | Fact::Connected { at, .. }
            | Fact::Unreadable { at, .. }
            | Fact::Talk { at, .. }
            | Fact::ClientBroke { at, .. }
            | Fact::ClientEnded { at, .. }
            | Fact::CeilingHit { at, .. }
            | Fact::WatchEnded { at }
            | Fact::Interrupted { at } => sane(*at)?,
            Fact::PointServed { .. } | Fact::LeftOut { .. } | Fact::Lagged { .. } => {}
        }
        Ok(())
    }

    /// A fact about a call, which has it once where `bit` is not 0.
    fn tell(&mut self, call: CallId, at: Option<Stamp>, bit: u8) -> Result<(), String> {
        sane(at.unwrap_or_default())?;
        if is_call_beyond(call) {
            return Ok(());
        }
        let Some(told) = self.calls.get_mut(&call) else {
            return Err(format!("{call} has not arrived"));
        };
        if told.once & bit != 0 {
            return Err(format!("this was told of {call} before"));
        }
        if at.is_some_and(|at| at < told.arrived) {
            return Err(format!("this is earlier than the arrival of {call}"));
        }
        told.once |= bit;
        Ok(())
    }

    /// The end of an operation.
    fn end(&self, op: OperationId, at: Stamp) -> Result<(), String> {
        sane(at)?;
        match self.asked.get(&op) {
            Some(asked) if at < *asked => Err(format!("{op} ends before it was asked")),
            Some(_) => Ok(()),
            None => Err(format!("{op} has not been asked")),
        }
    }
}

fn sane(at: Stamp) -> Result<(), String> {
    match at.us() > LONGEST_US {
        true => Err("its stamp lies more than a year after the beginning".to_owned()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::term::CutBy;

    const LINES: [&str; 5] = [
        r#"{"trial_began":{"unix_us":5}}"#,
        r#"{"asked":{"op":"op-1","at":4,"deadline_ms":null,"key":null}}"#,
        r#"{"arrived":{"call":1,"op":"op-1","by":"url","role":"attempt","point":"quota","conn":2,"nth_on_conn":1,"protocol":"HTTP/1.1","method":"GET","path":"/","query":null,"keys":[],"head_sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","at":7,"turn":0,"outage":null,"effect":"none"}}"#,
        r#"{"answer_began":{"call":1,"at":9,"status":503,"asked_wait_ms":null,"asked_until":null,"retry_after":null}}"#,
        r#"{"reported":{"op":"op-1","at":13,"result":{"claim":"ok","status":200,"attempts":2,"stop":"ok","body_sha256":null,"error":null}}}"#,
    ];

    fn told(lines: &[String]) -> Result<(), String> {
        let mut sequence = Sequence::default();
        let mut facts = lines
            .iter()
            .map(|line| serde_json::from_str(line).expect("a fact"));
        facts.try_for_each(|fact: Fact| sequence.take(&fact))
    }

    fn lines() -> Vec<String> {
        LINES.map(str::to_owned).to_vec()
    }

    #[test]
    fn what_happened_can_have_happened_and_a_second_result_is_the_adapters_fault() {
        assert_eq!(told(&lines()), Ok(()));
        assert_eq!(told(&[lines(), vec![LINES[4].to_owned()]].concat()), Ok(()));
    }

    #[test]
    fn nothing_is_told_twice() {
        let twice = |i: usize| {
            let mut lines = lines();
            lines.insert(i + 1, lines[i].clone());
            told(&lines).unwrap_err()
        };
        assert_eq!(twice(0), "the trial began before");
        assert_eq!(twice(1), "op-1 was asked before");
        assert_eq!(twice(2), "call 1 arrived before");
        assert_eq!(twice(3), "this was told of call 1 before");
    }

    #[test]
    fn an_idle_connection_ends_once_behind_its_last_answer() {
        let ended = |cut| {
            let (call, at) = (CallId(1), Stamp::from_us(10));
            let complete = true;
            let fact = Fact::AnswerEnded {
                call,
                at,
                complete,
                cut,
            };
            serde_json::to_string(&fact).expect("a line")
        };
        let idle = Place::Idle(Duration::from_millis(50));
        let (plain, idle) = (ended(None), ended(Some((idle, CutBy::Fin))));
        let behind = |more: &[&String]| {
            let more = more.iter().map(|line| (*line).clone());
            told(&lines().into_iter().take(4).chain(more).collect::<Vec<_>>())
        };
        assert_eq!(behind(&[&plain, &idle]), Ok(()));
        let before = Err("this was told of call 1 before".to_owned());
        assert_eq!(behind(&[&plain, &plain]), before);
        assert_eq!(behind(&[&plain, &idle, &idle]), before);
    }

    #[test]
    fn a_client_has_so_many_layers_and_a_process_starts_once() {
        let layer =
            r#"{"layer_served":{"point":"p","role":"service","base":"http://127.0.0.1:1"}}"#.to_owned();
        assert_eq!(told(&vec![layer.clone(); 100]), Ok(()));
        let many = told(&vec![layer; 101]).unwrap_err();
        assert_eq!(many, "a client is made of at most 100 layers");
        let restart = |process, successor| {
            format!(r#"{{"client_restarted":{{"at":5,"process":{process},"successor":{successor}}}}}"#)
        };
        assert_eq!(told(&[restart(1, 3), restart(2, 4), restart(3, 5)]), Ok(()));
        let again = told(&[restart(1, 3), restart(2, 3)]).unwrap_err();
        assert_eq!(again, "this process was started before");
    }

    #[test]
    fn nothing_comes_before_what_it_follows() {
        let mut reversed = lines();
        reversed.reverse();
        assert_eq!(told(&reversed).unwrap_err(), "op-1 has not been asked");
        let mut swapped = lines();
        swapped.swap(2, 3);
        assert_eq!(told(&swapped).unwrap_err(), "call 1 has not arrived");
        let changed = |i: usize, from: &str, to: &str| {
            let mut lines = lines();
            assert!(lines[i].contains(from));
            lines[i] = lines[i].replace(from, to);
            told(&lines).unwrap_err()
        };
        assert_eq!(
            changed(3, "\"at\":9", "\"at\":6"),
            "this is earlier than the arrival of call 1"
        );
        assert_eq!(
            changed(4, "\"at\":13", "\"at\":3"),
            "op-1 ends before it was asked"
        );
        let far = changed(3, "\"at\":9", "\"at\":9000000000000000");
        assert_eq!(far, "its stamp lies more than a year after the beginning");
    }
}
