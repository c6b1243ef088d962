//! What was observed of the client as a whole.

use super::{ClientEnd, Fact};
use crate::term::Stamp;

/// What is known of the client as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClientRecord {
    /// The name it gave.
    pub name: Option<String>,
    /// The version it gave.
    pub version: Option<String>,
    /// When it was ready.
    pub ready: Option<Stamp>,
    /// What it did that leaves nothing to judge.
    pub broke: Option<String>,
    /// How its processes ended.
    pub ends: Vec<(Stamp, ClientEnd)>,
    /// Its talk, in order.
    pub talk: Vec<String>,
}

impl ClientRecord {
    /// Takes a fact of the client.
    pub(super) fn add(&mut self, fact: &Fact) {
        match fact {
            Fact::ClientReady { name, version, at } => {
                self.name = Some(name.clone());
                self.version.clone_from(version);
                self.ready = Some(*at);
            }
            Fact::Talk { line, .. } => self.talk.push(line.clone()),
            Fact::ClientBroke { because, .. } => {
                self.broke.get_or_insert_with(|| because.clone());
            }
            Fact::ClientEnded { at, how } => self.ends.push((*at, how.clone())),
            _ => {}
        }
    }
}
