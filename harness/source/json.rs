//! JSON into types, by code that is made once for all of them.

use serde::de::DeserializeOwned;

use super::erased;

/// What `serde_json::from_slice` reads, for types that are read once and not by the thousand; a structure only from a map.
///
/// # Errors
///
/// As `serde_json::from_slice`.
pub fn from_json<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = erased::read(|d| T::deserialize(d), &mut reader)?;
    reader.end()?;
    Ok(value)
}
