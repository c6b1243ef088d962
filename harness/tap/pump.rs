//! Bytes from one side to the other and back, with the ends of both directions as they come.

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
    let reset = {
        let inward = carry(&mut from_client, &mut to_layer, Way::In, ear);
        let outward = carry(&mut from_layer, &mut to_client, Way::Out, ear);
        both(inward, outward, ear).await
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

async fn carry<R, W>(from: &mut R, to: &mut W, way: Way, ear: &Mutex<Ear>) -> End
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
        if !lock(ear).heard(way, &portion[..n]) {
            return End::Over;
        }
        if to.write_all(&portion[..n]).await.is_err() {
            return End::Refused;
        }
    }
    match to.shutdown().await {
        Ok(()) => End::Ended,
        Err(_) => End::Refused,
    }
}

/// A panic while the lock is held costs the parser its place in the stream, and no byte.
fn lock<'a>(ear: &'a Mutex<Ear>) -> MutexGuard<'a, Ear> {
    ear.lock().unwrap_or_else(PoisonError::into_inner)
}
