//! How is that done on a stream of bytes? Sockets, hyper, cuts, raw answers.

mod shared;

use std::io;
use std::sync::Arc;

use crate::scenario::Dependency;
use crate::world::World;

pub use shared::{Limits, Shared};

/// One dependency, served.
pub struct Upstream {
    authority: String,
}

impl Upstream {
    /// Reserves an address and serves the dependency on it, with its gate as the script's outages have it at time 0.
    ///
    /// # Errors
    /// The address cannot be had.
    pub async fn serve<W: World>(
        world: &W,
        dependency: Arc<Dependency>,
        shared: Arc<Shared>,
    ) -> io::Result<Self> {
        let _ = (world, dependency, shared);
        Err(io::Error::other("not built yet"))
    }

    /// `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Ends the dependency: no new connections, those that live are closed, effects still due are waited for.
    pub async fn down(self) {}
}
