//! What a fleet did against what one process may, in a sentence.

use super::figures::counted;
use crate::judge::{FleetCounts, TrialCounts};

/// The sentence of a trial with several processes; `None` where there is one, or where nothing is known that would bound
/// what one may do.
pub(super) fn sentence(counts: &TrialCounts) -> Option<String> {
    let fleet = counts.fleet.as_ref()?;
    let may = fleet.one_process_may?;
    Some(format!(
        "{} made {} for {}; one process with its budget may make {may} for as many",
        processes(fleet),
        counted(fleet.calls, "call"),
        counted(fleet.operations, "operation"),
    ))
}

fn processes(fleet: &FleetCounts) -> String {
    let clients = counted(fleet.clients, "client");
    match fleet.processes > fleet.clients {
        true => format!(
            "{clients}, {} processes with those started anew,",
            fleet.processes
        ),
        false => clients,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(processes: u64, one_process_may: Option<u64>) -> Option<String> {
        sentence(&TrialCounts {
            fleet: Some(FleetCounts {
                clients: 20,
                processes,
                operations: 40,
                calls: 120,
                one_process_may,
            }),
            ..TrialCounts::default()
        })
    }

    #[test]
    fn a_fleet_is_told_against_one_process() {
        insta::assert_snapshot!(
            said(40, Some(46)).unwrap_or_default(),
            @"20 clients, 40 processes with those started anew, made 120 calls for 40 operations; one process with its budget may make 46 for as many"
        );
        insta::assert_snapshot!(
            said(20, Some(46)).unwrap_or_default(),
            @"20 clients made 120 calls for 40 operations; one process with its budget may make 46 for as many"
        );
    }

    #[test]
    fn where_no_budget_is_promised_there_is_nothing_to_tell_it_against() {
        assert_eq!(said(20, None), None);
        assert_eq!(sentence(&TrialCounts::default()), None);
    }
}
