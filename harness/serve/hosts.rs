//! The names under which the control endpoint may be asked.
//!
//! A page in a browser is kept away by the name that it was loaded under: whoever owns that name can have it lead to this
//! machine a moment later (DNS rebinding), and the browser then takes the endpoint for the page's own and sends no
//! `Origin` with a GET. The name in `Host` is still the page's. An address is nobody's name.

use std::net::IpAddr;

use http::Request;
use http::header::HOST;
use http::uri::Authority;

/// The names that are this machine's.
#[derive(Debug, Clone)]
pub(super) struct Hosts {
    advertised: Option<String>,
}

impl Hosts {
    /// What is said to who asks under another.
    pub(super) const REFUSED: &str = "asked under a name that is not known to be this machine's: use its address, or start with --advertise NAME\n";

    /// Addresses and `localhost`, and this name.
    pub(super) fn known_as(advertised: Option<&str>) -> Self {
        Hosts {
            advertised: advertised.map(str::to_owned),
        }
    }

    /// Whether a request asks under known names only. A browser always says under which.
    pub(super) fn are_of<B>(&self, request: &Request<B>) -> bool {
        let of_uri = request.uri().authority().cloned();
        let named = request.headers().get_all(HOST).iter().map(|host| {
            let text = host.to_str().ok()?;
            text.parse::<Authority>().ok()
        });
        let mut all = of_uri.into_iter().map(Some).chain(named);
        all.all(|authority| authority.is_some_and(|a| self.is_known(a.host())))
    }

    fn is_known(&self, host: &str) -> bool {
        let bare = bare(host);
        let advertised = self.advertised.as_deref().map(self::bare);
        bare.parse::<IpAddr>().is_ok()
            || bare.eq_ignore_ascii_case("localhost")
            || advertised.is_some_and(|name| name.eq_ignore_ascii_case(bare))
    }
}

/// An IPv6 address without its brackets.
fn bare(host: &str) -> &str {
    let inner = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(uri: &str, hosts: &[&str]) -> bool {
        let mut request = Request::builder().uri(uri);
        for host in hosts {
            request = request.header(HOST, *host);
        }
        let request = request.body(()).expect("a request");
        Hosts::known_as(Some("build-7")).are_of(&request)
    }

    #[test]
    fn addresses_localhost_and_the_advertised_name_are_known() {
        for host in [
            "127.0.0.1:9000",
            "10.0.0.7",
            "[::1]:9000",
            "LocalHost:9",
            "Build-7:9000",
        ] {
            assert!(known("/", &[host]), "{host}");
        }
        assert!(known("/", &[]));
    }

    #[test]
    fn any_other_name_is_a_pages() {
        for host in [
            "evil.example",
            "localhost.evil.example:9000",
            "build-7.evil.example",
            "",
            "a b",
        ] {
            assert!(!known("/", &[host]), "{host}");
        }
        assert!(!known("/", &["127.0.0.1", "evil.example"]));
        assert!(!known("http://evil.example/", &["127.0.0.1"]));
    }
}
