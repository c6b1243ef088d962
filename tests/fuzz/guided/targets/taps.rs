//! Bytes through a tap.

#![no_main]

guided::target!(taps);
