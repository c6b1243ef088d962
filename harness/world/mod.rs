//! The seam to the outside: clock, listen, connect. Real or virtual; the only clock of the harness.

mod arrival_time;
mod clock;
mod files;
mod hole;
mod pipe;
mod real;
mod tcp;
mod virtual_world;

use std::future::Future;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};

pub use clock::Clock;
pub use files::{is_out_of_files, out_of_files, raise_open_files};
pub use pipe::VirtualStream;
pub use real::{PortGate, RealWorld};
pub use tcp::TcpSocket;
pub use virtual_world::{VirtualGate, VirtualWorld};

/// Where a trial takes place.
pub trait World: Clone + Send + Sync + 'static {
    /// A connection.
    type Stream: Socket;
    /// A port, or what stands for one.
    type Gate: Gate<Stream = Self::Stream>;

    /// Whether its time is virtual: nothing in it can be late, and looking often would only make it slow.
    const IS_VIRTUAL: bool = false;

    /// A clock that starts now: one per trial.
    fn start_clock(&self) -> Clock;

    /// Reserves an address. It refuses until it is opened.
    ///
    /// # Errors
    /// The address cannot be had.
    fn listen(&self) -> impl Future<Output = io::Result<Self::Gate>> + Send;

    /// Connects to a gate of this world, named by `host:port` as in [`Gate::authority`].
    ///
    /// # Errors
    /// As a socket gives them: refused, reset, timed out.
    fn connect(&self, authority: &str) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// One connection of a world. What is written to it is with the other side's kernel or on its way there: there is nothing to flush.
pub trait Socket: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// When this is dropped, the other side sees a reset (TCP RST) in place of an orderly end (FIN).
    fn reset_on_drop(&mut self);

    /// When the latest byte that was read had arrived, where the system stamps what arrives and its stamp can be relied on.
    /// The bytes of one read may have come one after another: this is the last one's.
    fn arrived(&self) -> Option<Moment> {
        None
    }
}

/// A moment by the system's monotonic clock, in nanoseconds: [`Clock::stamp`] says which it is in a trial.
#[derive(Debug, Clone, Copy)]
pub struct Moment(arrival_time::Nanos);

/// An address that accepts connections, refuses them, or leaves them unanswered.
pub trait Gate: Send + 'static {
    /// What it accepts.
    type Stream: Socket;

    /// `host:port`.
    fn authority(&self) -> String;

    /// Accepts connections from now on.
    ///
    /// # Errors
    /// The system does not let it listen.
    fn open(&mut self) -> io::Result<()>;

    /// Refuses connections from now on; those accepted live on.
    fn refuse(&mut self);

    /// Leaves requests for connections unanswered from now on, neither accepted nor refused; those accepted live on.
    ///
    /// # Errors
    /// The system does not let it (`Unsupported`, with a sentence, where it has no way to).
    fn black_hole(&mut self) -> io::Result<()>;

    /// The next connection. Pending for as long as the gate is not open. Cancel-safe.
    ///
    /// # Errors
    /// As the system gives them; the caller may call again.
    fn accept(&mut self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// A lock that a panic elsewhere cannot spoil: what it guards is never left half-changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
