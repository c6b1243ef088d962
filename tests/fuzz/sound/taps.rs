//! Bytes through a tap, in virtual time and in pieces.

use std::time::Duration;

use retrial::tap::Tap;
use retrial::world::{Gate, VirtualWorld, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::SEPARATOR;
use crate::tapped::Book;

/// What clients say.
pub const REQUESTS: [&str; 3] = [
    "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\nHEAD /next HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nnot HTTP any more",
];

/// What layers say.
pub const ANSWERS: [&str; 3] = [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nnor here",
];

/// Each request with each answer.
pub fn seeds() -> Vec<Vec<u8>> {
    let with = |request: &'static str| {
        ANSWERS.map(|answer| [&[7], request.as_bytes(), &[SEPARATOR], answer.as_bytes()].concat())
    };
    REQUESTS.iter().flat_map(|request| with(request)).collect()
}

/// As [`is_sound_between`], in bytes: the size of a piece, and what the two say.
pub fn is_sound(bytes: &[u8]) -> Result<(), String> {
    let [piece, said @ ..] = bytes else {
        return Ok(());
    };
    let mut said = said.splitn(2, |b| *b == SEPARATOR);
    let (request, answer) = (said.next().unwrap_or_default(), said.next().unwrap_or_default());
    is_sound_between(request, answer, usize::from(*piece).max(1))
}

/// Each side gets what the other said.
pub fn is_sound_between(request: &[u8], answer: &[u8], piece: usize) -> Result<(), String> {
    let played = VirtualWorld::run(|world| async move {
        let mut gate = world.listen().await.map_err(|e| e.to_string())?;
        gate.open().map_err(|e| e.to_string())?;
        let book = Book::new();
        let tap = Tap::serve(&world, "layer".into(), gate.authority(), book.clone()).await;
        let tap = tap.map_err(|e| e.to_string())?;
        let client = async { exchange(world.connect(tap.authority()).await?, request, piece).await };
        let layer = async { exchange(gate.accept().await?, answer, piece).await };
        let both = async { tokio::join!(client, layer) };
        let both = tokio::time::timeout(Duration::from_secs(60), both).await;
        let (to_client, to_layer) = both.map_err(|_| "the conversation does not end".to_owned())?;
        tap.down().await;
        book.evidence();
        same("client", &to_client, answer)?;
        same("layer", &to_layer, request)
    });
    played.map_err(|e| e.to_string())?
}

/// Says it piece by piece, ends its side, and hears the other's to the end.
async fn exchange<S>(stream: S, bytes: &[u8], piece: usize) -> std::io::Result<Vec<u8>>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite,
{
    let (mut reader, mut writer) = tokio::io::split(stream);
    let saying = async {
        for piece in bytes.chunks(piece) {
            writer.write_all(piece).await?;
            tokio::task::yield_now().await;
        }
        writer.shutdown().await
    };
    let mut heard = Vec::new();
    let (said, read) = tokio::join!(saying, reader.read_to_end(&mut heard));
    said.and(read).map(|_| heard)
}

fn same(who: &str, heard: &std::io::Result<Vec<u8>>, said: &[u8]) -> Result<(), String> {
    match heard {
        Ok(heard) if heard == said => Ok(()),
        other => Err(format!("the {who} heard {other:?}")),
    }
}
