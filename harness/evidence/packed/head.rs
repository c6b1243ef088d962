//! The head of a request, written by hand.

use super::bytes::{Reading, text, texts};
use super::coded::Coded;
use crate::evidence::{Arrival, Attribution};
use crate::term::{CallId, ConnId, Effect, OperationId, Role, Sha256, Stamp, StampedBy};

/// What nearly all requests speak; it is not written.
const USUAL_PROTOCOL: &str = "HTTP/1.1";

/// What few heads have; only that is written of it which is there. Bits of a number.
mod rare {
    pub const OPERATION: u16 = 1;
    pub const TURN: u16 = 1 << 1;
    pub const OUTAGE: u16 = 1 << 2;
    pub const OVERFLOW: u16 = 1 << 3;
    pub const QUEUED: u16 = 1 << 4;
    pub const QUERY: u16 = 1 << 5;
    pub const KEYS: u16 = 1 << 6;
    pub const LACKS: u16 = 1 << 7;
    pub const HEADERS: u16 = 1 << 8;
    pub const PROTOCOL: u16 = 1 << 9;
}

/// Writes a head.
pub(super) fn write<P: AsRef<str>, T: AsRef<str>>(head: &Arrival<P, T>, to: &mut Vec<u8>) {
    let has = has(head);
    to.extend_from_slice(&fixed(head, has));
    for number in [head.op.map(|op| op.0), head.turn, head.outage]
        .into_iter()
        .flatten()
    {
        to.extend_from_slice(&number.to_le_bytes());
    }
    if head.queued_us > 0 {
        to.extend_from_slice(&head.queued_us.to_le_bytes());
    }
    for always in [head.point.as_ref(), head.method.as_ref(), head.path.as_ref()] {
        text(to, always);
    }
    if let Some(query) = &head.query {
        text(to, query);
    }
    if has & rare::KEYS != 0 {
        texts(to, &head.keys);
    }
    if has & rare::LACKS != 0 {
        texts(to, &head.lacks);
    }
    if has & rare::HEADERS != 0 {
        to.extend_from_slice(head.head_sha256.bytes());
    }
    if has & rare::PROTOCOL != 0 {
        text(to, head.protocol.as_ref());
    }
}

/// Reads what [`write`] wrote.
pub(super) fn read(from: &mut Reading<'_>) -> Option<Arrival> {
    let [a, b] = from.array()?;
    let has = u16::from_le_bytes([a, b]);
    let is = |bit: u16| has & bit != 0;
    let [by, role, stamped_by, effect] = from.array()?;
    Some(Arrival {
        by: Attribution::of(by)?,
        role: Role::of(role)?,
        stamped_by: StampedBy::of(stamped_by)?,
        effect: Effect::of(effect)?,
        overflow: is(rare::OVERFLOW),
        call: CallId(from.u32()?),
        conn: ConnId(from.u32()?),
        nth_on_conn: from.u32()?,
        at: Stamp::from_us(from.u64()?),
        op: from
            .where_there(is(rare::OPERATION), Reading::u32)?
            .map(OperationId),
        turn: from.where_there(is(rare::TURN), Reading::u32)?,
        outage: from.where_there(is(rare::OUTAGE), Reading::u32)?,
        queued_us: from
            .where_there(is(rare::QUEUED), Reading::u64)?
            .unwrap_or_default(),
        point: from.text()?.into(),
        method: from.text()?.into(),
        path: from.text()?.into(),
        query: from
            .where_there(is(rare::QUERY), Reading::text)?
            .map(str::to_owned),
        keys: from
            .where_there(is(rare::KEYS), Reading::texts)?
            .unwrap_or_default(),
        lacks: from
            .where_there(is(rare::LACKS), Reading::texts)?
            .unwrap_or_default(),
        head_sha256: from
            .where_there(is(rare::HEADERS), Reading::sha256)?
            .unwrap_or_default(),
        protocol: from
            .where_there(is(rare::PROTOCOL), Reading::text)?
            .unwrap_or(USUAL_PROTOCOL)
            .into(),
    })
}

/// What is written of every head, in one piece.
fn fixed<P, T>(head: &Arrival<P, T>, has: u16) -> [u8; 26] {
    let mut bytes = [0; 26];
    bytes[..2].copy_from_slice(&has.to_le_bytes());
    let kinds = [
        head.by.code(),
        head.role.code(),
        head.stamped_by.code(),
        head.effect.code(),
    ];
    bytes[2..6].copy_from_slice(&kinds);
    bytes[6..10].copy_from_slice(&head.call.0.to_le_bytes());
    bytes[10..14].copy_from_slice(&head.conn.0.to_le_bytes());
    bytes[14..18].copy_from_slice(&head.nth_on_conn.to_le_bytes());
    bytes[18..].copy_from_slice(&head.at.us().to_le_bytes());
    bytes
}

/// Which rare things a head has.
fn has<P, T: AsRef<str>>(head: &Arrival<P, T>) -> u16 {
    let bit = |bit: u16, is: bool| if is { bit } else { 0 };
    bit(rare::OPERATION, head.op.is_some())
        | bit(rare::TURN, head.turn.is_some())
        | bit(rare::OUTAGE, head.outage.is_some())
        | bit(rare::OVERFLOW, head.overflow)
        | bit(rare::QUEUED, head.queued_us > 0)
        | bit(rare::QUERY, head.query.is_some())
        | bit(rare::KEYS, !head.keys.is_empty())
        | bit(rare::LACKS, !head.lacks.is_empty())
        | bit(rare::HEADERS, head.head_sha256 != Sha256::default())
        | bit(rare::PROTOCOL, head.protocol.as_ref() != USUAL_PROTOCOL)
}
