//! The built-in client: a stranger that is started like any other.

use std::sync::Arc;

use crate::client::{self, Client, DriverPlan};
use crate::source::{Problem, Source};

const FILE: &str = include_str!("../../fixtures/reference/client.yaml");

/// The reference client, as `program client` starts it, with one deliberate defect if a mutant is named.
///
/// # Errors
/// Its embedded file is wrong: only a mistake in this crate can cause it, and a test would say so.
pub fn reference(program: &str, mutant: Option<&str>) -> Result<Client, Vec<Problem>> {
    let source = Arc::new(Source::new("built-in:reference", FILE));
    let mut client = client::load(source, None)?;
    if let DriverPlan::Jsonl { command, .. } = &mut client.driver {
        // The file says `retrial`; which program that is, is known only here.
        if let Some(first) = command.first_mut() {
            program.clone_into(first);
        }
        if let Some(mutant) = mutant {
            command.extend(["--mutant".to_owned(), mutant.to_owned()]);
        }
    }
    if let Some(mutant) = mutant {
        client.name = format!("{} with the defect {mutant}", client.name);
    }
    Ok(client)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_is_started_like_a_stranger() {
        let client = reference("/bin/retrial", Some("one-more")).unwrap();
        let DriverPlan::Jsonl { command, .. } = client.driver else {
            panic!("the reference speaks jsonl");
        };
        assert_eq!(command, ["/bin/retrial", "client", "--mutant", "one-more"]);
        assert_eq!(client.promises.attempts, Some(4));
    }
}
