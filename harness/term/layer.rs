//! What a layer of a client is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a layer is to what passes through it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerRole {
    /// It hands requests on as they are: a proxy, in the words of HTTP.
    Gateway,
    /// It makes requests of its own.
    Service,
}

impl LayerRole {
    /// The word used in every format.
    pub const fn word(self) -> &'static str {
        match self {
            LayerRole::Gateway => "gateway",
            LayerRole::Service => "service",
        }
    }
}

impl fmt::Display for LayerRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
