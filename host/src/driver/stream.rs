//! Streams, and the events by which they wait for each other.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Context, Newer, Result, check, raw};

/// A stream that lives as long as `'a`: a borrowed one of the program's or of the library's own, or the default stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream<'a> {
    pub(super) handle: *mut c_void,
    lifetime: PhantomData<&'a ()>,
}

/// `CU_STREAM_PER_THREAD`, as a handle.
const PER_THREAD: usize = 2;

thread_local! {
    /// The thread's number: odd, and greater than the driver's special handles. Handles of streams are addresses of aligned objects.
    static THREAD: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(PER_THREAD + 1);
        NEXT.fetch_add(2, Ordering::Relaxed)
    };
}

impl Stream<'static> {
    /// The legacy default stream: `cust`'s streams and the synchronous copies are ordered with it.
    pub const DEFAULT: Self = Self {
        handle: ptr::null_mut(),
        lifetime: PhantomData,
    };
}

impl Stream<'_> {
    /// The stream with this handle.
    ///
    /// # Safety
    ///
    /// The handle is a stream of the driver's, which is not destroyed as long as the value lives.
    pub const unsafe fn from_raw(handle: *mut c_void) -> Self {
        Self {
            handle,
            lifetime: PhantomData,
        }
    }

    /// Whether it is the legacy default stream.
    pub fn is_default(self) -> bool {
        self.handle.is_null()
    }

    /// A number to tell streams apart: the handle or, for a per-thread default stream, whose handle is the same for all threads, the
    /// thread's own number. The number of a destroyed stream may be reused.
    pub fn key(self) -> usize {
        match self.handle as usize {
            PER_THREAD => THREAD.try_with(|&number| number).unwrap_or(PER_THREAD),
            handle => handle,
        }
    }

    /// The driver's number for the stream. It is never reused. Drivers before CUDA 12 have none.
    pub fn id(self) -> Result<Option<u64>> {
        type GetId = unsafe extern "C" fn(*mut c_void, *mut u64) -> i32;
        // SAFETY: this is that function's type.
        static GET_ID: Newer<GetId> = unsafe { Newer::new(c"cuStreamGetId") };
        let Some(get_id) = GET_ID.find() else {
            return Ok(None);
        };
        let mut id = 0;
        // SAFETY: the pointer is to a live local; the stream lives.
        check("cuStreamGetId", unsafe { get_id(self.handle, &mut id) })?;
        Ok(Some(id))
    }

    /// Whether the stream belongs to `context`.
    pub fn is_of(self, context: Context) -> Result<bool> {
        let mut owner = ptr::null_mut();
        // SAFETY: the pointer is to a live local; the stream lives.
        check("cuStreamGetCtx", unsafe {
            raw::cuStreamGetCtx(self.handle, &mut owner)
        })?;
        Ok(owner == context.0)
    }

    /// Waits for the stream's queued work.
    pub fn synchronize(self) -> Result<()> {
        // SAFETY: the stream lives.
        check("cuStreamSynchronize", unsafe {
            raw::cuStreamSynchronize(self.handle)
        })
    }
}

/// A stream of the library's own, which is not ordered with the default stream. It is waited for and destroyed when dropped.
#[derive(Debug)]
pub(crate) struct OwnStream(*mut c_void);

// SAFETY: a handle is a name for something the driver keeps and locks; any thread may use it.
unsafe impl Send for OwnStream {}
// SAFETY: the driver locks what the handle names, so threads may use it at the same time.
unsafe impl Sync for OwnStream {}

impl OwnStream {
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
    #[inline]
    pub fn as_stream(&self) -> Stream<'_> {
        Stream {
            handle: self.0,
            lifetime: PhantomData,
        }
    }
}

impl Drop for OwnStream {
    fn drop(&mut self) {
        // A failure is that of the work, or of a context that is gone, and the stream with it.
        let _ = self.as_stream().synchronize();
        // SAFETY: its owner gives the stream up.
        let _ = unsafe { raw::cuStreamDestroy_v2(self.0) };
    }
}

/// A place in a stream.
#[derive(Debug)]
pub(crate) struct Event(pub(super) *mut c_void);

// SAFETY: a handle is a name for something the driver keeps and locks; any thread may use it.
unsafe impl Send for Event {}
// SAFETY: the driver locks what the handle names, so threads may use it at the same time.
unsafe impl Sync for Event {}

impl Event {
    /// Makes an event of the current context, without timing.
    pub fn new() -> Result<Self> {
        const DISABLE_TIMING: u32 = 2;
        let mut event = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuEventCreate", unsafe {
            raw::cuEventCreate(&mut event, DISABLE_TIMING)
        })?;
        Ok(Self(event))
    }

    /// Records the event after what is queued on the stream. This replaces any earlier record.
    pub fn record(&self, stream: Stream<'_>) -> Result<()> {
        // SAFETY: event and stream live.
        check("cuEventRecord", unsafe {
            raw::cuEventRecord(self.0, stream.handle)
        })
    }

    /// Later work on the stream waits for the event, as it is recorded now.
    pub fn hold_up(&self, stream: Stream<'_>) -> Result<()> {
        // SAFETY: event and stream live.
        check("cuStreamWaitEvent", unsafe {
            raw::cuStreamWaitEvent(stream.handle, self.0, 0)
        })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the handle is this event's own, and is not used again. A failure means that the context is gone.
        let _ = unsafe { raw::cuEventDestroy_v2(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_a_default_stream_of_its_own() {
        let key = || {
            // SAFETY: the driver's special value, which is never destroyed.
            unsafe { Stream::from_raw(ptr::without_provenance_mut(PER_THREAD)) }.key()
        };
        let there = std::thread::spawn(key).join().unwrap();
        assert_eq!(key(), key());
        assert_ne!(key(), there);
        assert_eq!((key() % 2, there % 2), (1, 1));
    }
}
