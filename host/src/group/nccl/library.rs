//! NCCL's library, opened at its first use, and those of its functions that the transport calls.
//!
//! The declarations are those of `nccl.h`, version 2.14. Later versions have changed only one of these declarations: they have added fields
//! at the end of `ncclConfig_t`. The functions' result codes are declared as plain numbers, so that unknown codes of newer libraries are
//! kept.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::sync::OnceLock;

use libloading::Library;

use crate::group::Fault;

/// The file names that the library may have. The usual name comes first.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// The names, as the error message lists them.
const LOOKED_FOR: &str = "libnccl.so.2 and libnccl.so";

/// Bytes of an id.
pub(in crate::group) const ID_BYTES: usize = 128;

/// `ncclSuccess`.
pub(super) const SUCCESS: c_int = 0;

/// `ncclInProgress`.
pub(super) const IN_PROGRESS: c_int = 7;

/// `ncclUint8`.
pub(super) const BYTES: c_int = 1;

/// `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawId(pub [u8; ID_BYTES]);

/// `ncclComm_t`.
pub(super) type RawCommunicator = *mut c_void;

/// `ncclConfig_t` of version 2.14. The size and the version tell a newer library which fields the struct has. The library uses its own
/// defaults for all other fields.
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
    /// The first of the fields that later versions have added. Its value means "not set". In version 2.14 these bytes are padding.
    unset: c_int,
}

impl Config {
    /// A configuration for communicators whose calls do not wait.
    pub fn not_blocking() -> Self {
        Self {
            size: size_of::<Self>(),
            magic: 0xcafe_beef,
            version: 21_400,
            blocking: 0,
            unset: c_int::MIN,
        }
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident: $symbol:literal, fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The library's functions.
        pub(super) struct Functions {
            $($(#[$doc])* pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
            _library: ManuallyDrop<Library>,
        }

        impl Functions {
            fn of(library: Library, name: &'static str) -> Result<Self, Fault> {
                $(
                    // SAFETY: `get` needs the function's type. This is the function's type in `nccl.h`.
                    let $name = *unsafe {
                        library.get::<unsafe extern "C" fn($($argument),*) -> $result>($symbol.to_bytes_with_nul())
                    }
                    .map_err(|_| Fault::FunctionMissing {
                        library: name,
                        function: $symbol.to_str().unwrap_or_default(),
                    })?;
                )*
                Ok(Self {
                    $($name,)*
                    // The library is never closed: its threads may outlive every communicator.
                    _library: ManuallyDrop::new(library),
                })
            }
        }
    };
}

functions! {
    get_unique_id: c"ncclGetUniqueId", fn(*mut RawId) -> c_int;
    init_rank: c"ncclCommInitRankConfig", fn(*mut RawCommunicator, c_int, RawId, c_int, *mut Config) -> c_int;
    all_gather: c"ncclAllGather", fn(*const c_void, *mut c_void, usize, c_int, RawCommunicator, *mut c_void) -> c_int;
    send: c"ncclSend", fn(*const c_void, usize, c_int, c_int, RawCommunicator, *mut c_void) -> c_int;
    receive: c"ncclRecv", fn(*mut c_void, usize, c_int, c_int, RawCommunicator, *mut c_void) -> c_int;
    group_start: c"ncclGroupStart", fn() -> c_int;
    group_end: c"ncclGroupEnd", fn() -> c_int;
    async_error: c"ncclCommGetAsyncError", fn(RawCommunicator, *mut c_int) -> c_int;
    finalize: c"ncclCommFinalize", fn(RawCommunicator) -> c_int;
    destroy: c"ncclCommDestroy", fn(RawCommunicator) -> c_int;
    abort: c"ncclCommAbort", fn(RawCommunicator) -> c_int;
    error_string: c"ncclGetErrorString", fn(c_int) -> *const c_char;
}

impl Functions {
    /// The functions of the machine's library. If the library is missing, the next call looks for it again.
    pub fn find() -> Result<&'static Self, Fault> {
        static FOUND: OnceLock<Functions> = OnceLock::new();
        match FOUND.get() {
            Some(found) => Ok(found),
            None => {
                let functions = Self::open()?;
                Ok(FOUND.get_or_init(|| functions))
            }
        }
    }

    fn open() -> Result<Self, Fault> {
        let mut reasons = Vec::new();
        for name in NAMES {
            // SAFETY: loading runs the initialisers of NCCL and of the CUDA runtime, which have no conditions for the program.
            match unsafe { Library::new(name) } {
                Ok(library) => return Self::of(library, name),
                Err(error) => reasons.push(error.to_string()),
            }
        }
        Err(Fault::LibraryNotFound {
            looked_for: LOOKED_FOR,
            reason: reasons.join("; "),
        })
    }

    /// Converts a result. "In progress" is a success.
    pub fn check(&self, call: &'static str, code: c_int) -> Result<(), Fault> {
        match code {
            SUCCESS | IN_PROGRESS => Ok(()),
            _ => Err(Fault::Nccl {
                call,
                code,
                reason: self.text(code),
            }),
        }
    }

    fn text(&self, code: c_int) -> String {
        // SAFETY: the function takes any number.
        let text = unsafe { (self.error_string)(code) };
        match text.is_null() {
            true => "an unknown error".to_owned(),
            // SAFETY: `text` is not null. It is a constant string of the library: it ends in NUL and is never freed.
            false => unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned(),
        }
    }
}
