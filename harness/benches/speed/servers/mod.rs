//! Who is asked: a dependency that is scripted and recorded, a bare hyper server, and stubs.

mod bare;
mod peers;
mod scripted;
mod thread;

pub use bare::Bare;
pub use peers::{Httpmock, Wiremock};
pub use scripted::{SCRIPT, Scripted};

/// A server that is up until it is dropped.
pub trait Server {
    /// `host:port`.
    fn authority(&self) -> &str;
}
