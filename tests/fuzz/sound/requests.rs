//! Raw requests to a dependency, in virtual time and in pieces.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use retrial::evidence::{Evidence, Recorder};
use retrial::scenario::{Dependency, built_in};
use retrial::term::OperationId;
use retrial::upstream::{Limits, Shared, Upstream};
use retrial::world::{VirtualWorld, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::SEPARATOR;
use crate::stand::trials;

/// Requests of every form.
pub const REQUESTS: [&str; 5] = [
    "GET /op-1/quota?a=b HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\nGET /op-1/quota HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST /op-1/pay HTTP/1.1\r\nHost: x\r\nIdempotency-Key: \"k-1\"\r\nContent-Length: 8\r\n\r\namount=1",
    "PUT /op-2/job HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Trailer: y\r\n\r\n",
    "PUT /op-1/page HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\np=1",
    "HEAD http://x/op-1/page HTTP/1.0\r\nConnection: keep-alive\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n",
];

/// Each request at dependencies here and there, in pieces of several sizes.
pub fn seeds() -> Vec<Vec<u8>> {
    let of = |which: u8| {
        let request = REQUESTS[usize::from(which) % REQUESTS.len()].as_bytes();
        [&[which, which % 40], request, &[SEPARATOR], request].concat()
    };
    (0..=u8::MAX).step_by(3).map(of).collect()
}

/// As [`is_sound_at`], in bytes: which dependency, the size of a piece, and what each connection says.
pub fn is_sound(bytes: &[u8]) -> Result<(), String> {
    let [which, piece, said @ ..] = bytes else {
        return Ok(());
    };
    let connections: Vec<_> = said
        .split(|b| *b == SEPARATOR)
        .map(<[u8]>::to_vec)
        .take(8)
        .collect();
    is_sound_at((*which).into(), &connections, (*piece).into())
}

/// Every first dependency of a built-in scenario.
fn dependencies() -> &'static [Dependency] {
    static ALL: OnceLock<Vec<Dependency>> = OnceLock::new();
    ALL.get_or_init(|| {
        let of = |(name, yaml): &(&str, &str)| trials(name, yaml)[0].dependencies[0].clone();
        built_in().iter().map(of).collect()
    })
}

/// Each connection ends and is accounted for, and the dependency comes down.
pub fn is_sound_at(which: usize, connections: &[Vec<u8>], piece: usize) -> Result<(), String> {
    let dependency = dependencies()[which % dependencies().len()].clone();
    let played = VirtualWorld::run(|world| async move {
        let shared = Arc::new(Shared::new(world.start_clock(), Recorder::new(), 7, LIMITS));
        for op in 1..=2 {
            let mut running = shared.running.lock().map_err(|e| e.to_string())?;
            running.insert(OperationId(op));
        }
        shared.start_now();
        let served = Upstream::serve(&world, Arc::new(dependency), shared.clone()).await;
        let upstream = served.map_err(|e| e.to_string())?;
        for bytes in connections {
            say(&world, upstream.authority(), bytes, piece.max(1)).await;
        }
        let down = tokio::time::timeout(Duration::from_secs(7200), upstream.down());
        down.await
            .map_err(|_| "the dependency does not come down".to_owned())?;
        let facts = shared.recorder.facts();
        Evidence::fold(&facts);
        Ok(())
    });
    played.map_err(|e| e.to_string())?
}

const LIMITS: Limits = Limits {
    calls: 1000,
    connections: 1000,
    bytes: 1 << 20,
    time: Duration::from_secs(60),
};

/// Says it piece by piece, ends its side, and listens for a virtual hour at most.
async fn say(world: &VirtualWorld, authority: &str, bytes: &[u8], piece: usize) {
    let connected = tokio::time::timeout(Duration::from_secs(60), world.connect(authority));
    let Ok(Ok(mut stream)) = connected.await else {
        return;
    };
    let exchange = async {
        for piece in bytes.chunks(piece) {
            if stream.write_all(piece).await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
        // Whoever was cut off has nothing to end.
        let _ = stream.shutdown().await;
        let mut portion = vec![0; 65536];
        while matches!(stream.read(&mut portion).await, Ok(n) if n > 0) {}
    };
    // A dependency may well be silent for ever.
    let _ = tokio::time::timeout(Duration::from_secs(3600), exchange).await;
}
