//! One call over a connection of the trial's world: what belongs at the bottom of a client on trial.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::HOST;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tower_service::Service;

use crate::world::World;

/// What broke.
type Cause = Box<dyn Error + Send + Sync>;

trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Connection for S {}

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Connecting = Boxed<io::Result<Box<dyn Connection>>>;

/// Makes one call, once, over a connection of its own, and reads the answer to its end. It never repeats anything.
///
/// It is a [`tower_service::Service`], and works in real and in virtual time.
#[derive(Clone)]
pub struct Transport {
    connect: Arc<dyn Fn(String) -> Connecting + Send + Sync>,
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transport")
    }
}

impl Transport {
    pub(super) fn over<W: World>(world: &W) -> Self {
        let world = world.clone();
        let connect = move |authority: String| -> Connecting {
            let world = world.clone();
            Box::pin(async move {
                let stream = world.connect(&authority).await?;
                Ok(Box::new(stream) as Box<dyn Connection>)
            })
        };
        Transport {
            connect: Arc::new(connect),
        }
    }

    /// Makes one call and reads its answer to the end; an answer that breaks off is an error.
    ///
    /// # Errors
    /// There was no connection to be had, it broke, or what came back is not HTTP.
    pub async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let (authority, request) = prepared(request).map_err(TransportError)?;
        let stream = (self.connect)(authority).await.map_err(broke)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broke)?;
        // What breaks the connection is told to the call on it.
        tokio::spawn(async move { drop(connection.await) });
        let answer = sender.send_request(request).await.map_err(broke)?;
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(broke)?.to_bytes();
        Ok(Response::from_parts(head, body))
    }
}

/// Whom to connect to, and the request as it is written to a server: with its path alone, and its host in a header.
fn prepared(mut request: Request<Bytes>) -> Result<(String, Request<Full<Bytes>>), Cause> {
    let authority = request
        .uri()
        .authority()
        .ok_or("the request names no host")?
        .clone();
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse::<Uri>()?;
    if !request.headers().contains_key(HOST) {
        let host = HeaderValue::from_str(authority.as_str())?;
        request.headers_mut().insert(HOST, host);
    }
    let port = authority.port_u16().unwrap_or(80);
    Ok((format!("{}:{port}", authority.host()), request.map(Full::new)))
}

impl Service<Request<Bytes>> for Transport {
    type Response = Response<Bytes>;
    type Error = TransportError;
    type Future = Boxed<Result<Response<Bytes>, TransportError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let transport = self.clone();
        Box::pin(async move { transport.send(request).await })
    }
}

/// Why a call has no whole answer; its source says what broke.
#[derive(Debug)]
pub struct TransportError(Cause);

fn broke(error: impl Into<Cause>) -> TransportError {
    TransportError(error.into())
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the call has no whole answer: {}", self.0)
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}
