//! The driver's result codes, as in CUDA 13.5: one row each, with the texts that `cuGetErrorName` and
//! `cuGetErrorString` return.
//!
//! A [`Code`] is any 32-bit number, since a newer driver may return a code that is not listed here. An unlisted code has no name. The
//! virtual device itself returns only codes that CUDA 11.4 already had, because `cust_raw` 0.11 reads results as the enum of CUDA 11.4.

use std::ffi::CStr;
use std::fmt;

/// The result code of a driver call.
///
/// ```
/// use virtual_gpu::driver::Code;
///
/// assert_eq!(Code(2), Code::OUT_OF_MEMORY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

/// The result of a call of the virtual driver. The seam turns this result into a number.
pub(crate) type Outcome<T = ()> = Result<T, Code>;

/// The result code of a call that succeeded.
pub(crate) const SUCCESS: i32 = 0;

const fn c_text(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a text of the table of codes ends with NUL and has no other"),
    }
}

macro_rules! codes {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        impl Code {
            $(
                #[doc = concat!("`CUDA_ERROR_", stringify!($name), "`: ", $text, ".")]
                pub const $name: Code = Code($number);
            )*
        }

        const ROWS: &[(i32, &CStr, &CStr)] = &[
            (SUCCESS, c"CUDA_SUCCESS", c"no error"),
            $((
                $number,
                const { c_text(concat!("CUDA_ERROR_", stringify!($name), "\0")) },
                const { c_text(concat!($text, "\0")) },
            ),)*
        ];
    };
}

codes! {
    INVALID_VALUE = 1, "invalid argument";
    OUT_OF_MEMORY = 2, "out of memory";
    NOT_INITIALIZED = 3, "the driver is not initialised";
    DEINITIALIZED = 4, "the driver is shutting down";
    PROFILER_DISABLED = 5, "the profiler is disabled";
    PROFILER_NOT_INITIALIZED = 6, "the profiler is not initialised";
    PROFILER_ALREADY_STARTED = 7, "the profiler has already been started";
    PROFILER_ALREADY_STOPPED = 8, "the profiler has already been stopped";
    STUB_LIBRARY = 34, "the driver library in use is a stub";
    CALL_REQUIRES_NEWER_DRIVER = 36, "the call needs a newer driver";
    DEVICE_UNAVAILABLE = 46, "the device is not available at present";
    MULTICAST_RESOURCE_FULL = 47, "the hardware has no room to bind more memory to a multicast object";
    NO_DEVICE = 100, "no CUDA-capable device was found";
    INVALID_DEVICE = 101, "there is no device of this ordinal";
    DEVICE_NOT_LICENSED = 102, "the device has no licence for this work";
    INVALID_IMAGE = 200, "the image of the device code is not valid";
    INVALID_CONTEXT = 201, "there is no valid context";
    CONTEXT_ALREADY_CURRENT = 202, "the context is already current";
    MAP_FAILED = 205, "mapping failed";
    UNMAP_FAILED = 206, "unmapping failed";
    ARRAY_IS_MAPPED = 207, "the array is mapped";
    ALREADY_MAPPED = 208, "the resource is already mapped";
    NO_BINARY_FOR_GPU = 209, "there is no code for this device";
    ALREADY_ACQUIRED = 210, "the resource is already acquired";
    NOT_MAPPED = 211, "the resource is not mapped";
    NOT_MAPPED_AS_ARRAY = 212, "the resource is not mapped as an array";
    NOT_MAPPED_AS_POINTER = 213, "the resource is not mapped as a pointer";
    ECC_UNCORRECTABLE = 214, "an uncorrectable memory error was found";
    UNSUPPORTED_LIMIT = 215, "the limit is not supported by the device";
    CONTEXT_ALREADY_IN_USE = 216, "the context is in use on another thread";
    PEER_ACCESS_UNSUPPORTED = 217, "the devices cannot reach each other";
    INVALID_PTX = 218, "the PTX could not be compiled";
    INVALID_GRAPHICS_CONTEXT = 219, "the graphics context is not valid";
    NVLINK_UNCORRECTABLE = 220, "an uncorrectable NVLink error was found";
    JIT_COMPILER_NOT_FOUND = 221, "the PTX compiler was not found";
    UNSUPPORTED_PTX_VERSION = 222, "the version of the PTX is not supported";
    JIT_COMPILATION_DISABLED = 223, "compilation of PTX is disabled";
    UNSUPPORTED_EXEC_AFFINITY = 224, "the execution affinity is not supported";
    UNSUPPORTED_DEVSIDE_SYNC = 225, "the PTX calls cudaDeviceSynchronize, which is not supported in kernels";
    CONTAINED = 226, "a fault of the device was contained, and its work is lost";
    INSUFFICIENT_LOADER_VERSION = 227, "the loader is too old for the fat binary";
    INVALID_SOURCE = 300, "the device code is not valid";
    FILE_NOT_FOUND = 301, "file not found";
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302, "a shared object lacks a symbol";
    SHARED_OBJECT_INIT_FAILED = 303, "a shared object could not be initialised";
    OPERATING_SYSTEM = 304, "a call of the operating system failed";
    INVALID_HANDLE = 400, "the handle is not valid";
    ILLEGAL_STATE = 401, "a resource is not in the state that the call needs";
    LOSSY_QUERY = 402, "the answer would leave out something that matters";
    NOT_FOUND = 500, "the name was not found";
    NOT_READY = 600, "the work is not finished";
    ILLEGAL_ADDRESS = 700, "a kernel used an illegal address";
    LAUNCH_OUT_OF_RESOURCES = 701, "the launch asks for too many resources";
    LAUNCH_TIMEOUT = 702, "the launch ran too long and was ended";
    LAUNCH_INCOMPATIBLE_TEXTURING = 703, "the launch has an incompatible texture mode";
    PEER_ACCESS_ALREADY_ENABLED = 704, "peer access is already on";
    PEER_ACCESS_NOT_ENABLED = 705, "peer access is not on";
    PRIMARY_CONTEXT_ACTIVE = 708, "the primary context is already active";
    CONTEXT_IS_DESTROYED = 709, "the context was destroyed";
    ASSERT = 710, "an assertion in a kernel failed";
    TOO_MANY_PEERS = 711, "there are too many peers";
    HOST_MEMORY_ALREADY_REGISTERED = 712, "the host memory is already registered";
    HOST_MEMORY_NOT_REGISTERED = 713, "the host memory is not registered";
    HARDWARE_STACK_ERROR = 714, "the call stack of a kernel is corrupt or overflowed";
    ILLEGAL_INSTRUCTION = 715, "a kernel ran an illegal instruction";
    MISALIGNED_ADDRESS = 716, "a kernel used a misaligned address";
    INVALID_ADDRESS_SPACE = 717, "an instruction was given an address of another space";
    INVALID_PC = 718, "the program counter is not valid";
    LAUNCH_FAILED = 719, "a kernel failed";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720, "a cooperative launch has more blocks than fit at once";
    TENSOR_MEMORY_LEAK = 721, "a kernel ended without freeing its tensor memory";
    NOT_PERMITTED = 800, "the call is not permitted here";
    NOT_SUPPORTED = 801, "the call is not supported";
    SYSTEM_NOT_READY = 802, "the system is not ready";
    SYSTEM_DRIVER_MISMATCH = 803, "the driver's parts are of different versions";
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, "forward compatibility is not supported on this device";
    MPS_CONNECTION_FAILED = 805, "the multi-process service could not be reached";
    MPS_RPC_FAILURE = 806, "a call to the multi-process service failed";
    MPS_SERVER_NOT_READY = 807, "the multi-process service is not ready";
    MPS_MAX_CLIENTS_REACHED = 808, "the multi-process service has too many clients";
    MPS_MAX_CONNECTIONS_REACHED = 809, "the multi-process service has too many connections";
    MPS_CLIENT_TERMINATED = 810, "the multi-process service ended this client";
    CDP_NOT_SUPPORTED = 811, "kernels cannot launch kernels in this configuration";
    CDP_VERSION_MISMATCH = 812, "the module mixes versions of launches by kernels that do not work together";
    STREAM_CAPTURE_UNSUPPORTED = 900, "the call is not permitted while a stream is capturing";
    STREAM_CAPTURE_INVALIDATED = 901, "an earlier error made the capture void";
    STREAM_CAPTURE_MERGE = 902, "the call would join two captures";
    STREAM_CAPTURE_UNMATCHED = 903, "the capture did not begin in this stream";
    STREAM_CAPTURE_UNJOINED = 904, "a captured stream was not joined to the one that began";
    STREAM_CAPTURE_ISOLATION = 905, "captured work would depend on work outside the capture";
    STREAM_CAPTURE_IMPLICIT = 906, "the legacy stream would depend on a capture";
    CAPTURED_EVENT = 907, "the event was last recorded in a capturing stream";
    STREAM_CAPTURE_WRONG_THREAD = 908, "the capture began on another thread";
    TIMEOUT = 909, "the wait timed out";
    GRAPH_EXEC_UPDATE_FAILURE = 910, "the graph cannot be updated in this way";
    EXTERNAL_DEVICE = 911, "a device outside CUDA failed";
    INVALID_CLUSTER_SIZE = 912, "the launch has a cluster that is not possible";
    FUNCTION_NOT_LOADED = 913, "the function is not loaded";
    INVALID_RESOURCE_TYPE = 914, "a resource is of a type that the call does not take";
    INVALID_RESOURCE_CONFIGURATION = 915, "resources are insufficient or do not apply";
    KEY_ROTATION = 916, "the rotation of keys failed";
    STREAM_DETACHED = 917, "the stream is detached: its green context was destroyed";
    GRAPH_RECAPTURE_FAILURE = 918, "capturing the graph anew failed";
    FABRIC_NOT_READY = 919, "the fabric between GPUs is not ready yet";
    UNKNOWN = 999, "an unknown error happened inside the driver";
}

impl Code {
    /// The code's name in CUDA, if the code is listed here.
    ///
    /// ```
    /// use virtual_gpu::driver::Code;
    ///
    /// assert_eq!(Code(700).name(), Some(c"CUDA_ERROR_ILLEGAL_ADDRESS"));
    /// assert_eq!(Code(-1).name(), None);
    /// ```
    pub fn name(self) -> Option<&'static CStr> {
        row(self.0).map(|(_, name, _)| *name)
    }

    /// A description of the code, if it is listed here.
    ///
    /// ```
    /// use virtual_gpu::driver::Code;
    ///
    /// assert!(Code::OUT_OF_MEMORY.description().is_some());
    /// ```
    pub fn description(self) -> Option<&'static CStr> {
        row(self.0).map(|(_, _, description)| *description)
    }
}

fn row(number: i32) -> Option<&'static (i32, &'static CStr, &'static CStr)> {
    ROWS.iter().find(|(listed, _, _)| *listed == number)
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match row(self.0) {
            Some((number, name, text)) => {
                let (name, text) = (name.to_string_lossy(), text.to_string_lossy());
                write!(out, "{name} ({number}): {text}")
            }
            None => write!(out, "CUDA error {}", self.0),
        }
    }
}

impl std::error::Error for Code {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_ascending_order_without_duplicates() {
        assert!(ROWS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_listed_code_has_cudas_name_and_an_unlisted_one_has_none() {
        assert_eq!(ROWS.len(), 106, "as many as cuda.h of CUDA 13.5 has");
        assert_eq!(Code(0).name(), Some(c"CUDA_SUCCESS"));
        assert_eq!(Code(226).name(), Some(c"CUDA_ERROR_CONTAINED"));
        assert_eq!(Code(917).name(), Some(c"CUDA_ERROR_STREAM_DETACHED"));
        assert_eq!(Code::INVALID_PTX.name(), Some(c"CUDA_ERROR_INVALID_PTX"));
        assert_eq!(Code(1000).name(), None);
        assert_eq!(Code(-1).description(), None);
        assert_eq!(Code(-1).to_string(), "CUDA error -1");
    }
}
