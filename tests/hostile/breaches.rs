//! Adapters that break the protocol, and the sentence that says how.

use retrial::scenario::Start;

use crate::jsonl::{HELLO, driver};
use crate::leftovers::{alive, tag, tagged};
use crate::trial::{observe, patient, setup, short_bounds, trial};

/// A client that breaks the protocol, and a part of the sentence that says how.
struct Breach {
    script: &'static str,
    greets: bool,
    says: &'static str,
}

const BREACHES: [Breach; 12] = [
    Breach {
        script: "exit 0",
        greets: false,
        says: "the client left with exit status 0 before its hello",
    },
    Breach {
        script: "echo oops >&2; exit 1",
        greets: false,
        says: "left with exit status 1 before its hello; it last said: oops",
    },
    Breach {
        script: r#"echo '{"retrial":2,"client":"x"}'; sleep 300"#,
        greets: false,
        says: "speaks version 2",
    },
    Breach {
        script: r#"echo '{"hello":1}'; sleep 300"#,
        greets: false,
        says: "wrote a line that is no hello",
    },
    Breach {
        script: r#"read -r op; echo '{"op": nonsense'; sleep 300"#,
        greets: true,
        says: "is no result",
    },
    Breach {
        script: r#"read -r op; echo '{"op":"op-9","claim":"ok"}'; sleep 300"#,
        greets: true,
        says: "gave a result for op-9, which it was not asked",
    },
    Breach {
        script: r#"read -r op; for i in 1 2; do echo '{"op":"op-1","claim":"ok"}'; done; sleep 300"#,
        greets: true,
        says: "gave a second result for op-1",
    },
    Breach {
        script: "read -r op; head -c 2000000 /dev/zero | tr '\\0' x; sleep 300",
        greets: true,
        says: "wrote a line of more than 1 MiB",
    },
    Breach {
        script: "read -r op; exec 1>&-; sleep 300",
        greets: true,
        says: "closed its standard output while op-1 was outstanding",
    },
    Breach {
        script: "read -r op; echo Traceback >&2; exit 3",
        greets: true,
        says: "left with exit status 3 while op-1 was outstanding; it last said: Traceback",
    },
    Breach {
        script: "read -r op; kill -9 $$",
        greets: true,
        says: "left with signal 9 (SIGKILL) while op-1 was outstanding",
    },
    Breach {
        script: r#"read -r op; echo '{"op":"op-1","claim":"ok"}'; exit 0"#,
        greets: true,
        says: "left with exit status 0",
    },
];

#[tokio::test]
async fn a_breach_of_the_protocol_is_told_and_leaves_nothing_behind() {
    for Breach { script, greets, says } in BREACHES {
        let tag = tag();
        let script = tagged(&tag, &format!("{}{script}", if greets { HELLO } else { "" }));
        let driver = driver(&script, short_bounds());
        let evidence = observe(&driver, setup(trial(2, Start::InSequence), patient())).await;
        let broke = evidence.client.broke.unwrap_or_default();
        assert!(broke.contains(says), "{script}\nis told as: {broke}");
        assert_eq!(evidence.client.ready.is_some(), greets, "{script}");
        assert_eq!(alive(&tag), [""; 0], "{script}");
    }
}
