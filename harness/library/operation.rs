//! What a closure is asked to do.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request};

use crate::client::protocol::Order;

/// The header in which an operation's key is sent.
const KEY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// One logical request: the caller wants one answer.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The method.
    pub method: Method,
    /// The whole URL of the first target. Every call of this operation goes to one of its URLs, which tell it from others.
    pub url: String,
    /// Every target's whole URL.
    pub urls: Vec<String>,
    /// Headers to send.
    pub headers: Vec<(String, String)>,
    /// The body to send.
    pub body: Bytes,
    /// Whether the body is to be sent as a stream that cannot be read twice.
    pub stream: bool,
    /// The idempotency key to send with every attempt.
    pub key: Option<String>,
    /// How long the caller waits; only a client that [keeps deadlines](super::OnTrial::keeps_deadlines) is told.
    pub deadline: Option<Duration>,
}

impl Operation {
    /// The request of one attempt, with its key and headers, to the first target.
    ///
    /// # Errors
    /// The scenario holds a header that cannot be sent.
    pub fn request(&self) -> Result<Request<Bytes>, http::Error> {
        let mut request = Request::builder().method(&self.method).uri(&self.url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(key) = &self.key {
            request = request.header(KEY_HEADER, HeaderValue::from_str(key)?);
        }
        request.body(self.body.clone())
    }

    /// Reads an order.
    pub(super) fn of(order: Order) -> Result<Self, String> {
        let method = Method::from_bytes(order.method.as_bytes()).map_err(|e| e.to_string())?;
        let body = BASE64_STANDARD.decode(order.body_base64.unwrap_or_default());
        Ok(Operation {
            method,
            url: order.url,
            urls: order.urls,
            headers: order.headers,
            body: Bytes::from(body.map_err(|e| e.to_string())?),
            stream: order.stream,
            key: order.key,
            deadline: order.deadline_ms.map(Duration::from_millis),
        })
    }
}
