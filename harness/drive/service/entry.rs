//! The harness's own client, which asks the entry: one connection for each operation, and no repeat of any kind.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{Request, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use sha2::{Digest, Sha256};

use crate::client::protocol::Order;
use crate::drive::tree::Owned;
use crate::evidence::Outcome;
use crate::term::{Claim, StopReason};
use crate::world::{Clock, RealWorld, World};

/// The header in which an operation's key is sent, where the stack has none of its own.
pub(super) const KEY: &str = "idempotency-key";

/// Asks once and waits for the end of the answer, or for the deadline.
pub(super) async fn ask(order: &Order, key_header: &str, clock: Clock) -> Outcome {
    let answer = async {
        let request = request(order, key_header)?;
        exchange(request).await
    };
    let answered = match order.deadline_ms {
        None => answer.await,
        Some(ms) => match clock.within(Duration::from_millis(ms), answer).await {
            Ok(answered) => answered,
            Err(_) => return failed(StopReason::Deadline, format!("no answer within {ms} ms")),
        },
    };
    match answered {
        Ok((status, body_sha256)) => Outcome {
            claim: match status {
                200..400 => Claim::Ok,
                _ => Claim::Failed,
            },
            status: Some(status),
            attempts: None,
            stop: match status {
                200..400 => StopReason::Ok,
                _ => StopReason::Unreported,
            },
            body_sha256: Some(body_sha256),
            error: None,
        },
        Err(because) => failed(StopReason::Unreported, because),
    }
}

/// The status with which a GET is answered.
///
/// # Errors
/// A clause.
pub(super) async fn get(authority: &str, path: &str) -> Result<u16, String> {
    let request = Request::get(format!("http://{authority}{path}")).body(Full::default());
    let request = request.map_err(|e| e.to_string())?;
    exchange(request).await.map(|(status, _)| status)
}

fn failed(stop: StopReason, because: String) -> Outcome {
    Outcome {
        claim: Claim::Failed,
        status: None,
        attempts: None,
        stop,
        body_sha256: None,
        error: Some(because),
    }
}

fn request(order: &Order, key_header: &str) -> Result<Request<Full<Bytes>>, String> {
    let body = match &order.body_base64 {
        None => Bytes::new(),
        Some(text) => {
            let decoded = BASE64_STANDARD.decode(text);
            decoded
                .map_err(|e| format!("its body is not base64: {e}"))?
                .into()
        }
    };
    let mut request = Request::builder().method(order.method.as_str()).uri(&order.url);
    for (name, value) in &order.headers {
        request = request.header(name, value);
    }
    if let Some(key) = &order.key {
        request = request.header(key_header, key);
    }
    let request = request.body(Full::new(body));
    request.map_err(|e| format!("it is no request of HTTP: {e}"))
}

/// Sends a request on a connection of its own: the status, and the digest of the whole body.
async fn exchange(mut request: Request<Full<Bytes>>) -> Result<(u16, String), String> {
    let authority = request.uri().authority().map(ToString::to_string);
    let authority = authority.ok_or("its URL names no host")?;
    let stream = RealWorld.connect(&authority).await;
    let stream = stream.map_err(|e| format!("connecting to {authority}: {e}"))?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|e| e.to_string())?;
    // Ends with this exchange: leaving it is how the caller gives up.
    let _connection = Owned(tokio::spawn(async move {
        // What goes wrong with it is told to the exchange.
        let _ = connection.await;
    }));
    as_to_an_origin(&mut request, &authority)?;
    let answer = sender.send_request(request).await.map_err(|e| whole(&e))?;
    let status = answer.status().as_u16();
    Ok((status, digest(answer.into_body()).await?))
}

/// A request to a server names its host in a header and only the path in its first line.
fn as_to_an_origin(request: &mut Request<Full<Bytes>>, authority: &str) -> Result<(), String> {
    let path = request.uri().path_and_query().map_or("/", |p| p.as_str());
    let path: Uri = path.parse().map_err(|e| format!("its path: {e}"))?;
    let host = authority.parse().map_err(|e| format!("its host: {e}"))?;
    request.headers_mut().entry(header::HOST).or_insert(host);
    *request.uri_mut() = path;
    Ok(())
}

async fn digest(mut body: Incoming) -> Result<String, String> {
    let mut hash = Sha256::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| format!("the answer broke off: {}", whole(&e)))?;
        if let Some(data) = frame.data_ref() {
            hash.update(data);
        }
    }
    Ok(format!("{:x}", hash.finalize()))
}

/// An error with its causes.
fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}
