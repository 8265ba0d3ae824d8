//! Streams of the library's own.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;

use super::{Result, Stream, check, raw};

/// A stream that the library has made. Its owner destroys it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OwnStream(*mut c_void);

// SAFETY: a handle is a name for something the driver keeps and locks; any thread may use it.
unsafe impl Send for OwnStream {}
// SAFETY: the driver locks what the handle names, so threads may use it at the same time.
unsafe impl Sync for OwnStream {}

impl OwnStream {
    /// Makes a stream that is not ordered with the default stream.
    pub fn create() -> Result<Self> {
        const NON_BLOCKING: u32 = 1;
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuStreamCreate", unsafe {
            raw::cuStreamCreate(&mut handle, NON_BLOCKING)
        })?;
        Ok(Self(handle))
    }

    /// The stream, borrowed from its owner.
    pub fn as_stream(&self) -> Stream<'_> {
        Stream {
            handle: self.0,
            lifetime: PhantomData,
        }
    }

    pub fn destroy(self) -> Result<()> {
        // SAFETY: its owner gives the stream up.
        check("cuStreamDestroy_v2", unsafe {
            raw::cuStreamDestroy_v2(self.0)
        })
    }
}
