//! Clients' files.

#![no_main]

guided::target!(client);
