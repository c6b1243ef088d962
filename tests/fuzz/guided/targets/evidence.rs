//! Evidence files.

#![no_main]

guided::target!(evidence);
