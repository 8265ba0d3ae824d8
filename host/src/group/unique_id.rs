//! The id by which the ranks of several processes find each other.

use std::fmt;

use super::nccl::{self, ID_BYTES};
use crate::error::Result;

/// The id and the address of a group over NCCL. One process makes the id and sends it to the other processes, in any way: a file, a socket,
/// a launcher's messages. An id is valid for one group. [`Member::join`](super::Member::join) has an example.
///
/// ```
/// use warpfold::group::UniqueId;
///
/// let id = UniqueId::from_bytes([7; UniqueId::BYTES]); // the bytes that rank 0 has sent
/// assert_eq!(id, UniqueId::from_bytes(id.to_bytes()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct UniqueId([u8; Self::BYTES]);

impl UniqueId {
    /// Bytes of an id.
    pub const BYTES: usize = ID_BYTES;

    /// A new id. Only one process of a group makes an id: see [`Member::join`](super::Member::join). That process listens for the ranks in
    /// the background, until all ranks have joined.
    ///
    /// ```no_run
    /// use warpfold::group::UniqueId;
    ///
    /// # fn main() -> warpfold::Result<()> {
    /// let id = UniqueId::new()?; // opens NCCL
    /// std::fs::write("group.id", id.to_bytes()).expect("a file that the other processes read");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Fault::LibraryNotFound`](super::Fault::LibraryNotFound), [`Fault::FunctionMissing`](super::Fault::FunctionMissing),
    /// [`Fault::Nccl`](super::Fault::Nccl).
    pub fn new() -> Result<Self> {
        Ok(Self(nccl::unique_id()?))
    }

    /// The id with these bytes.
    ///
    /// ```
    /// use warpfold::group::UniqueId;
    ///
    /// let bytes = [7; UniqueId::BYTES]; // as rank 0 has sent them
    /// assert_eq!(UniqueId::from_bytes(bytes).to_bytes(), bytes);
    /// ```
    pub const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The id's bytes, to be sent to other processes. Those processes make the id from the bytes by [`Self::from_bytes`].
    ///
    /// ```
    /// use warpfold::group::UniqueId;
    ///
    /// assert_eq!(UniqueId::from_bytes([7; UniqueId::BYTES]).to_bytes().len(), 128);
    /// ```
    pub const fn to_bytes(self) -> [u8; Self::BYTES] {
        self.0
    }
}

impl fmt::Debug for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UniqueId(…)")
    }
}
