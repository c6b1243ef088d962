//! A black hole on a real port: requests for connections that nobody answers.
//!
//! Linux drops a SYN when the listener's queue is full. So the queue is made as short as it can be and filled with
//! connections of our own, which nobody accepts while the hole lasts. A client that comes meanwhile sends its SYN
//! again and again, as TCP does, and gets through with the first that is sent after the hole's end.

use std::io;
use std::net::SocketAddr;

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use tokio::net::TcpListener;

/// The shortest queue. Linux lets one connection more into it.
const SHORTEST: i32 = 0;

/// Connections of our own that fill it: more than fit, so that none of a client's does.
const FILLERS: usize = 4;

/// Our own connections in a gate's queue.
#[derive(Debug, Default)]
pub(super) struct Hole {
    /// Held open for as long as the hole lasts.
    fillers: Vec<Socket>,
    /// Whose connections in the queue are ours.
    ours: Vec<SocketAddr>,
}

impl Hole {
    /// Why the system has no way to do this, as a sentence; `None` where it has.
    pub(super) fn impossible() -> Option<&'static str> {
        (!cfg!(target_os = "linux")).then_some("a black hole is played on Linux only")
    }

    /// Shortens the listener's queue and fills it. Whoever came before is to be taken out of it first and after.
    pub(super) fn dig(&mut self, listener: &TcpListener, address: SocketAddr) -> io::Result<()> {
        SockRef::from(listener).listen(SHORTEST)?;
        for _ in 0..FILLERS {
            let filler = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
            filler.set_nonblocking(true)?;
            // It is on its way, or done; those that do not fit stay on their way.
            let _ = filler.connect(&address.into());
            self.ours
                .extend(filler.local_addr().ok().and_then(|a| a.as_socket()));
            self.fillers.push(filler);
        }
        Ok(())
    }

    /// Whether the hole lasts.
    pub(super) fn is_there(&self) -> bool {
        !self.fillers.is_empty()
    }

    /// Gives our own connections up, and the listener its queue back.
    pub(super) fn fill_up(&mut self, listener: &TcpListener, backlog: i32) -> io::Result<()> {
        self.fillers.clear();
        SockRef::from(listener).listen(backlog)
    }

    /// Whether this is one of our own connections; each is met once.
    pub(super) fn is_ours(&mut self, peer: SocketAddr) -> bool {
        let found = self.ours.iter().position(|ours| *ours == peer);
        found.map(|i| self.ours.swap_remove(i)).is_some()
    }
}
