//! A layer to be tested with: this test program, started with the one ignored test below and told by variables what to be.

use std::env::var;
use std::io::Write;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

/// What this layer does.
struct Layer {
    /// Attempts at the whole of what it is asked.
    outer: u32,
    /// Attempts at the one request that may fail.
    inner: u32,
    /// Whether it hands on the marks that it is sent.
    marks: bool,
    conduct: String,
}

#[tokio::test]
#[ignore = "not a test: the process that the tests start"]
async fn stand_in() {
    let Ok(port) = var("RETRIAL_PORT") else { return };
    let number = |name: &str| var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let conduct = var("CONDUCT").unwrap_or_default();
    writeln!(std::io::stdout(), "the stand-in is {conduct}").unwrap();
    match conduct.as_str() {
        "leaves" => std::process::exit(7),
        "never ready" => std::future::pending::<()>().await,
        "stays" => ignore_sigterm(),
        _ => {}
    }
    // It is left alone on purpose: whoever ends this process has to find it.
    let _child = (conduct == "child").then(|| tokio::process::Command::new("sleep").arg("300").spawn());
    if let Ok(every) = var("CHECKS_EVERY_MS") {
        let every = std::time::Duration::from_millis(every.parse().unwrap());
        // The first is there before anybody asks for anything, as with gateways that check what is behind them.
        check(0).await;
        tokio::spawn(async move {
            for nth in 1_u32.. {
                tokio::time::sleep(every).await;
                check(nth).await;
            }
        });
    }
    let layer = Arc::new(Layer {
        outer: number("OUTER"),
        inner: number("INNER"),
        marks: var("MARKS").is_ok(),
        conduct,
    });
    let app = Router::new()
        .route("/health", axum::routing::get(|| async { "well" }))
        .route("/health/{nth}", axum::routing::get(|| async { "well" }))
        .fallback(answer)
        .with_state(layer);
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await.unwrap();
    axum::serve(listener, app).await.unwrap();
}

fn ignore_sigterm() {
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).unwrap();
    tokio::spawn(async move { while terminated.recv().await.is_some() {} });
}

async fn answer(State(layer): State<Arc<Layer>>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    if layer.conduct == "dies" {
        std::io::stderr().write_all(b"it was too much\n").unwrap();
        std::process::exit(3);
    }
    let mut last = StatusCode::BAD_GATEWAY;
    for _ in 0..layer.outer {
        let asked = Asked {
            method: parts.method.clone(),
            uri: parts.uri.clone(),
            headers: parts.headers.clone(),
            body: body.clone(),
        };
        last = match var("RETRIAL_URL_LOAN") {
            Ok(upstream) => send(&upstream, &asked, &asked.headers).await,
            Err(_) => layer.lend(&asked).await,
        };
        if last.as_u16() < 500 {
            break;
        }
    }
    last.into_response()
}

/// A request as it came.
struct Asked {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Layer {
    /// The work of a loan service: membership once, then the notification, which may fail.
    async fn lend(&self, asked: &Asked) -> StatusCode {
        let mut headers = HeaderMap::new();
        for (name, value) in &asked.headers {
            let is_mark = ["traceparent", "x-request-id"].contains(&name.as_str());
            if name == "idempotency-key" || (self.marks && is_mark) {
                headers.insert(name.clone(), value.clone());
            }
        }
        let member = Asked {
            method: Method::GET,
            uri: "/member".parse().unwrap(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        };
        send(&var("RETRIAL_URL_MEMBERSHIP").unwrap(), &member, &headers).await;
        let notice = Asked {
            method: asked.method.clone(),
            uri: "/notify".parse().unwrap(),
            headers: HeaderMap::new(),
            body: Bytes::from_static(b"{}"),
        };
        let mut last = StatusCode::BAD_GATEWAY;
        for _ in 0..self.inner {
            last = send(&var("RETRIAL_URL_NOTIFICATION").unwrap(), &notice, &headers).await;
            if last.as_u16() < 500 {
                break;
            }
        }
        last
    }
}

/// A health check of what is behind this layer. A gateway never asks for the same twice, so that only the mark that its
/// checks lack tells them apart.
async fn check(nth: u32) {
    let (below, path) = match (var("RETRIAL_URL_LOAN"), var("RETRIAL_URL_MEMBERSHIP")) {
        (Ok(loan), _) => (loan, format!("/health/{nth}")),
        (Err(_), membership) => (membership.unwrap(), "/health".to_owned()),
    };
    let asked = Asked {
        method: Method::GET,
        uri: path.parse().unwrap(),
        headers: HeaderMap::new(),
        body: Bytes::new(),
    };
    send(&below, &asked, &asked.headers).await;
}

/// One request on a connection of its own.
async fn send(base: &str, asked: &Asked, headers: &HeaderMap) -> StatusCode {
    let authority = base.strip_prefix("http://").unwrap();
    let stream = TcpStream::connect(authority).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut request = hyper::Request::new(Full::new(asked.body.clone()));
    *request.method_mut() = asked.method.clone();
    *request.uri_mut() = asked.uri.clone();
    let own = ["host", "content-length", "transfer-encoding"];
    for (name, value) in headers.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
        request.headers_mut().insert(name.clone(), value.clone());
    }
    request.headers_mut().insert("host", authority.parse().unwrap());
    let status = match sender.send_request(request).await {
        Ok(answer) => {
            let status = answer.status();
            let _ = answer.into_body().collect().await;
            status
        }
        Err(_) => StatusCode::BAD_GATEWAY,
    };
    connection.abort();
    status
}
