//! Bytes from one side to the other and back, with the ends of both directions as they come.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};

use super::ear::Ear;
use crate::world::Socket;

/// How much is read at a time: about what a kernel hands over at once.
const PORTION: usize = 64 * 1024;

/// How a direction came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The sender said its last (FIN), and so did the tap.
    Ended,
    /// The sender reset the connection.
    Reset,
    /// The receiver takes no more: it has reset the connection, or is about to be read to that.
    Refused,
    /// A ceiling of the trial is hit.
    Over,
}

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// From the client of the layer.
    In,
    /// From the layer.
    Out,
}

/// Hands bytes on until both directions have ended, or one side resets; then the other is reset too.
pub(super) async fn pump<S: Socket>(client: S, layer: S, ear: &Mutex<Ear>) {
    let (mut from_client, mut to_client) = split(client);
    let (mut from_layer, mut to_layer) = split(layer);
    let (client_is, layer_is) = (Side::default(), Side::default());
    let reset = {
        let inward = Carrier {
            way: Way::In,
            ear,
            from_is: &client_is,
            to_is: &layer_is,
        };
        let outward = Carrier {
            way: Way::Out,
            ear,
            from_is: &layer_is,
            to_is: &client_is,
        };
        both(
            inward.carry(&mut from_client, &mut to_layer),
            outward.carry(&mut from_layer, &mut to_client),
            ear,
        )
        .await
    };
    lock(ear).over();
    let (mut client, mut layer) = (from_client.unsplit(to_client), from_layer.unsplit(to_layer));
    if reset {
        client.reset_on_drop();
        layer.reset_on_drop();
    }
}

/// Waits for both directions; a reset ends them at once. Whether the connections are to be reset.
async fn both(
    inward: impl Future<Output = End>,
    outward: impl Future<Output = End>,
    ear: &Mutex<Ear>,
) -> bool {
    tokio::pin!(inward, outward);
    let (way, first) = tokio::select! {
        end = &mut inward => (Way::In, end),
        end = &mut outward => (Way::Out, end),
    };
    lock(ear).ended(way, first == End::Ended);
    if matches!(first, End::Reset | End::Over) {
        return true;
    }
    // Where one side takes no more, what it sent before is still to be handed on.
    let (way, second) = match way {
        Way::In => (Way::Out, outward.await),
        Way::Out => (Way::In, inward.await),
    };
    lock(ear).ended(way, second == End::Ended);
    first != End::Ended || second != End::Ended
}

/// What is known of one side's connection.
#[derive(Default)]
struct Side {
    /// Writing to it met a reset. A kernel tells that once: reading from it then looks like an orderly end.
    was_reset: AtomicBool,
}

/// What carries bytes one way.
struct Carrier<'a> {
    way: Way,
    ear: &'a Mutex<Ear>,
    from_is: &'a Side,
    to_is: &'a Side,
}

impl Carrier<'_> {
    async fn carry<R, W>(&self, from: &mut R, to: &mut W) -> End
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let mut portion = vec![0; PORTION];
        loop {
            let n = match from.read(&mut portion).await {
                Ok(0) => break,
                Ok(n) => n,
                Err(_) => return End::Reset,
            };
            // Heard before it is handed on: an answer is then never heard before its request.
            if !lock(self.ear).heard(self.way, &portion[..n]) {
                return End::Over;
            }
            if let Err(e) = to.write_all(&portion[..n]).await {
                return self.refused(&e);
            }
        }
        if self.from_is.was_reset.load(Ordering::Relaxed) {
            return End::Reset;
        }
        match to.shutdown().await {
            Ok(()) => End::Ended,
            Err(_) => End::Refused,
        }
    }

    /// A side that had said its last before it reset is a broken pipe: its orderly end is still to be read.
    fn refused(&self, error: &io::Error) -> End {
        if error.kind() == io::ErrorKind::ConnectionReset {
            self.to_is.was_reset.store(true, Ordering::Relaxed);
        }
        End::Refused
    }
}

/// A panic while the lock is held costs the parser its place in the stream, and no byte.
fn lock<'a>(ear: &'a Mutex<Ear>) -> MutexGuard<'a, Ear> {
    ear.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll};

    use tokio::io::ReadBuf;

    use super::super::requests::Head;
    use super::*;
    use crate::evidence::Fact;
    use crate::tap::Register;
    use crate::term::{CallId, ConnId, Name};
    use crate::world::{Clock, VirtualWorld, World};

    struct Deaf(Clock);

    impl Register for Deaf {
        fn clock(&self) -> Clock {
            self.0
        }
        fn connection(&self, _: &Name) -> Option<ConnId> {
            None
        }
        fn call(&self, _: &Name, _: ConnId, _: u32, _: &Head) -> Option<CallId> {
            None
        }
        fn bytes(&self, _: usize) -> bool {
            true
        }
        fn note(&self, _: Fact) {}
        fn failed(&self, _: &io::Error) {}
    }

    /// A connection as a kernel shows it: its reset was told to whoever wrote, so its reader finds an end.
    struct Scripted {
        says: &'static [u8],
        refuses: Option<io::ErrorKind>,
        was_refused: bool,
        done: Arc<Mutex<Vec<&'static str>>>,
    }

    impl AsyncRead for Scripted {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            if !self.says.is_empty() {
                buf.put_slice(std::mem::take(&mut self.says));
                return Poll::Ready(Ok(()));
            }
            match self.was_refused {
                true => Poll::Ready(Ok(())),
                false => Poll::Pending,
            }
        }
    }

    impl AsyncWrite for Scripted {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
            self.was_refused = self.refuses.is_some();
            match self.refuses {
                Some(kind) => Poll::Ready(Err(kind.into())),
                None => Poll::Ready(Ok(buf.len())),
            }
        }
        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            self.done.lock().unwrap().push("FIN");
            Poll::Ready(Ok(()))
        }
    }

    impl Socket for Scripted {
        fn reset_on_drop(&mut self) {
            self.done.lock().unwrap().push("RST");
        }
    }

    #[tokio::test]
    async fn a_reset_that_a_write_met_first_is_handed_on_as_a_reset() {
        let cases = [
            (io::ErrorKind::ConnectionReset, vec!["RST"]),
            (io::ErrorKind::BrokenPipe, vec!["FIN", "RST"]),
        ];
        for (refuses, expected) in cases {
            let scripted = |says, refuses| Scripted {
                says,
                refuses,
                was_refused: false,
                done: Arc::default(),
            };
            let (client, layer) = (scripted(b"x", None), scripted(b"", Some(refuses)));
            let done = client.done.clone();
            let register = Arc::new(Deaf(VirtualWorld::default().start_clock()));
            let ear = Mutex::new(Ear::new(register, "layer".into(), ConnId(1)));
            pump(client, layer, &ear).await;
            assert_eq!(*done.lock().unwrap(), expected, "{refuses:?}");
        }
    }
}
