//! Lines of an adapter.

#![no_main]

guided::target!(jsonl);
