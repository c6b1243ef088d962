//! A client made by hand, for the tests of this room.

use std::sync::Arc;

use crate::client::{Argument, Client, DriverPlan, StdoutIs, SuccessIs};
use crate::promise::{Can, Promises};
use crate::source::Source;

/// A command that can only GET.
pub(super) fn client() -> Client {
    Client {
        name: "curl".to_owned(),
        driver: DriverPlan::Exec {
            command: vec![
                Argument::One("curl".to_owned()),
                Argument::One("{url}".to_owned()),
            ],
            success: SuccessIs::Answered,
            stdout: StdoutIs::Talk,
        },
        requires: Vec::new(),
        can: Can::default(),
        promises: Promises::default(),
        invocation_header: None,
        key_header: None,
        expected: Vec::new(),
        folder: None,
        source: Arc::new(Source::new("client.yaml", "version: 1\n")),
    }
}
