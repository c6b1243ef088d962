//! A connection in memory: two pipes, with half-close and reset as TCP has them.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Socket, lock};

/// Bytes that a direction holds before its writer has to wait: about what a kernel holds.
const CAPACITY: usize = 64 * 1024;

/// One direction of a connection.
#[derive(Default)]
struct Pipe {
    bytes: VecDeque<u8>,
    /// The writer has said its last (FIN).
    ended: bool,
    /// The connection was reset (RST): what was sent before may still be read.
    reset: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Pipe {
    fn wake(&mut self) {
        for waker in [self.reader.take(), self.writer.take()].into_iter().flatten() {
            waker.wake();
        }
    }
}

/// One end of a connection in memory.
pub struct VirtualStream {
    incoming: Arc<Mutex<Pipe>>,
    outgoing: Arc<Mutex<Pipe>>,
    reset_on_drop: bool,
}

impl VirtualStream {
    /// Both ends of a new connection.
    pub(super) fn pair() -> (Self, Self) {
        let (one, other) = (Arc::<Mutex<Pipe>>::default(), Arc::<Mutex<Pipe>>::default());
        let end = |incoming: &Arc<Mutex<Pipe>>, outgoing: &Arc<Mutex<Pipe>>| VirtualStream {
            incoming: incoming.clone(),
            outgoing: outgoing.clone(),
            reset_on_drop: false,
        };
        (end(&one, &other), end(&other, &one))
    }
}

impl Socket for VirtualStream {
    fn reset_on_drop(&mut self) {
        self.reset_on_drop = true;
    }
}

impl Drop for VirtualStream {
    fn drop(&mut self) {
        let unread = {
            let mut incoming = lock(&self.incoming);
            // Nobody will read any more: a writer that goes on meets a reset, as with TCP.
            incoming.reset = true;
            incoming.wake();
            !incoming.bytes.is_empty()
        };
        let mut outgoing = lock(&self.outgoing);
        outgoing.ended = true;
        // A kernel that closes a connection with bytes unread resets it, too.
        outgoing.reset |= self.reset_on_drop || unread;
        outgoing.wake();
    }
}

impl AsyncRead for VirtualStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut pipe = lock(&self.incoming);
        if !pipe.bytes.is_empty() {
            let n = buf.remaining().min(pipe.bytes.len());
            for part in [pipe.bytes.as_slices().0, pipe.bytes.as_slices().1] {
                buf.put_slice(&part[..part.len().min(buf.remaining())]);
            }
            pipe.bytes.drain(..n);
            if let Some(writer) = pipe.writer.take() {
                writer.wake();
            }
            return Poll::Ready(Ok(()));
        }
        if pipe.reset {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if pipe.ended {
            return Poll::Ready(Ok(()));
        }
        pipe.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl AsyncWrite for VirtualStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let mut pipe = lock(&self.outgoing);
        if pipe.reset {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if pipe.ended {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let n = buf.len().min(CAPACITY - pipe.bytes.len());
        if n == 0 && !buf.is_empty() {
            pipe.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        pipe.bytes.extend(&buf[..n]);
        if let Some(reader) = pipe.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(n))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut pipe = lock(&self.outgoing);
        pipe.ended = true;
        pipe.wake();
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn the_end_is_read_after_the_last_byte_and_the_other_direction_lives_on() {
        let (mut a, mut b) = VirtualStream::pair();
        a.write_all(b"ask").await.unwrap();
        a.shutdown().await.unwrap();
        let mut asked = String::new();
        b.read_to_string(&mut asked).await.unwrap();
        b.write_all(b"answer").await.unwrap();
        drop(b);
        let mut answered = String::new();
        a.read_to_string(&mut answered).await.unwrap();
        assert_eq!((asked.as_str(), answered.as_str()), ("ask", "answer"));
    }

    #[tokio::test]
    async fn a_reset_is_read_after_what_was_sent_before() {
        let (mut a, mut b) = VirtualStream::pair();
        a.write_all(b"ha").await.unwrap();
        a.reset_on_drop();
        drop(a);
        let mut read = Vec::new();
        let error = b.read_to_end(&mut read).await.unwrap_err();
        assert_eq!(
            (error.kind(), read.as_slice()),
            (io::ErrorKind::ConnectionReset, &b"ha"[..])
        );
        assert_eq!(
            b.write(b"x").await.unwrap_err().kind(),
            io::ErrorKind::ConnectionReset
        );
    }

    #[tokio::test]
    async fn closing_with_bytes_unread_resets() {
        let (mut a, b) = VirtualStream::pair();
        a.write_all(b"never read").await.unwrap();
        drop(b);
        assert_eq!(
            a.read(&mut [0; 8]).await.unwrap_err().kind(),
            io::ErrorKind::ConnectionReset
        );
    }

    #[tokio::test]
    async fn a_writer_waits_for_room() {
        let (mut a, mut b) = VirtualStream::pair();
        let sent = vec![7; 3 * CAPACITY + 1];
        let mut read = Vec::new();
        let (wrote, got) = tokio::join!(
            async {
                a.write_all(&sent).await?;
                a.shutdown().await
            },
            b.read_to_end(&mut read)
        );
        wrote.unwrap();
        assert_eq!(got.unwrap(), sent.len());
    }
}
