//! Raw requests to a dependency.

#![no_main]

guided::target!(requests);
