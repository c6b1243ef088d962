//! One file per check, and the list of them.
