//! JSON reports that are joined.

#![no_main]

guided::target!(reports);
