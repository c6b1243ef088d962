//! What a client promises under a policy that it was handed and takes.

use super::{Given, Promises, Retries};

impl Promises {
    /// These promises of a client that follows what it is handed: what the policy says of attempts, of one attempt's time and
    /// of what is repeated counts as promised, and of the rest its own. Waits, budgets and breakers are read where they are
    /// judged.
    #[must_use]
    pub fn taking(mut self, given: &Given) -> Promises {
        self.attempts = given.attempts.or(self.attempts);
        self.attempt_timeout = given.attempt_timeout.or(self.attempt_timeout);
        if given.statuses.is_some() || given.failures.is_some() {
            let own = self.retries.take().unwrap_or_default();
            self.retries = Some(Retries {
                statuses: given.statuses.clone().or(own.statuses),
                failures: given.failures.clone().or(own.failures),
                methods: own.methods,
            });
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promise::FailureKind;

    #[test]
    fn what_is_handed_over_counts_and_of_the_rest_what_was_promised() {
        let own = Promises {
            attempts: Some(5),
            retries: Some(Retries {
                statuses: Some(vec![500]),
                failures: Some(vec![FailureKind::Reset]),
                methods: Some(vec!["GET".to_owned()]),
            }),
            ..Promises::default()
        };
        let given = Given {
            attempts: Some(2),
            statuses: Some(vec![503]),
            ..Given::default()
        };
        let taken = own.clone().taking(&given);
        assert_eq!(taken.attempts, Some(2));
        let retries = taken.retries.expect("what is repeated");
        assert_eq!(retries.statuses, Some(vec![503]));
        assert_eq!(retries.failures, Some(vec![FailureKind::Reset]));
        assert_eq!(retries.methods, Some(vec!["GET".to_owned()]));
        assert_eq!(own.clone().taking(&Given::default()), own);
    }

    #[test]
    fn a_client_that_promises_nothing_promises_what_it_takes() {
        let given = Given {
            attempts: Some(4),
            failures: Some(Vec::new()),
            ..Given::default()
        };
        let taken = Promises::default().taking(&given);
        assert_eq!(taken.attempts, Some(4));
        assert_eq!(taken.retries.and_then(|r| r.failures), Some(Vec::new()));
    }
}
