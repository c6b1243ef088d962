//! Scenario files.

#![no_main]

guided::target!(scenario);
