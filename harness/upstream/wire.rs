//! The stream that hyper reads and writes, with a tap in it: stamps, byte counts, and what was handed to the kernel.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::shared::lock;
use super::tap::Tap;
use crate::world::Socket;

/// A connection's socket and its tap. Clones are the same connection: one is hyper's, one is kept to play faults on.
///
/// All clones are polled by the connection's one task, so the lock is never waited for.
pub(super) struct Wire<S> {
    socket: Arc<Mutex<S>>,
    tap: Arc<Tap>,
}

impl<S> Clone for Wire<S> {
    fn clone(&self) -> Self {
        Wire {
            socket: self.socket.clone(),
            tap: self.tap.clone(),
        }
    }
}

impl<S: Socket> Wire<S> {
    pub(super) fn new(socket: S, tap: Arc<Tap>) -> Self {
        Wire {
            socket: Arc::new(Mutex::new(socket)),
            tap,
        }
    }

    /// The other side will see a reset when the last clone is dropped.
    pub(super) fn reset_on_drop(&self) {
        lock(&self.socket).reset_on_drop();
    }

    /// Notes a write that fails: the client is not there any more.
    fn noted(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Err(error)) = &written {
            self.tap.failed(error.kind());
        }
        written
    }

    /// Reads ahead while an exchange is under way, for nothing but to see whether the client leaves: hyper does not
    /// look in that time. What is read is handed on later, and it is little.
    pub(super) fn watch_peer(&self, cx: &mut Context<'_>) {
        while self.tap.wants_to_watch() {
            let mut room = [0; 1024];
            let mut buf = ReadBuf::new(&mut room);
            let mut socket = lock(&self.socket);
            match Pin::new(&mut *socket).poll_read(cx, &mut buf) {
                Poll::Pending => return,
                Poll::Ready(Ok(())) => self.tap.read_ahead(buf.filled(), socket.arrived()),
                Poll::Ready(Err(error)) => self.tap.failed(error.kind()),
            }
        }
    }
}

impl<S: Socket> AsyncRead for Wire<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Some(read) = self.tap.take_ahead(buf) {
            return Poll::Ready(read);
        }
        let before = buf.filled().len();
        let mut socket = lock(&self.socket);
        if let Err(error) = ready!(Pin::new(&mut *socket).poll_read(cx, buf)) {
            self.tap.failed(error.kind());
            return Poll::Ready(Err(error));
        }
        let arrived = socket.arrived();
        drop(socket);
        if !self.tap.read(buf.filled().len() - before, arrived) {
            self.reset_on_drop();
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: Socket> AsyncWrite for Wire<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut *lock(&self.socket)).poll_write(cx, buf);
        self.noted(written)
    }

    /// hyper flushes only what it has written out, so an answer whose last byte was given to hyper before is now with
    /// the kernel: a socket keeps nothing back.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tap.flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *lock(&self.socket)).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut *lock(&self.socket)).poll_write_vectored(cx, bufs);
        self.noted(written)
    }

    fn is_write_vectored(&self) -> bool {
        lock(&self.socket).is_write_vectored()
    }
}
