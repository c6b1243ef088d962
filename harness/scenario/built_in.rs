//! The scenarios that the program carries, and the one that it writes for a beginner.

/// The built-in scenarios: name and YAML, in the order of their names.
pub fn built_in() -> &'static [(&'static str, &'static str)] {
    BUILT_IN
}

const BUILT_IN: &[(&str, &str)] = &[
    ("breaker", include_str!("../../scenarios/breaker.yaml")),
    ("budget-cap", include_str!("../../scenarios/budget-cap.yaml")),
    (
        "budget-low-traffic",
        include_str!("../../scenarios/budget-low-traffic.yaml"),
    ),
    (
        "budget-low-traffic-floor",
        include_str!("../../scenarios/budget-low-traffic-floor.yaml"),
    ),
    (
        "budget-one-in-ten",
        include_str!("../../scenarios/budget-one-in-ten.yaml"),
    ),
    ("budget-quota", include_str!("../../scenarios/budget-quota.yaml")),
    (
        "budget-throttle",
        include_str!("../../scenarios/budget-throttle.yaml"),
    ),
    (
        "budget-window",
        include_str!("../../scenarios/budget-window.yaml"),
    ),
    ("cancelled", include_str!("../../scenarios/cancelled.yaml")),
    (
        "capacity-at-once",
        include_str!("../../scenarios/capacity-at-once.yaml"),
    ),
    (
        "capacity-per-tick",
        include_str!("../../scenarios/capacity-per-tick.yaml"),
    ),
    (
        "closed-after-answer",
        include_str!("../../scenarios/closed-after-answer.yaml"),
    ),
    (
        "connection-close",
        include_str!("../../scenarios/connection-close.yaml"),
    ),
    (
        "cut-at-accept",
        include_str!("../../scenarios/cut-at-accept.yaml"),
    ),
    ("cut-request", include_str!("../../scenarios/cut-request.yaml")),
    ("early-answer", include_str!("../../scenarios/early-answer.yaml")),
    (
        "early-answer-reset",
        include_str!("../../scenarios/early-answer-reset.yaml"),
    ),
    (
        "fleet-lockstep",
        include_str!("../../scenarios/fleet-lockstep.yaml"),
    ),
    (
        "garbled-answer",
        include_str!("../../scenarios/garbled-answer.yaml"),
    ),
    ("healthy", include_str!("../../scenarios/healthy.yaml")),
    (
        "idempotency-kinds",
        include_str!("../../scenarios/idempotency-kinds.yaml"),
    ),
    (
        "idle-close-race",
        include_str!("../../scenarios/idle-close-race.yaml"),
    ),
    ("jitter", include_str!("../../scenarios/jitter.yaml")),
    ("key-begun", include_str!("../../scenarios/key-begun.yaml")),
    (
        "key-by-caller",
        include_str!("../../scenarios/key-by-caller.yaml"),
    ),
    ("key-expires", include_str!("../../scenarios/key-expires.yaml")),
    (
        "key-in-flight",
        include_str!("../../scenarios/key-in-flight.yaml"),
    ),
    ("key-lost-ack", include_str!("../../scenarios/key-lost-ack.yaml")),
    ("key-missing", include_str!("../../scenarios/key-missing.yaml")),
    (
        "key-other-content",
        include_str!("../../scenarios/key-other-content.yaml"),
    ),
    ("layers-keyed", include_str!("../../scenarios/layers-keyed.yaml")),
    (
        "layers-methods",
        include_str!("../../scenarios/layers-methods.yaml"),
    ),
    ("layers-owner", include_str!("../../scenarios/layers-owner.yaml")),
    (
        "layers-persistent",
        include_str!("../../scenarios/layers-persistent.yaml"),
    ),
    (
        "layers-transient",
        include_str!("../../scenarios/layers-transient.yaml"),
    ),
    (
        "lost-acknowledgment",
        include_str!("../../scenarios/lost-acknowledgment.yaml"),
    ),
    (
        "lost-acknowledgment-hang",
        include_str!("../../scenarios/lost-acknowledgment-hang.yaml"),
    ),
    (
        "lost-acknowledgment-in-answer",
        include_str!("../../scenarios/lost-acknowledgment-in-answer.yaml"),
    ),
    ("lost-request", include_str!("../../scenarios/lost-request.yaml")),
    (
        "outage-black-hole",
        include_str!("../../scenarios/outage-black-hole.yaml"),
    ),
    (
        "outage-endless",
        include_str!("../../scenarios/outage-endless.yaml"),
    ),
    ("outage-ends", include_str!("../../scenarios/outage-ends.yaml")),
    ("outage-flaps", include_str!("../../scenarios/outage-flaps.yaml")),
    (
        "outage-refused",
        include_str!("../../scenarios/outage-refused.yaml"),
    ),
    (
        "outage-silent",
        include_str!("../../scenarios/outage-silent.yaml"),
    ),
    (
        "permanent-status",
        include_str!("../../scenarios/permanent-status.yaml"),
    ),
    ("retry-after", include_str!("../../scenarios/retry-after.yaml")),
    (
        "retry-after-beyond-deadline",
        include_str!("../../scenarios/retry-after-beyond-deadline.yaml"),
    ),
    (
        "retry-after-clock-off",
        include_str!("../../scenarios/retry-after-clock-off.yaml"),
    ),
    (
        "retry-after-content-too-large",
        include_str!("../../scenarios/retry-after-content-too-large.yaml"),
    ),
    (
        "retry-after-malformed",
        include_str!("../../scenarios/retry-after-malformed.yaml"),
    ),
    (
        "retry-after-past",
        include_str!("../../scenarios/retry-after-past.yaml"),
    ),
    (
        "retry-after-punished",
        include_str!("../../scenarios/retry-after-punished.yaml"),
    ),
    (
        "retry-after-redirect",
        include_str!("../../scenarios/retry-after-redirect.yaml"),
    ),
    ("retry-budget", include_str!("../../scenarios/retry-budget.yaml")),
    (
        "reused-connection-lost",
        include_str!("../../scenarios/reused-connection-lost.yaml"),
    ),
    ("slow-attempt", include_str!("../../scenarios/slow-attempt.yaml")),
    (
        "slowed-by-load",
        include_str!("../../scenarios/slowed-by-load.yaml"),
    ),
    ("spacing", include_str!("../../scenarios/spacing.yaml")),
    ("spacing-own", include_str!("../../scenarios/spacing-own.yaml")),
    ("stalled-body", include_str!("../../scenarios/stalled-body.yaml")),
    (
        "status-after-effect",
        include_str!("../../scenarios/status-after-effect.yaml"),
    ),
    (
        "status-before-effect",
        include_str!("../../scenarios/status-before-effect.yaml"),
    ),
    ("stream-body", include_str!("../../scenarios/stream-body.yaml")),
    (
        "truncated-answer",
        include_str!("../../scenarios/truncated-answer.yaml"),
    ),
    (
        "truncated-for-good",
        include_str!("../../scenarios/truncated-for-good.yaml"),
    ),
];

/// A commented scenario to begin with, which loads and runs as it stands.
pub fn starter(name: &str) -> String {
    let title = name.replace(['-', '_'], " ");
    STARTER.replace("{title}", &serde_json::Value::from(title).to_string())
}

const STARTER: &str = include_str!("starter.yaml");

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::scenario::load;
    use crate::source::{Source, render};

    #[test]
    fn the_list_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter_map(|file| file.strip_suffix(".yaml").map(str::to_owned))
            .collect();
        files.sort();
        let listed: Vec<&str> = built_in().iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, files);
    }

    #[test]
    fn every_one_loads() {
        for (name, yaml) in built_in() {
            let source = Arc::new(Source::new(format!("built-in:{name}"), *yaml));
            if let Err(problems) = load(source, name) {
                panic!("{}", render(&problems, false));
            }
        }
    }

    #[test]
    fn the_starter_loads_under_any_name() {
        for name in ["lost-answer", "a \"quoted\": name", "#", "503", "null"] {
            let source = Arc::new(Source::new("starter.yaml", starter(name)));
            match load(source, name) {
                Ok(trials) => assert_eq!(trials.len(), 2),
                Err(problems) => panic!("{}", render(&problems, false)),
            }
        }
    }
}
