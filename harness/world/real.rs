//! The real world: the system's clock and TCP, on loopback unless an address is named.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use socket2::{Domain, Protocol, SockRef, Type};
use tokio::net::{TcpListener, TcpStream};

use super::hole::Hole;
use super::{Clock, Gate, TcpSocket, World, arrival_time};

/// Connections that the kernel keeps for a gate before it accepts them: enough for a fleet that starts at once.
const BACKLOG: i32 = 1024;

/// The system's clock and TCP on loopback.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealWorld;

impl World for RealWorld {
    type Stream = TcpSocket;
    type Gate = PortGate;

    fn start_clock(&self) -> Clock {
        arrival_time::compare();
        Clock::real(|| u64::try_from(since_1970().as_micros()).unwrap_or(u64::MAX))
    }

    async fn listen(&self) -> io::Result<PortGate> {
        PortGate::reserve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    async fn connect(&self, authority: &str) -> io::Result<TcpSocket> {
        TcpStream::connect(authority).await.and_then(TcpSocket::new)
    }
}

impl RealWorld {
    /// Reserves this address, on any interface; port 0 is a free one. It refuses until it is opened.
    ///
    /// # Errors
    /// The address cannot be had: somebody listens there, it is not this machine's, or it is not allowed.
    pub fn listen_at(&self, address: SocketAddr) -> io::Result<PortGate> {
        PortGate::reserve(address)
    }
}

/// A port that accepts, refuses and is silent in turn, and is never lost in between.
///
/// A socket that is bound and never listens keeps the port; the listener beside it comes and goes.
#[derive(Debug)]
pub struct PortGate {
    reserve: socket2::Socket,
    address: SocketAddr,
    listener: Option<TcpListener>,
    /// Connections that were complete when the gate was closed: they are served, not reset.
    backlog: VecDeque<TcpStream>,
    hole: Hole,
}

impl PortGate {
    /// Why this system has no way to leave requests for connections unanswered, as a sentence; `None` where it has.
    pub fn without_black_hole() -> Option<&'static str> {
        Hole::impossible()
    }

    /// The address, with the port that was had.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    fn reserve(address: SocketAddr) -> io::Result<Self> {
        let reserve = bound(address)?;
        let address = reserve
            .local_addr()?
            .as_socket()
            .ok_or_else(|| io::Error::other("the reserved address is not an internet address"))?;
        Ok(PortGate {
            reserve,
            address,
            listener: None,
            backlog: VecDeque::new(),
            hole: Hole::default(),
        })
    }

    fn listen(&mut self) -> io::Result<&TcpListener> {
        let listener = match self.listener.take() {
            Some(listener) => listener,
            None => {
                let socket = bound(self.address)?;
                socket.set_nonblocking(true)?;
                socket.listen(BACKLOG)?;
                TcpListener::from_std(socket.into())?
            }
        };
        Ok(self.listener.insert(listener))
    }

    /// Takes what is complete out of a listener's queue, our own connections left aside: it is served, not reset.
    fn drain(&mut self, listener: &socket2::Socket) {
        while let Ok((stream, peer)) = listener.accept() {
            if peer.as_socket().is_some_and(|peer| self.hole.is_ours(peer)) {
                continue;
            }
            let adopted = stream
                .set_nonblocking(true)
                .and_then(|()| TcpStream::from_std(stream.into()));
            self.backlog.extend(adopted.ok());
        }
    }
}

/// A socket bound to this address, beside others that are.
fn bound(address: SocketAddr) -> io::Result<socket2::Socket> {
    let socket = socket2::Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    // What comes before a connection is accepted is stamped too.
    arrival_time::ask_for_stamps(&socket);
    socket.bind(&address.into())?;
    Ok(socket)
}

impl Gate for PortGate {
    type Stream = TcpSocket;

    fn authority(&self) -> String {
        debug_assert!(
            self.reserve.local_addr().is_ok(),
            "the port is reserved for as long as the gate lives"
        );
        self.address.to_string()
    }

    fn open(&mut self) -> io::Result<()> {
        self.listen()?;
        if let (true, Some(listener)) = (self.hole.is_there(), &self.listener) {
            self.hole.fill_up(listener, BACKLOG)?;
        }
        Ok(())
    }

    fn refuse(&mut self) {
        let Some(Ok(listener)) = self.listener.take().map(TcpListener::into_std) else {
            return;
        };
        // Closing a listener resets what is still in its queue, and a reset is not a refusal.
        self.drain(&listener.into());
        self.hole = Hole::default();
    }

    fn black_hole(&mut self) -> io::Result<()> {
        if let Some(because) = Hole::impossible() {
            return Err(io::Error::new(io::ErrorKind::Unsupported, because));
        }
        if self.hole.is_there() {
            return Ok(());
        }
        let address = self.address;
        // A second handle: what tokio's own would be told of an empty queue, it would remember.
        let handle = SockRef::from(self.listen()?).try_clone()?;
        self.drain(&handle);
        match &self.listener {
            Some(listener) => self.hole.dig(listener, address),
            None => Ok(()),
        }
    }

    async fn accept(&mut self) -> io::Result<TcpSocket> {
        if let Some(stream) = self.backlog.pop_front() {
            return TcpSocket::new(stream);
        }
        let listener = self.listener.as_ref().filter(|_| !self.hole.is_there());
        loop {
            let (stream, peer) = poll_fn(|cx| match listener {
                Some(listener) => listener.poll_accept(cx),
                // Whoever opens the gate holds it exclusively, and so calls `accept` anew.
                None => Poll::Pending,
            })
            .await?;
            if !self.hole.is_ours(peer) {
                return TcpSocket::new(stream);
            }
        }
    }
}

/// The wall clock, since 1970.
fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::super::Socket;
    use super::*;

    #[tokio::test]
    async fn a_closed_gate_refuses_serves_who_came_before_and_opens_on_the_same_port() {
        let mut gate = RealWorld.listen().await.unwrap();
        let authority = gate.authority();
        let refused = |r: io::Result<TcpSocket>| r.err().map(|e| e.kind());
        assert_eq!(
            refused(RealWorld.connect(&authority).await),
            Some(io::ErrorKind::ConnectionRefused)
        );
        for _ in 0..3 {
            gate.open().unwrap();
            let mut client = RealWorld.connect(&authority).await.unwrap();
            gate.refuse();
            assert_eq!(
                refused(RealWorld.connect(&authority).await),
                Some(io::ErrorKind::ConnectionRefused)
            );
            let mut server = gate.accept().await.unwrap();
            server.write_all(b"x").await.unwrap();
            assert_eq!(client.read_u8().await.unwrap(), b'x');
        }
    }

    #[tokio::test]
    async fn a_socket_told_so_is_reset_and_another_ends_in_order() {
        let mut gate = RealWorld.listen().await.unwrap();
        gate.open().unwrap();
        for reset in [true, false] {
            let mut client = RealWorld.connect(&gate.authority()).await.unwrap();
            let mut server = gate.accept().await.unwrap();
            if reset {
                server.reset_on_drop();
            }
            drop(server);
            let read = client.read(&mut [0; 8]).await.map_err(|e| e.kind());
            assert_eq!(
                read,
                if reset {
                    Err(io::ErrorKind::ConnectionReset)
                } else {
                    Ok(0)
                }
            );
        }
    }
}
