//! A TCP connection, which tells how long ago the kernel had what is read from it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

use super::arrival_time::{self, Nanos};
use super::{Moment, Socket};

/// How much is read at a time where arrivals are stamped.
const PORTION: usize = 16 * 1024;

/// A TCP connection.
#[derive(Debug)]
pub struct TcpSocket {
    stream: TcpStream,
    /// Where the kernel stamps what arrives.
    stamps: Option<Stamps>,
}

/// What reading with stamps takes.
#[derive(Debug)]
struct Stamps {
    /// Where the kernel writes bytes to.
    portion: Box<[u8]>,
    /// Where it writes the stamp to.
    room: Vec<u8>,
    /// When the latest of the bytes that were read had arrived, where that is known.
    latest: Option<Nanos>,
    /// When they were read, where that is known.
    read_at: Option<Nanos>,
}

impl TcpSocket {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let stamps = arrival_time::ask_for_stamps(&stream).then(|| Stamps {
            portion: vec![0; PORTION].into_boxed_slice(),
            room: arrival_time::room(),
            latest: None,
            read_at: None,
        });
        Ok(TcpSocket { stream, stamps })
    }
}

impl Stamps {
    fn poll_read(
        &mut self,
        stream: &TcpStream,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = buf.remaining().min(self.portion.len());
        loop {
            ready!(stream.poll_read_ready(cx))?;
            let mut read = None;
            let tried = stream.try_io(Interest::READABLE, || {
                let (n, stamp) = arrival_time::read(stream, &mut self.portion[..most], &mut self.room)?;
                read = Some((n, stamp));
                // A short read has emptied the kernel's queue: the runtime is told so, which spares asking again.
                match n == 0 || n == most {
                    true => Ok(()),
                    false => Err(io::ErrorKind::WouldBlock.into()),
                }
            });
            match (read, tried) {
                (Some((n, stamp)), _) => {
                    buf.put_slice(&self.portion[..n]);
                    self.note(stamp);
                    return Poll::Ready(Ok(()));
                }
                (None, Err(e)) if e.kind() == io::ErrorKind::WouldBlock => {}
                (None, result) => return Poll::Ready(result),
            }
        }
    }

    /// Notes when what was just read had arrived: after what was read before it, whatever the stamp says.
    fn note(&mut self, stamp: Option<Nanos>) {
        let told = stamp.and_then(arrival_time::of);
        self.latest = told.map(|(arrived, _)| self.read_at.map_or(arrived, |before| arrived.max(before)));
        self.read_at = told.map(|(_, now)| now).or(self.read_at);
    }
}

impl Socket for TcpSocket {
    fn reset_on_drop(&mut self) {
        // Fails only on a connection that is gone already.
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }

    fn arrived(&self) -> Option<Moment> {
        self.stamps.as_ref()?.latest.map(Moment)
    }
}

impl AsyncRead for TcpSocket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let TcpSocket { stream, stamps } = self.get_mut();
        match stamps {
            Some(stamps) => stamps.poll_read(stream, cx, buf),
            None => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for TcpSocket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::world::{Gate, RealWorld, World};

    /// A machine may set its clock while this runs, but does not do so ten times over.
    #[tokio::test]
    async fn what_is_read_late_has_arrived_when_it_was_sent() {
        for _ in 0..10 {
            arrival_time::begin_anew();
            if reads_late().await.is_some() {
                return;
            }
        }
        panic!("Linux stamps what arrives");
    }

    /// Reads what has been there for a while; `None` where the clocks came apart meanwhile.
    async fn reads_late() -> Option<()> {
        let mut gate = RealWorld.listen().await.unwrap();
        gate.open().unwrap();
        let clock = RealWorld.start_clock();
        let held_up = Duration::from_millis(30);
        // The kernel stamps what comes a little after it was first asked to: it changes its own code for that.
        thread::sleep(held_up);
        let mut client = RealWorld.connect(&gate.authority()).await.unwrap();
        client.write_all(b"one").await.unwrap();
        thread::sleep(held_up);
        let mut server = gate.accept().await.unwrap();
        let mut room = [0; 8];
        assert_eq!(server.read(&mut room).await.unwrap(), 3);
        let (one, between) = (clock.stamp(server.arrived()?)?, clock.now());
        assert!(between.since(one) >= held_up, "{one:?}, {between:?}");
        // What comes after that is not older than the reading before it.
        client.write_all(b"two").await.unwrap();
        thread::sleep(held_up);
        assert_eq!(server.read(&mut room).await.unwrap(), 3);
        let (two, now) = (clock.stamp(server.arrived()?)?, clock.now());
        assert!(now.since(two) >= held_up, "{two:?}, {now:?}");
        assert!(
            two.plus(Duration::from_millis(1)) >= between,
            "{two:?}, {between:?}"
        );
        Some(())
    }

    #[tokio::test]
    async fn an_end_and_more_than_is_read_at_a_time_come_through() {
        let mut gate = RealWorld.listen().await.unwrap();
        gate.open().unwrap();
        let mut client = RealWorld.connect(&gate.authority()).await.unwrap();
        let sending = tokio::spawn(async move {
            client.write_all(&vec![7; 10 * PORTION + 1]).await.unwrap();
        });
        let mut read = Vec::new();
        gate.accept().await.unwrap().read_to_end(&mut read).await.unwrap();
        assert_eq!(read, vec![7; 10 * PORTION + 1]);
        sending.await.unwrap();
    }
}
