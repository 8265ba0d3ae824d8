//! The errors of this library's calls.
//!
//! An error is plain data. It prints in full even where no driver is installed, and can be compared, cloned, and sent between threads.

mod code;
#[cfg(feature = "nccl")]
mod fault;

use std::fmt;

pub use code::DriverCode;
#[cfg(feature = "nccl")]
pub use fault::{Fault, Matter};

/// The result of a call of this library.
///
/// ```
/// fn mean(items: &[f32]) -> warpfold::Result<f32> {
///     Ok(warpfold::gpu_sum(items)? / items.len() as f32)
/// }
/// assert_eq!(mean(&[1.0, 2.0])?, 1.5);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call of this library failed. A failed call frees what it has allocated, or keeps it for later calls, unless the context is lost.
///
/// Unless a variant says otherwise, the failure was found before anything was launched, and outputs are untouched. The call may be
/// repeated, except after a sticky code ([`DriverCode::is_sticky`]).
///
/// ```
/// use warpfold::{Cpu, Error, Sum, scan};
///
/// let mut two = [0u32; 2];
/// let error = scan::<Sum, _>(&[1u32, 2, 3]).to(&mut two).wait(Cpu).unwrap_err();
/// assert_eq!(error, Error::OutputTooShort { offered_items: 2, needed_items: 3 });
/// assert_eq!(error.to_string(), "the output holds 2 items; 3 are needed");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no CUDA device or no driver, or the driver cannot be initialised.
    #[error(
        "no CUDA device to work on: {call} answered {code}. Looked for NVIDIA's driver (libcuda.so.1) and a \
         device of it; `nvidia-smi` lists what it sees.{advice}"
    )]
    NoDevice {
        /// The driver call that failed.
        call: &'static str,
        /// The code that the call returned.
        code: DriverCode,
        /// Advice for this build of the library.
        advice: String,
    },

    /// An environment variable of the virtual GPU (feature `virtual-gpu`) has a wrong name or value, so no device was
    /// looked for.
    #[error("the settings of the virtual GPU are wrong: {reason}")]
    Settings {
        /// The variable, and what is wrong with it.
        reason: String,
    },

    /// There is no device with this ordinal.
    #[error("there is no device {ordinal}: the driver offers {count}, numbered from 0")]
    NoSuchDevice {
        /// The device that was asked for.
        ordinal: u32,
        /// The number of devices.
        count: u32,
    },

    /// The device is too old for the kernels.
    #[error(
        "{name} has compute capability {}.{}; the kernels need {}.{} or later",
        capability.0, capability.1, needed.0, needed.1
    )]
    UnsupportedDevice {
        /// The device's name.
        name: String,
        /// The device's compute capability, major and minor.
        capability: (u32, u32),
        /// The lowest compute capability that is supported.
        needed: (u32, u32),
    },

    /// A driver call failed. If the call failed after a launch, the outputs of that launch are unspecified.
    #[error("{call} failed with {code}")]
    Driver {
        /// The driver call.
        call: &'static str,
        /// The code that the call returned.
        code: DriverCode,
    },

    /// This `Gpu`'s context was lost in an earlier call, with all memory in it. The code is the first code that reported the loss.
    ///
    /// The `Gpu` has released the context, and later calls on it return this error. A new `Gpu` works as soon as the driver gives the
    /// process a new context: see [`Error::ContextLost`]. [`Gpu::global`](crate::Gpu::global) asks for a new context for its `Gpu`, and so
    /// do the shortcuts on slices, such as [`gpu_sum`](crate::gpu_sum).
    #[error(
        "this `Gpu` lost its context to {code} in an earlier call, and has let go of it; a new `Gpu` works as soon as the driver \
         gives the process a new context"
    )]
    Poisoned {
        /// The sticky code.
        code: DriverCode,
    },

    /// The device's primary context is lost, and the driver does not give this process a new context.
    ///
    /// There are two possible reasons:
    ///
    /// - Something in the process still holds the lost context: another `Gpu`, another library, the CUDA runtime, a context of `cust`. The
    ///   driver gives a new context as soon as the last holder has released the lost context.
    /// - A kernel has faulted (codes 700, 716, 719, …). After that, NVIDIA's driver makes no new context in the process at all: restart the
    ///   process.
    #[error(
        "the device's primary context was lost, and {call} says that this process gets no new one, with {code}: either \
         something in the process still holds the lost one, or a kernel has faulted, and then the process has to end before \
         NVIDIA's driver works again"
    )]
    ContextLost {
        /// The driver call that failed.
        call: &'static str,
        /// The sticky code.
        code: DriverCode,
    },

    /// The process was forked from a process in which this library had initialised the driver. A context does not survive a fork, and
    /// NVIDIA's driver cannot be initialised again in the forked process.
    #[error(
        "this process was forked from one that had used the GPU, and CUDA does not work in it: fork before the first call, or \
         start a new program (`exec`)"
    )]
    Forked,

    /// Another context became the calling thread's current context while a call was running. If part of the call's work had run, the
    /// outputs are unspecified.
    #[error("another context was made current on this thread while the call was running")]
    ContextChanged,

    /// A stream is being captured, and this call would end or change the capture. Nothing was done, and the capture continues (except after
    /// a rare race: see the [crate's documentation](crate#captures)). There are two causes:
    ///
    /// - The call would use the default stream, and the captured stream is a blocking stream of the context.
    /// - The call's memory belongs to a stream, as `cudarc`'s memory does, and the call has to be ordered with that stream
    ///   ([`Lent::ordered_with`](crate::Lent::ordered_with)). That stream, or the stream on which the call is queued, is being captured.
    #[error(
        "a stream that is ordered with the default stream is being captured, and a call that waits uses that one: queue the request on a \
         stream (`.queue(&gpu, &stream)`), or wait for the end of the capture"
    )]
    CaptureUnderWay,

    /// The device has too little memory left. If part of the call's work had run, the outputs are unspecified.
    #[error(
        "out of device memory: {} were asked for, {} are free",
        known(asked_bytes),
        known(free_bytes)
    )]
    OutOfMemory {
        /// Bytes that were asked for in one allocation. Unknown if the driver itself needed the memory, for example for a stream or for a
        /// kernel's code.
        asked_bytes: Option<u64>,
        /// Bytes that are free, as the driver reports. Unknown if the driver did not report them.
        free_bytes: Option<u64>,
    },

    /// The host has too little memory for the results, or too little page-locked memory. If part of the call's work had run, the outputs
    /// are unspecified.
    #[error("out of host memory: {asked_bytes} bytes were asked for")]
    OutOfHostMemory {
        /// Bytes that were asked for in one allocation.
        asked_bytes: usize,
    },

    /// The output has too little room for the results.
    ///
    /// Only the work itself finds out how many items are selected, or how many runs there are. If an output is too short for the items or
    /// runs, the work fills the output. Then, if the call waits, it returns this error.
    #[error("the output holds {offered_items} items; {needed_items} are needed")]
    OutputTooShort {
        /// Items of the output.
        offered_items: usize,
        /// Items of the result.
        needed_items: usize,
    },

    /// The memory from which the call reads the count is empty.
    #[error("the slice with the count is empty; it needs a number")]
    CountMissing,

    /// The two inputs of a call have different lengths. These inputs are the two arrays of a reduction of pairs, or items and their flags,
    /// or keys and their items.
    #[error("the inputs hold {left_items} and {right_items} items; they need equally many")]
    LengthsDiffer {
        /// Items of the first input.
        left_items: usize,
        /// Items of the second input.
        right_items: usize,
    },

    /// Two arguments share memory, and the call would write to at least one of them. Counts and totals are arguments too. One case is
    /// allowed: in a scan of the whole input, not divided into parts, each result may overwrite its own item. If the call would write to
    /// both arguments, one of them is reported as the input.
    #[error(
        "{input_items} items of input at address {input:#x} overlap {output_items} of output at {output:#x}: only a \
         scan may write where it reads, and then item for item"
    )]
    Overlap {
        /// Address of the input's first item.
        input: u64,
        /// Items of the input.
        input_items: usize,
        /// Address of the output's first item.
        output: u64,
        /// Items that would be written.
        output_items: usize,
    },

    /// Offsets of segments do not ascend, or lie beyond the items. Offsets in a slice are checked before anything is launched. Offsets in
    /// device memory are checked by the work itself. If offsets in device memory are wrong, the results are unspecified, and only a call
    /// that waits returns this error.
    #[error(
        "offset {index} of the segments is {offset}: it must be from {before}, the one before it, to {item_count}, the number of \
         items"
    )]
    BadOffset {
        /// The index of the first offset that is wrong.
        index: usize,
        /// The wrong offset.
        offset: u64,
        /// The offset before the wrong offset; 0 if the wrong offset is the first.
        before: u64,
        /// The number of items.
        item_count: usize,
    },

    /// The type of the indices or lengths is too small for this many items.
    #[error("{item_count} items are too many for numbers of {number_bytes} bytes")]
    TooManyItems {
        /// The number of items.
        item_count: usize,
        /// Bytes of an index or of a length.
        number_bytes: usize,
    },

    /// The items do not form whole rows: the last row is incomplete, or the length of a row is 0.
    #[error("{item_count} items are no whole rows of {row_items}")]
    UnevenRows {
        /// The number of items.
        item_count: usize,
        /// Items of a row.
        row_items: usize,
    },

    /// The number of items does not fit an array of these extents.
    #[error(
        "{item_count} items are no array of {} × {} × {}{}",
        extents[0], extents[1], extents[2], with_pitch(pitch)
    )]
    UnevenAxes {
        /// The number of items.
        item_count: usize,
        /// The lengths of the outer, the middle and the inner axis. Items are combined along the middle axis.
        extents: [usize; 3],
        /// Items from the start of a row to the start of the next, if the request has a pitch.
        pitch: Option<usize>,
    },

    /// The pitch is less than the length of a row, so that rows would overlap.
    #[error(
        "rows of {row_items} items are {pitch} items apart; they need as many as a row has, or more"
    )]
    PitchTooShort {
        /// Items from the start of a row to the start of the next.
        pitch: usize,
        /// Items of a row.
        row_items: usize,
    },

    /// A buffer in device memory is not aligned for its items. For a selection by flags, items of 1, 2, 4 and 8 bytes have to be aligned to
    /// their size. Items of 16 bytes have to be aligned to 8 bytes.
    #[error(
        "the {argument} starts at address {address:#x}, which is no multiple of {alignment} bytes"
    )]
    Misaligned {
        /// The argument.
        argument: Argument,
        /// The address where the buffer starts.
        address: u64,
        /// The alignment that the call needs, in bytes.
        alignment: usize,
    },

    /// A buffer is not memory of this GPU's primary context: it belongs to another context or device, it has been freed, or it is host
    /// memory that is not page-locked.
    #[error(
        "the {argument} at address {address:#x} is not memory of this GPU's primary context: it belongs to \
         another context or device, or it was freed, or it is host memory that is not page-locked"
    )]
    ForeignMemory {
        /// The argument.
        argument: Argument,
        /// The address where the buffer starts.
        address: u64,
    },

    /// The stream belongs to another context.
    #[error("the stream belongs to another context than this GPU's primary one")]
    ForeignStream,

    /// The embedded PTX lacks the kernel `symbol`.
    #[error("the embedded PTX has no kernel {symbol}")]
    KernelMissing {
        /// The kernel's name.
        symbol: &'static str,
    },

    /// The driver rejects the kernel's PTX, or the PTX has a NUL.
    #[error("the driver does not take the PTX of {symbol}: {code}; its log: {log:?}")]
    KernelRejected {
        /// The kernel's name. If the program supplied the PTX, the name that the program gave it.
        symbol: &'static str,
        /// The code that the driver returned; 218 if the PTX has a NUL.
        code: DriverCode,
        /// The log of the driver's compiler; often empty.
        log: String,
    },

    /// The ranks of a [group](crate::group) could not complete the call together.
    #[cfg(feature = "nccl")]
    #[error(transparent)]
    Group(#[from] Fault),
}

/// The argument that an [`Error`] names.
///
/// ```
/// use warpfold::{Argument, Error};
///
/// let error = Error::Misaligned { argument: Argument::Offsets, address: 0x1002, alignment: 4 };
/// assert!(error.to_string().contains(&Argument::Offsets.to_string()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Argument {
    /// An input: the items, the second items of pairs, or the keys.
    Input,
    /// An output for results, chosen items, indices or keys.
    Output,
    /// The offsets of segments; for a request by key, the output for the starts of the runs.
    Offsets,
    /// The flags of items.
    Flags,
    /// The output for the items that are not selected.
    Rejected,
    /// The output for the lengths of runs.
    Lengths,
    /// A count in device memory. The call either reads it (the number of items or parts) or writes it (the number of selected items or
    /// runs).
    Count,
    /// The place for the total of a scan.
    Total,
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Offsets => "list of offsets",
            Self::Flags => "list of flags",
            Self::Rejected => "output for rejected items",
            Self::Lengths => "output for lengths",
            Self::Count => "place of the count",
            Self::Total => "place for the total",
        })
    }
}

fn with_pitch(pitch: &Option<usize>) -> String {
    pitch.map_or_else(String::new, |pitch| {
        format!(" whose rows are {pitch} items apart")
    })
}

fn known(bytes: &Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!("{bytes} bytes"),
        None => "an unknown number of bytes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn out_of_memory_reports_the_known_byte_counts() {
        let message = |asked_bytes, free_bytes| {
            let error = Error::OutOfMemory {
                asked_bytes,
                free_bytes,
            };
            error.to_string()
        };
        assert_eq!(
            message(Some(128), Some(64)),
            "out of device memory: 128 bytes were asked for, 64 bytes are free"
        );
        assert_eq!(
            message(None, Some(64)),
            "out of device memory: an unknown number of bytes were asked for, 64 bytes are free"
        );
    }
}
