//! The lines of an adapter: a process that says them and reads what it is asked.

use retrial::drive::Jsonl;
use retrial::scenario::Start;

use crate::trial::{IMPATIENT, jsonl_client, observe, setup, short_bounds, trial};

const LINES: [&str; 3] = [
    "{\"retrial\":1,\"client\":\"fuzz\",\"version\":\"1\"}\n\
     {\"op\":\"op-1\",\"claim\":\"ok\",\"status\":200,\"attempts\":3,\"stop\":\"ok\"}\n\
     {\"op\":\"op-2\",\"claim\":\"failed\",\"stop\":\"attempt_cap\",\"error\":\"e\"}\n",
    "talk\n{\"retrial\":1,\"client\":\"fuzz\"}\n{\"op\":\"op-2\",\"could_not_run\":\"so\"}\n\
     {\"op\":\"op-1\",\"claim\":\"unknown\",\"status\":599,\"attempts\":0,\"stop\":\"unreported\"}\n",
    "{\"retrial\":1,\"client\":\"fuzz\",\"version\":null}\n{ \"op\": \"op-1\", \"claim\": \"ok\", \
     \"body_sha256\": \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\" }\n\\u0000\n",
];

/// Three adapters that keep to the protocol.
pub fn seeds() -> Vec<Vec<u8>> {
    LINES.map(|lines| lines.as_bytes().to_vec()).to_vec()
}

/// Its trial ends, and its client with it. [`observe`] fails where the trial does not end or the harness does.
pub fn is_sound(bytes: &[u8]) -> Result<(), String> {
    let file = tempfile::NamedTempFile::new().map_err(|e| e.to_string())?;
    std::fs::write(file.path(), bytes).map_err(|e| e.to_string())?;
    let script = format!("read -r hello; cat '{}'; cat >/dev/null", file.path().display());
    let driver = Jsonl::new(&jsonl_client(&script))?.with_bounds(retrial::drive::Bounds {
        start: std::time::Duration::from_millis(500),
        ..short_bounds()
    });
    let runtime = tokio::runtime::Runtime::new().map_err(|e| e.to_string())?;
    let evidence = runtime.block_on(observe(&driver, setup(trial(2, Start::AtOnce), IMPATIENT)));
    match evidence.client.ends.len() {
        1 => Ok(()),
        n => Err(format!("one client has {n} ends")),
    }
}
