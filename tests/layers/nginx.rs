//! nginx as the gateway, configured from a template: what it sends again by itself, and what it must be told to.

use super::needed::is_here;
use super::stack::{Ran, client_with_gateway, loan, run_client};

/// Two servers, which are the same one: nginx only tries another.
const TEMPLATE: &str = "
daemon off;
worker_processes 1;
pid {tmp}/nginx.pid;
error_log stderr warn;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path {tmp}/body; proxy_temp_path {tmp}/proxy; fastcgi_temp_path {tmp}/fastcgi;
  uwsgi_temp_path {tmp}/uwsgi; scgi_temp_path {tmp}/scgi;
  upstream service {
    server {address:loan} max_fails=0;
    server {address:loan} max_fails=0;
    server {address:loan} max_fails=0;
  }
  server {
    listen 127.0.0.1:{port};
    location / { proxy_pass http://service; proxy_next_upstream error timeout http_503 MORE; }
  }
}
";

const GATEWAY: &str = "      - name: front
        role: gateway
        command: [nginx, -p, '{tmp}', -c, '{file:nginx.conf}', -e, stderr]
        files: {nginx.conf: template.conf}
";

fn behind_nginx(more: &str, scenario: &str) -> Ran {
    let folder = tempfile::Builder::new()
        .prefix("layers-nginx-")
        .tempdir()
        .unwrap();
    std::fs::write(
        folder.path().join("template.conf"),
        TEMPLATE.replace("MORE", more),
    )
    .unwrap();
    run_client(folder, &client_with_gateway(&loan(1, 1), GATEWAY), scenario)
}

#[test]
fn nginx_leaves_a_post_alone_unless_it_is_told_otherwise() {
    if !is_here("nginx") {
        return;
    }
    let ran = behind_nginx("", "layers-transient");
    assert_eq!(ran.counts(), [1, 1, 1, 1, 1], "{}", ran.text);
    assert_eq!(ran.status, 0, "{}", ran.text);
    let ran = behind_nginx("non_idempotent", "layers-transient");
    assert_eq!(ran.counts(), [1, 3, 3, 3, 3], "{}", ran.text);
    assert_eq!(ran.findings("unsafe.not_repeated")[0].0, "fail", "{}", ran.text);
}

#[test]
fn nginx_sends_a_get_again_and_is_not_blamed_for_that() {
    if !is_here("nginx") {
        return;
    }
    let get = include_str!("../../scenarios/layers-transient.yaml").replace("POST", "GET");
    let ran = behind_nginx("", &get);
    assert_eq!(ran.counts(), [1, 3, 3, 3, 3], "{}", ran.text);
    assert_eq!(ran.findings("unsafe.not_repeated"), []);
}
