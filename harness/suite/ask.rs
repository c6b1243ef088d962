//! What of a trial a client can be asked, and the clause that says why not.

use std::path::Path;

use super::times::cannot_play;
use crate::client::{Client, DriverPlan};
use crate::promise::{BodyCan, DeadlineCan, KeysCan};
use crate::scenario::{Down, KeyPlan, Need, OperationGroup, Trial};
use crate::term::{OperationId, Time};
use crate::world::PortGate;

/// Where the system keeps its time zones.
const ZONES: &str = "/usr/share/zoneinfo";

/// What of a trial is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// The time in which it is asked.
    pub time: Time,
    /// The operations to ask, in order of id; none where the trial is skipped.
    pub asked: Vec<OperationId>,
    /// The others, with the clause that says why.
    pub left_out: Vec<(OperationId, String)>,
    /// Why the whole trial is skipped.
    pub skipped: Option<String>,
}

/// What of `trial` can be asked of `client` on this machine, in that time.
pub fn asking(trial: &Trial, client: &Client, time: Time) -> Asking {
    let mut asking = Asking {
        time,
        asked: Vec::new(),
        left_out: Vec::new(),
        skipped: None,
    };
    for planned in trial.planned() {
        match cannot_ask(planned.group, client) {
            None => asking.asked.push(planned.id),
            Some(because) => asking.left_out.push((planned.id, because)),
        }
    }
    asking.skipped = unmet_need(trial, client)
        .or_else(|| not_for_layers(trial, client))
        .or_else(|| nothing_left(trial, &asking))
        .or_else(|| cannot_play(trial, time))
        .or_else(|| missing_on_machine(trial, time));
    if asking.skipped.is_some() {
        asking.asked.clear();
    }
    asking
}

fn unmet_need(trial: &Trial, client: &Client) -> Option<String> {
    let unmet = trial.needs.iter().find(|need| !meets(client, **need))?;
    Some(match unmet {
        Need::ConnectionReuse => "the client does not keep connections".to_owned(),
        Need::Key => "the client sends no idempotency key".to_owned(),
        Need::Body => "the client cannot send a body".to_owned(),
        Need::Concurrency => "the client runs one operation at a time".to_owned(),
        Need::Deadline => "no deadline can be passed to the client".to_owned(),
        Need::Layers(n) => match &client.driver {
            DriverPlan::Service(plan) => {
                let has = plan.processes.len();
                format!("the scenario needs {n} layers, and the client has {has}")
            }
            DriverPlan::Exec { .. } | DriverPlan::Jsonl { .. } | DriverPlan::InProcess { .. } => {
                "the client is not made of layers".to_owned()
            }
        },
        Need::SeveralTargets => "the client takes one target only".to_owned(),
        Need::Refresh => "the client cannot refresh a token".to_owned(),
    })
}

/// Why a service cannot play a trial that was not written for one: it calls dependencies of its own choice.
fn not_for_layers(trial: &Trial, client: &Client) -> Option<String> {
    let DriverPlan::Service(plan) = &client.driver else {
        return None;
    };
    if !trial.needs.iter().any(|need| matches!(need, Need::Layers(_))) {
        return Some("the client is a service, and the scenario is not written for layers".to_owned());
    }
    if trial.clients() > 1 {
        return Some("a service is one client, and the scenario asks for several".to_owned());
    }
    if trial.operations.iter().any(|group| group.restarts > 0) {
        return Some("a service is not started anew within a trial, and the scenario asks for it".to_owned());
    }
    let missing = plan.calls.iter().find(|name| trial.dependency(name).is_none());
    if let Some(name) = missing {
        return Some(format!(
            "the service calls `{name}`, which the scenario does not have"
        ));
    }
    let taken = plan
        .processes
        .iter()
        .find(|p| trial.dependency(&p.name).is_some());
    taken.map(|p| format!("a layer and a dependency are both named `{}`", p.name))
}

fn meets(client: &Client, need: Need) -> bool {
    let can = &client.can;
    match need {
        Need::ConnectionReuse => can.keeps_connections,
        Need::Key => can.keys != KeysCan::None,
        Need::Body => can.body != BodyCan::None,
        Need::Concurrency => match client.driver {
            DriverPlan::Jsonl { concurrency, .. } | DriverPlan::InProcess { concurrency } => concurrency > 1,
            // Every operation has a process of its own.
            DriverPlan::Exec { .. } => true,
            DriverPlan::Service(ref plan) => plan.passes_trace || client.invocation_header.is_some(),
        },
        Need::Deadline => can.deadline != DeadlineCan::None,
        Need::SeveralTargets => can.targets > 1,
        Need::Layers(n) => match &client.driver {
            DriverPlan::Service(plan) => plan.processes.len() >= n as usize,
            DriverPlan::Exec { .. } | DriverPlan::Jsonl { .. } | DriverPlan::InProcess { .. } => false,
        },
        // No driver refreshes tokens yet.
        Need::Refresh => false,
    }
}

fn cannot_ask(group: &OperationGroup, client: &Client) -> Option<String> {
    let (request, can) = (&group.request, &client.can);
    if !can.methods.is_empty() && !can.methods.contains(&request.method) {
        return Some(format!("the client can only {}", can.methods.join(", ")));
    }
    if request.body.is_some() && can.body == BodyCan::None {
        return Some("the client cannot send a body".to_owned());
    }
    if request.stream && can.body < BodyCan::Stream {
        return Some("the client cannot send a stream that cannot be read twice".to_owned());
    }
    if group.cancel_after.is_some() && !can.cancel {
        return Some("the client cannot be told that its caller has given up".to_owned());
    }
    if !request.headers.is_empty() && !can.headers {
        return Some("the client cannot be handed headers".to_owned());
    }
    if request.to.len() > can.targets as usize {
        let (several, targets) = (request.to.len(), can.targets);
        return Some(format!("the client takes {targets} of {several} targets"));
    }
    key_cannot(request.key.as_ref(), can.keys).map(str::to_owned)
}

fn key_cannot(key: Option<&KeyPlan>, keys: KeysCan) -> Option<&'static str> {
    match (key, keys) {
        (None, _) | (Some(_), KeysCan::Given) | (Some(KeyPlan::Own), KeysCan::Own) => None,
        (Some(_), KeysCan::None) => Some("the client sends no idempotency key"),
        (Some(KeyPlan::Shared(_)), KeysCan::Own) => Some("the client makes its own keys and shares none"),
    }
}

/// Why nothing worth asking is left.
fn nothing_left(trial: &Trial, asking: &Asking) -> Option<String> {
    if asking.asked.is_empty() {
        return Some(reasons(asking));
    }
    let meets_fault = |id: &OperationId| {
        let to = trial.operation(*id).map(|planned| &planned.request().to);
        let mut dependencies = to.into_iter().flatten().filter_map(|name| trial.dependency(name));
        dependencies.any(|dependency| !dependency.healthy)
    };
    let met_by_others = asking.left_out.iter().any(|(id, _)| meets_fault(id));
    let met = asking.asked.iter().any(meets_fault);
    (met_by_others && !met)
        .then(|| format!("what the client can be asked meets no fault: {}", reasons(asking)))
}

/// The clauses for which operations are left out, each once.
fn reasons(asking: &Asking) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for (_, because) in &asking.left_out {
        if !reasons.contains(&because.as_str()) {
            reasons.push(because);
        }
    }
    reasons.join("; ")
}

/// Why the machine cannot play the trial; in virtual time nothing is asked of it.
fn missing_on_machine(trial: &Trial, time: Time) -> Option<String> {
    match time {
        Time::Real => missing_zone(trial.zone.as_deref(), Path::new(ZONES)).or_else(|| no_black_hole(trial)),
        Time::Virtual => None,
    }
}

/// Why the system cannot play an outage of the trial, where it cannot.
fn no_black_hole(trial: &Trial) -> Option<String> {
    let mut outages = trial.dependencies.iter().flat_map(|d| &d.outages);
    let wanted = outages.any(|o| matches!(o.be, Down::BlackHole));
    let missing = PortGate::without_black_hole().filter(|_| wanted)?;
    Some(missing.to_owned())
}

fn missing_zone(zone: Option<&str>, folder: &Path) -> Option<String> {
    // UTC needs no file: it is what a system without zones falls back to.
    let zone = zone.filter(|zone| *zone != "UTC")?;
    let file = folder.join(zone);
    (!file.is_file()).then(|| format!("the time zone {zone} is not on this machine ({})", file.display()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::example::client;
    use super::*;
    use crate::scenario;
    use crate::source::Source;

    const TWO: &str = "
version: 1
title: Two operations
dependencies:
  faulty: {script: [{times: 1, answer: {status: 503}}, {answer: {status: 200}}]}
  steady: {}
operations:
  - {request: {method: GET, to: [FIRST], path: /a}}
  - {request: {method: POST, to: [faulty], path: /b, key: own, body: {text: x}}}
";

    fn trial(first: &str) -> Trial {
        let source = Source::new("two.yaml", TWO.replace("FIRST", first));
        let loaded = scenario::load(Arc::new(source), "two");
        loaded.expect("the scenario is valid").remove(0)
    }

    #[test]
    fn what_a_client_cannot_do_is_left_out_with_its_clause() {
        let asking = asking(&trial("faulty"), &client(), Time::Real);
        assert_eq!(asking.asked, [OperationId(1)]);
        assert_eq!(
            asking.left_out,
            [(OperationId(2), "the client can only GET".to_owned())]
        );
        assert_eq!(asking.skipped, None);
    }

    #[test]
    fn a_trial_whose_faults_the_client_cannot_meet_is_skipped() {
        let asking = asking(&trial("steady"), &client(), Time::Real);
        assert_eq!(asking.asked, []);
        assert_eq!(
            asking.skipped.as_deref(),
            Some("what the client can be asked meets no fault: the client can only GET")
        );
    }

    #[test]
    fn each_capability_is_asked_for_in_turn() {
        let mut client = client();
        let why = |client: &Client| {
            asking(&trial("faulty"), client, Time::Real)
                .left_out
                .pop()
                .map(|(_, why)| why)
        };
        client.can.methods.clear();
        assert_eq!(why(&client).as_deref(), Some("the client cannot send a body"));
        client.can.body = BodyCan::Bytes;
        assert_eq!(
            why(&client).as_deref(),
            Some("the client sends no idempotency key")
        );
        client.can.keys = KeysCan::Given;
        assert_eq!(why(&client), None);
    }

    #[test]
    fn an_unmet_need_skips_the_trial() {
        let mut trial = trial("faulty");
        trial.needs = vec![Need::Deadline];
        let asking = asking(&trial, &client(), Time::Real);
        assert_eq!(
            asking.skipped.as_deref(),
            Some("no deadline can be passed to the client")
        );
    }

    #[test]
    fn a_zone_that_is_not_on_the_machine_skips_the_trial() {
        let nowhere = Path::new("/retrial-has-no-zones");
        assert_eq!(missing_zone(None, nowhere), None);
        assert_eq!(missing_zone(Some("UTC"), nowhere), None);
        assert_eq!(
            missing_zone(Some("Asia/Tokyo"), nowhere).as_deref(),
            Some("the time zone Asia/Tokyo is not on this machine (/retrial-has-no-zones/Asia/Tokyo)")
        );
    }
}
