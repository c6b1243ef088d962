//! Where dependencies are served, and under which host they are made known.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::world::{PortGate, RealWorld};

/// Where dependencies are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    /// The interface to listen on.
    pub bind: IpAddr,
    /// The host that stands in the URLs; `None` is the interface itself, or loopback where that is every interface.
    pub advertise: Option<String>,
    /// The ports that were chosen, by dependency; the others get a free one.
    pub ports: BTreeMap<String, u16>,
}

impl Default for Addresses {
    /// Loopback, free ports.
    fn default() -> Self {
        Addresses {
            bind: Ipv4Addr::LOCALHOST.into(),
            advertise: None,
            ports: BTreeMap::new(),
        }
    }
}

impl Addresses {
    /// Reserves the address of this dependency.
    ///
    /// # Errors
    /// It cannot be had; the error is a sentence that names dependency and address.
    pub(super) fn reserve(&self, dependency: &str) -> io::Result<PortGate> {
        let port = self.ports.get(dependency).copied().unwrap_or(0);
        let address = SocketAddr::new(self.bind, port);
        RealWorld
            .listen_at(address)
            .map_err(|e| sentence(&e, &format!("{dependency} cannot be served on {address}")))
    }

    /// The URL that leads to a gate, without a path.
    pub(super) fn url(&self, gate: &PortGate) -> String {
        let at = gate.address();
        let authority = match (&self.advertise, at.ip()) {
            (Some(host), _) => format!("{}:{}", bracketed(host), at.port()),
            (None, IpAddr::V4(ip)) if ip.is_unspecified() => format!("127.0.0.1:{}", at.port()),
            (None, IpAddr::V6(ip)) if ip.is_unspecified() => format!("[::1]:{}", at.port()),
            (None, _) => at.to_string(),
        };
        format!("http://{authority}")
    }
}

/// A bare IPv6 address needs brackets in a URL.
fn bracketed(host: &str) -> String {
    match host.contains(':') && !host.starts_with('[') {
        true => format!("[{host}]"),
        false => host.to_owned(),
    }
}

/// An error as a sentence, in the words of somebody who chose the address.
pub(super) fn sentence(error: &io::Error, what: &str) -> io::Error {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "the port is taken".to_owned(),
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        io::ErrorKind::PermissionDenied => "the port is not allowed to this user".to_owned(),
        _ => error.to_string(),
    };
    io::Error::new(error.kind(), format!("{what}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(bind: &str, advertise: Option<&str>) -> String {
        let addresses = Addresses {
            bind: bind.parse().unwrap(),
            advertise: advertise.map(str::to_owned),
            ..Addresses::default()
        };
        let gate = addresses.reserve("quota").unwrap();
        let port = format!(":{}", gate.address().port());
        addresses.url(&gate).replace(&port, ":PORT")
    }

    #[tokio::test]
    async fn a_url_names_the_advertised_host_else_one_that_can_be_reached() {
        assert_eq!(url("127.0.0.1", None), "http://127.0.0.1:PORT");
        assert_eq!(url("0.0.0.0", None), "http://127.0.0.1:PORT");
        assert_eq!(url("0.0.0.0", Some("build-7")), "http://build-7:PORT");
        assert_eq!(url("127.0.0.1", Some("fd00::7")), "http://[fd00::7]:PORT");
    }

    #[tokio::test]
    async fn a_taken_port_is_said_with_the_dependency_that_wants_it() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let addresses = Addresses {
            ports: BTreeMap::from([("quota".to_owned(), port)]),
            ..Addresses::default()
        };
        let sentence = format!("quota cannot be served on 127.0.0.1:{port}: the port is taken");
        assert_eq!(addresses.reserve("quota").unwrap_err().to_string(), sentence);
    }
}
