//! The real world: the system's clock and TCP on loopback.

/// The system's clock and TCP on loopback.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealWorld;
