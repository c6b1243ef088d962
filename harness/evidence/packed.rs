//! Facts as they are kept in memory: written one after another into one piece of it.
//!
//! A fact as a value, with its texts, takes some hundred bytes and several allocations; a call makes five of them. Written
//! by postcard, whose whole numbers are as long as they need to be, a short GET takes about 130 bytes in all.

use postcard::ser_flavors::Flavor;

use super::{Beyond, Fact};

/// Facts in the order of appending, of as many calls as a trial is judged by: see [`Beyond`] for the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packed {
    bytes: Vec<u8>,
    len: usize,
    beyond: Beyond,
}

impl Packed {
    /// Appends a fact, or counts it where it is of a call beyond those that are kept.
    pub fn push(&mut self, fact: &Fact) {
        if self.beyond.counts(fact) {
            return;
        }
        let before = self.bytes.len();
        match postcard::serialize_with_flavor(fact, Appending(&mut self.bytes)) {
            Ok(()) => self.len += 1,
            // Does not happen: no fact has a type that postcard does not write, as its tests see to.
            Err(_) => self.bytes.truncate(before),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// What was counted and not kept.
    pub fn beyond(&self) -> Beyond {
        self.beyond
    }

    /// The facts, read one at a time.
    pub fn iter(&self) -> Unpacking<'_> {
        Unpacking(&self.bytes)
    }
}

impl FromIterator<Fact> for Packed {
    fn from_iter<I: IntoIterator<Item = Fact>>(facts: I) -> Self {
        let mut packed = Packed::default();
        facts.into_iter().for_each(|fact| packed.push(&fact));
        packed
    }
}

impl<'a> IntoIterator for &'a Packed {
    type Item = Fact;
    type IntoIter = Unpacking<'a>;

    fn into_iter(self) -> Unpacking<'a> {
        self.iter()
    }
}

/// Facts as they are read back, one at a time.
#[derive(Debug, Clone)]
pub struct Unpacking<'a>(&'a [u8]);

impl Iterator for Unpacking<'_> {
    type Item = Fact;

    fn next(&mut self) -> Option<Fact> {
        let (fact, rest) = postcard::take_from_bytes(self.0).ok()?;
        self.0 = rest;
        Some(fact)
    }
}

/// Where postcard writes to.
struct Appending<'a>(&'a mut Vec<u8>);

impl Flavor for Appending<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of every kind, as the evidence file has them.
    const KINDS: &str = r#"
{"trial_began":{"unix_us":1767225600000000}}
{"point_served":{"point":"quota","base":"http://127.0.0.1:4001"}}
{"layer_served":{"point":"gateway","role":"gateway","base":"http://127.0.0.1:4002"}}
{"gate_changed":{"point":"quota","at":7,"gate":"black_hole"}}
{"left_out":{"op":"op-2","because":"the client can only GET","at":2}}
{"client_ready":{"name":"c\u0000\u2028","version":null,"at":3}}
{"asked":{"op":"op-1","at":4,"deadline_ms":9000,"key":"k","process":3}}
{"cancelled":{"op":"op-1","at":5}}
{"connected":{"conn":1,"point":"quota","at":6,"cut":"rst","turn":0,"op":"op-1"}}
{"arrived":{"call":1,"op":"op-1","by":"url","role":"attempt","point":"quota","conn":2,"nth_on_conn":1,"protocol":"HTTP/1.1","method":"GET","path":"/a/path/that/is/longer/than/any/inline/text","query":"a=b","keys":["k",""],"lacks":["authorization"],"head_sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","at":7200000000,"turn":0,"outage":null,"overflow":true,"queued_us":12,"effect":"applied"}}
{"body_read":{"call":1,"body":{"len":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","complete":true}}}
{"decided":{"call":1,"at":8,"turn":2,"effect":"none","key":"in_flight","replays":1}}
{"effect_done":{"call":1,"at":8,"effect":"applied"}}
{"answer_began":{"call":1,"at":9,"status":503,"asked_wait_ms":1000,"asked_until":10,"retry_after":"1"}}
{"answer_ended":{"call":1,"at":10,"complete":false,"cut":[{"body":3},"rst"]}}
{"peer_left":{"call":1,"at":11}}
{"unreadable":{"conn":1,"point":"quota","at":12,"because":"\u001b[31m"}}
{"reported":{"op":"op-1","at":13,"result":{"claim":"ok","status":200,"attempts":2,"stop":"ok","body_sha256":null,"error":"e"}}}
{"could_not_run":{"op":"op-1","at":14,"because":"b"}}
{"gave_no_result":{"op":"op-1","at":15}}
{"talk":{"at":16,"line":"l"}}
{"client_broke":{"at":17,"because":"b"}}
{"client_ended":{"at":18,"how":{"killed":{"why":"w"}}}}
{"client_restarted":{"at":19,"process":1,"successor":2}}
{"ceiling_hit":{"at":19,"ceiling":"calls"}}
{"lagged":{"worst_us":20}}
{"watch_ended":{"at":21}}
{"interrupted":{"at":22}}
"#;

    fn facts() -> Vec<Fact> {
        let read = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        KINDS.trim().lines().map(read).collect()
    }

    /// How many kinds there are: who adds one is led here by the compiler, and then to the lines above.
    fn kind(fact: &Fact) -> usize {
        match fact {
            Fact::TrialBegan { .. } => 0,
            Fact::PointServed { .. } => 1,
            Fact::LayerServed { .. } => 2,
            Fact::GateChanged { .. } => 3,
            Fact::LeftOut { .. } => 4,
            Fact::ClientReady { .. } => 5,
            Fact::Asked { .. } => 6,
            Fact::Cancelled { .. } => 7,
            Fact::Connected { .. } => 8,
            Fact::Arrived(_) => 9,
            Fact::BodyRead { .. } => 10,
            Fact::Decided { .. } => 11,
            Fact::EffectDone { .. } => 12,
            Fact::AnswerBegan { .. } => 13,
            Fact::AnswerEnded { .. } => 14,
            Fact::PeerLeft { .. } => 15,
            Fact::Unreadable { .. } => 16,
            Fact::Reported { .. } => 17,
            Fact::CouldNotRun { .. } => 18,
            Fact::GaveNoResult { .. } => 19,
            Fact::Talk { .. } => 20,
            Fact::ClientBroke { .. } => 21,
            Fact::ClientEnded { .. } => 22,
            Fact::ClientRestarted { .. } => 23,
            Fact::CeilingHit { .. } => 24,
            Fact::Lagged { .. } => 25,
            Fact::WatchEnded { .. } => 26,
            Fact::Interrupted { .. } => 27,
        }
    }

    #[test]
    fn every_kind_of_fact_is_kept_as_it_was() {
        let (facts, mut packed) = (facts(), Packed::default());
        facts.iter().for_each(|fact| packed.push(fact));
        let kinds: Vec<usize> = facts.iter().map(kind).collect();
        assert_eq!(kinds, (0..28).collect::<Vec<_>>());
        assert_eq!(packed.len(), facts.len());
        assert_eq!(packed.iter().collect::<Vec<_>>(), facts);
    }

    #[test]
    fn a_short_call_takes_little() {
        let call = |fact: &Fact| (9..=14).contains(&kind(fact)) && kind(fact) != 11;
        let mut packed = Packed::default();
        facts()
            .iter()
            .filter(|fact| call(fact))
            .for_each(|f| packed.push(f));
        assert!(
            packed.bytes() <= 160 + "longer/than/any/inline/text".len(),
            "{}",
            packed.bytes()
        );
    }
}
