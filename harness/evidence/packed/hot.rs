//! The facts that every call makes, written by hand: a general writer takes five times as many instructions for them.
//!
//! Each begins with a byte that tells which it is. The layout is nobody else's: it lives in memory, for one trial.

use super::bytes::{Reading, text};
use super::coded::Coded;
use super::head;
use crate::evidence::{Arrival, Digest, EffectOutcome, Fact};
use crate::term::{CallId, Sha256, Stamp};

/// A fact that is written by postcard.
pub(super) const OTHER: u8 = 0;
const ARRIVED: u8 = 1;
const BODY_READ: u8 = 2;
const EFFECT_DONE: u8 = 3;
const ANSWER_BEGAN: u8 = 4;
const ANSWER_ENDED: u8 = 5;

/// Writes a fact, where it is of those that every call makes; false, and nothing is written, where it is not.
#[inline(always)]
pub(super) fn write(fact: &Fact, to: &mut Vec<u8>) -> bool {
    match fact {
        Fact::Arrived(arrival) => write_head(&**arrival, to),
        Fact::BodyRead { call, body } => body_read(*call, body, to),
        Fact::EffectDone { call, at, effect } => at_call(EFFECT_DONE, effect.code(), *call, *at, to),
        Fact::AnswerBegan {
            call,
            at,
            status,
            asked_wait_ms,
            asked_until,
            retry_after,
        } => {
            let has = [
                status.is_some(),
                asked_wait_ms.is_some(),
                asked_until.is_some(),
                retry_after.is_some(),
            ];
            at_call(ANSWER_BEGAN, bits(has), *call, *at, to);
            if let Some(status) = status {
                to.extend_from_slice(&status.to_le_bytes());
            }
            for number in [*asked_wait_ms, asked_until.map(Stamp::us)].into_iter().flatten() {
                to.extend_from_slice(&number.to_le_bytes());
            }
            if let Some(written) = retry_after {
                text(to, written);
            }
        }
        Fact::AnswerEnded {
            call,
            at,
            complete,
            cut: None,
        } => at_call(ANSWER_ENDED, u8::from(*complete), *call, *at, to),
        _ => return false,
    }
    true
}

/// Writes that a head arrived.
pub(super) fn write_head<P: AsRef<str>, T: AsRef<str>>(head: &Arrival<P, T>, to: &mut Vec<u8>) {
    to.push(ARRIVED);
    head::write(head, to);
}

/// Reads what [`write`] wrote behind this first byte.
pub(super) fn read(kind: u8, from: &mut Reading<'_>) -> Option<Fact> {
    match kind {
        ARRIVED => Some(Fact::Arrived(Box::new(head::read(from)?))),
        BODY_READ => read_body(from),
        EFFECT_DONE => {
            let (effect, call, at) = call_at(from)?;
            let effect = EffectOutcome::of(effect)?;
            Some(Fact::EffectDone { call, at, effect })
        }
        ANSWER_BEGAN => read_answer_began(from),
        ANSWER_ENDED => {
            let (complete, call, at) = call_at(from)?;
            Some(Fact::AnswerEnded {
                call,
                at,
                complete: complete != 0,
                cut: None,
            })
        }
        _ => None,
    }
}

/// Flags as a byte, the first as its lowest bit.
pub(super) fn bits<const N: usize>(flags: [bool; N]) -> u8 {
    const { assert!(N <= 8) };
    let set = |(n, is): (usize, bool)| u8::from(is) << n;
    flags.into_iter().enumerate().map(set).sum()
}

/// Whether a byte has the flag of this number.
pub(super) fn has(bits: u8, n: u32) -> bool {
    bits >> n & 1 == 1
}

/// Writes a kind of fact, one byte more about it, its call, and its moment.
fn at_call(kind: u8, more: u8, call: CallId, at: Stamp, to: &mut Vec<u8>) {
    let mut bytes = [0; 14];
    (bytes[0], bytes[1]) = (kind, more);
    bytes[2..6].copy_from_slice(&call.0.to_le_bytes());
    bytes[6..].copy_from_slice(&at.us().to_le_bytes());
    to.extend_from_slice(&bytes);
}

fn call_at(from: &mut Reading<'_>) -> Option<(u8, CallId, Stamp)> {
    let [more] = from.array()?;
    Some((more, CallId(from.u32()?), Stamp::from_us(from.u64()?)))
}

fn body_read(call: CallId, body: &Digest, to: &mut Vec<u8>) {
    let known = body.len == 0 && body.sha256 == Sha256::default();
    let mut bytes = [0; 6];
    (bytes[0], bytes[1]) = (BODY_READ, bits([body.complete, known]));
    bytes[2..].copy_from_slice(&call.0.to_le_bytes());
    to.extend_from_slice(&bytes);
    if !known {
        to.extend_from_slice(&body.len.to_le_bytes());
        to.extend_from_slice(body.sha256.bytes());
    }
}

fn read_body(from: &mut Reading<'_>) -> Option<Fact> {
    let ([more], call) = (from.array()?, CallId(from.u32()?));
    let (len, sha256) = match has(more, 1) {
        true => (0, Sha256::default()),
        false => (from.u64()?, from.sha256()?),
    };
    let body = Digest {
        len,
        sha256,
        complete: has(more, 0),
    };
    Some(Fact::BodyRead { call, body })
}

fn read_answer_began(from: &mut Reading<'_>) -> Option<Fact> {
    let (more, call, at) = call_at(from)?;
    Some(Fact::AnswerBegan {
        call,
        at,
        status: from.where_there(has(more, 0), Reading::u16)?,
        asked_wait_ms: from.where_there(has(more, 1), Reading::u64)?,
        asked_until: from.where_there(has(more, 2), Reading::u64)?.map(Stamp::from_us),
        retry_after: from.where_there(has(more, 3), Reading::text)?.map(str::to_owned),
    })
}
