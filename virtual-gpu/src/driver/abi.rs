//! Argument types of exported calls. C pointers and handles have transparent wrappers. The wrapper of a pointer checks for null where the
//! real driver does.
//!
//! The exported functions, which are called the *seam*, are `unsafe` with one contract ("# Safety" in [`exports`](super::seam)): each
//! pointer is null, or fulfils what the CUDA documentation requires of it. Wrappers come from C callers; Rust code can only make null
//! pointers, handles from keys, and host pointers from addresses that a caller passed. So each wrapper meets this contract, and code that
//! receives wrappers is safe. All unsafe accesses through wrappers are in this file. Of the pointers, only [`HostPointer`] may be kept
//! after the call.

use crate::driver::code::{Code, Outcome, SUCCESS};
use crate::driver::objects::stream::Stream;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;

/// A pointer to which a call writes a result.
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T> Out<T> {
    /// Fails on null. Lets a call check the pointer before the call has any effect.
    pub(crate) fn required(self) -> Outcome<Self> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        Ok(self)
    }

    pub(crate) fn write(self, value: T) -> Outcome {
        let place = self.required()?;
        // SAFETY: not null, so by the seam's contract valid for a write of `T`; the write needs no alignment.
        unsafe { place.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes an optional result, for which the caller may pass null.
    pub(crate) fn write_unless_null(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: as in `write`: not null, so valid for a write of `T` that needs no alignment.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// Writes element `index` of an array of results, for which the caller may pass null.
    pub(crate) fn write_element(self, index: usize, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so by the seam's contract an array with the length that the call documents. No call of this crate writes an
            // element at or beyond that length.
            unsafe { self.0.add(index).write_unaligned(value) };
        }
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The pointer without its type, for results that a later call may write.
    pub(crate) fn untyped(self) -> HostPointer {
        HostPointer(self.0.cast())
    }
}

impl<T: Copy> Out<T> {
    /// Reads the value at the pointer, for arguments that are both input and output.
    pub(crate) fn read(self) -> Outcome<T> {
        self.read_element(0)
    }

    pub(crate) fn read_element(self, index: usize) -> Outcome<T> {
        In(self.0.cast_const()).read_element(index)
    }
}

impl Out<c_char> {
    /// Writes a text and a NUL into `capacity` bytes. A text that does not fit is cut.
    pub(crate) fn write_text(self, text: &str, capacity: usize) -> Outcome {
        let place = self.required()?;
        let room = capacity.checked_sub(1).ok_or(Code::INVALID_VALUE)?;
        let kept = text.floor_char_boundary(room);
        // SAFETY: not null, so by the seam's contract `capacity` bytes are valid for writes, and they
        // do not overlap `text`, which is ours. `kept` is below `capacity` and at most `text.len()`.
        unsafe {
            let place = place.0.cast::<u8>();
            place.copy_from_nonoverlapping(text.as_ptr(), kept);
            place.add(kept).write(0);
        }
        Ok(())
    }
}

/// A value, or an array of values, that a call reads.
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> In<T> {
    pub(crate) const NULL: Self = Self(std::ptr::null());
}

impl<T: Copy> In<T> {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn read(self) -> Outcome<T> {
        self.read_element(0)
    }

    pub(crate) fn read_element(self, index: usize) -> Outcome<T> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: not null, so by the seam's contract an array with the length that the call documents. No call of this crate reads an
        // element at or beyond that length. The read needs no alignment.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }
}

/// A text that ends with NUL.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    pub(crate) fn bytes(&self) -> Outcome<&[u8]> {
        if self.0.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: not null, so by the seam's contract a text that ends with NUL and does not change
        // during the call; the borrow of the wrapper ends with the call.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes())
    }

    /// The text. Fails with `otherwise` if it is not UTF-8.
    pub(crate) fn text(&self, otherwise: Code) -> Outcome<&str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| otherwise)
    }
}

/// A pointer to host memory, which is read or written by the call or by the work that it enqueues. It may also be the argument of a
/// callback. A stream's queue, a graph, a linker or a user object may keep the pointer after the call. By CUDA's contract, the memory stays
/// valid as long as the keeper of the pointer may use it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct HostPointer(*mut c_void);

// SAFETY: the pointer is used by the thread that does a stream's work, uses a linker, or calls a callback. By the contracts of the driver's
// calls, no other access to the memory races with that use.
unsafe impl Send for HostPointer {}
// SAFETY: as above: a shared `HostPointer` is only used by such a thread.
unsafe impl Sync for HostPointer {}

impl HostPointer {
    /// The pointer with this address, for calls that take a host or device address as a number.
    pub(crate) fn from_address(address: u64) -> Self {
        Self(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn address(self) -> u64 {
        self.0.addr() as u64
    }

    pub(crate) fn offset(self, bytes: usize) -> Self {
        Self(self.0.wrapping_byte_add(bytes))
    }

    /// Copies `count` bytes from this pointer into a new buffer.
    pub(crate) fn read(self, count: usize) -> Outcome<Box<[u8]>> {
        let mut bytes = zeroed(count)?;
        self.read_into(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn read_into(self, bytes: &mut [u8]) -> Outcome {
        if self.0.is_null() && !bytes.is_empty() {
            return Err(Code::INVALID_VALUE);
        }
        if !bytes.is_empty() {
            // SAFETY: not null, so by the seam's contract valid for reading that many bytes. `bytes` is a
            // slice of ours of the same length.
            unsafe { std::ptr::copy(self.0.cast::<u8>(), bytes.as_mut_ptr(), bytes.len()) };
        }
        Ok(())
    }

    pub(crate) fn write(self, bytes: &[u8]) -> Outcome {
        if self.0.is_null() && !bytes.is_empty() {
            return Err(Code::INVALID_VALUE);
        }
        if !bytes.is_empty() {
            // SAFETY: not null, so by the seam's contract valid for writing that many bytes. `bytes` is a
            // slice of ours of the same length.
            unsafe { std::ptr::copy(bytes.as_ptr(), self.0.cast::<u8>(), bytes.len()) };
        }
        Ok(())
    }
}

/// A buffer of `count` bytes, all zeros. If the bytes cannot be reserved, fails with "out of memory" and does not end the process.
pub(crate) fn zeroed(count: usize) -> Outcome<Box<[u8]>> {
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(count)
        .map_err(|_| Code::OUT_OF_MEMORY)?;
    bytes.resize(count, 0);
    Ok(bytes.into_boxed_slice())
}

/// A function of the program, with its argument: a callback of a stream, or the destructor of a user object.
#[derive(Clone, Copy)]
pub(crate) struct HostFunction {
    function: Called,
    data: HostPointer,
}

/// The callback of `cuStreamAddCallback`.
pub(crate) type StreamCallback = Option<unsafe extern "C" fn(Handle<Stream>, i32, *mut c_void)>;

#[derive(Clone, Copy)]
enum Called {
    Plain(unsafe extern "C" fn(*mut c_void)),
    OfStream(
        unsafe extern "C" fn(Handle<Stream>, i32, *mut c_void),
        Handle<Stream>,
    ),
}

impl HostFunction {
    pub(crate) fn new(
        function: Option<unsafe extern "C" fn(*mut c_void)>,
        data: HostPointer,
    ) -> Outcome<Self> {
        let function = Called::Plain(function.ok_or(Code::INVALID_VALUE)?);
        Ok(Self { function, data })
    }

    /// A callback of a stream.
    pub(crate) fn of_stream(
        function: StreamCallback,
        stream: Handle<Stream>,
        data: HostPointer,
    ) -> Outcome<Self> {
        let function = Called::OfStream(function.ok_or(Code::INVALID_VALUE)?, stream);
        Ok(Self { function, data })
    }

    pub(crate) fn call(&self) {
        match self.function {
            // SAFETY: by the contract of `cuLaunchHostFunc` and of `cuUserObjectCreate`, the function takes this argument, on any thread.
            Called::Plain(function) => unsafe { function(self.data.0) },
            // SAFETY: by the contract of `cuStreamAddCallback` the function takes the stream that it was added to, a
            // code and this argument, on any thread.
            Called::OfStream(function, stream) => unsafe { function(stream, SUCCESS, self.data.0) },
        }
    }
}

/// The program's function that maps a block size to bytes of dynamic shared memory, for the occupancy calls.
pub(crate) type BlockSizeToShared = Option<unsafe extern "C" fn(i32) -> usize>;

/// The bytes of dynamic shared memory that the program's function returns for a block of `threads` threads.
pub(crate) fn shared_bytes_for(function: BlockSizeToShared, threads: i32) -> Option<usize> {
    // SAFETY: by the contract of `cuOccupancyMaxPotentialBlockSize` the function takes any block
    // size.
    function.map(|function| unsafe { function(threads) })
}

/// `CUmemLocation`: the kind and the number of a memory location.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Location {
    pub(crate) kind: i32,
    pub(crate) id: i32,
}

/// A handle in a C program: a number with a pointer's type. It is never dereferenced. Null and the handles of default streams are special;
/// other handles are looked up in a table of live objects. The lookup of a stale handle fails, or finds a newer object of its kind.
#[repr(transparent)]
pub(crate) struct Handle<K>(*mut c_void, PhantomData<fn() -> K>);

// SAFETY: a handle is only a number: its pointer is never dereferenced.
unsafe impl<K> Send for Handle<K> {}
// SAFETY: as above: only a number.
unsafe impl<K> Sync for Handle<K> {}

impl<K> Handle<K> {
    pub(crate) const NULL: Self = Self(std::ptr::null_mut(), PhantomData);

    pub(crate) fn from_key(key: usize) -> Self {
        Self(std::ptr::without_provenance_mut(key), PhantomData)
    }

    pub(crate) fn key(self) -> usize {
        self.0.addr()
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl<K> Clone for Handle<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Handle<K> {}
