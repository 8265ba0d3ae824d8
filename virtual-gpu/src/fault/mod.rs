//! Faults of kernels: the kind, the thread, the line of the PTX, and the allocation near an offending
//! address.

mod streams;

pub use streams::{Doer, StreamKind, StreamName, StreamRace, StreamSide, ThreadPlace};

use crate::config::WARP_LANES;
use std::error::Error;
use std::fmt;

/// A kernel that was stopped, and why.
///
/// ```
/// use virtual_gpu::{DeviceConfig, LaunchError, Memory, Module, RunOptions, Shape};
///
/// // A kernel that stores to address 0.
/// let text = ".version 8.0 .target sm_80 .address_size 64
///     .entry k() { st.global.u32 [0], 1; ret; }";
/// let device = DeviceConfig::default();
/// let memory = Memory::new(device.memory_bytes);
/// let module = Module::load(text, &device, &memory)?;
/// let kernel = module.kernel("k").expect("it is in the text");
/// let shape = Shape { grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0 };
/// let error = kernel.launch(&shape, &[], &memory, &device, &RunOptions::default());
/// let Err(LaunchError::Fault(fault)) = error else {
///     panic!("a store to nowhere");
/// };
/// assert_eq!((fault.line, fault.thread), (2, [0, 0, 0]));
/// # Ok::<(), virtual_gpu::LoadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The kernel's name.
    pub kernel: String,
    /// The coordinates of the block in its grid.
    pub block: [u32; 3],
    /// The coordinates of the faulting thread in its block. If several threads fault, these are the coordinates of the thread whose fault
    /// was found first.
    pub thread: [u32; 3],
    /// The warp's number in its block.
    pub warp: u32,
    /// The lane's number in its warp.
    pub lane: u32,
    /// The line in the PTX text, counted from 1.
    pub line: u32,
    /// The text of the instruction, on one line.
    pub instruction: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [bx, by, bz] = self.block;
        let [tx, ty, tz] = self.thread;
        write!(
            f,
            "{}\n  in kernel `{}`, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz}) \
             = warp {} lane {}\n  at PTX line {}: {}",
            self.kind, self.kernel, self.warp, self.lane, self.line, self.instruction
        )
    }
}

impl Error for Fault {}

impl Fault {
    /// The fault of a launch that raced with other work. The fault names the thread and the line of the access at which the race was found.
    /// An unknown thread or line is given as 0.
    pub(crate) fn of_stream_race(race: Box<StreamRace>) -> Self {
        let (kernel, at, line, instruction) = match &race.later.by {
            Doer::Kernel {
                name,
                at,
                line,
                instruction,
                ..
            } => (name.clone(), *at, *line, instruction.clone()),
            Doer::Call { name, .. } => ((*name).to_owned(), None, 0, String::new()),
        };
        let at = at.unwrap_or_default();
        Self {
            kind: FaultKind::StreamRace(race),
            kernel,
            block: at.block,
            thread: at.thread,
            warp: at.index / WARP_LANES,
            lane: at.index % WARP_LANES,
            line,
            instruction,
        }
    }

    /// The CUDA driver's code for this fault.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, LaunchError, Memory, Module, RunOptions, Shape};
    ///
    /// // A kernel that stores to address 0.
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .entry k() { st.global.u32 [0], 1; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// let shape = Shape { grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0 };
    /// let error = kernel.launch(&shape, &[], &memory, &device, &RunOptions::default());
    /// let Err(LaunchError::Fault(fault)) = error else {
    ///     panic!("a store to nowhere");
    /// };
    /// assert_eq!(fault.cu_result(), 700); // CUDA_ERROR_ILLEGAL_ADDRESS
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn cu_result(&self) -> i32 {
        match self.kind {
            FaultKind::OutOfBounds { .. } | FaultKind::UseAfterFree { .. } => 700,
            FaultKind::StepBudget { .. } => 702,
            FaultKind::Misaligned { .. } => 716,
            FaultKind::Assertion { .. } => 710,
            _ => 719,
        }
    }
}

/// A memory space. Constants count as global memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Memory of the device, and host memory that kernels access.
    Global,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Parameters of the kernel, or of a call.
    Param,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Param => "parameter",
        })
    }
}

/// The kind of a memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes at once.
    Atomic,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic operation",
        })
    }
}

/// One side of a race.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The kind of access.
    pub access: AccessKind,
    /// Bytes of the access.
    pub bytes: u32,
    /// The block's number in the grid.
    pub block: u64,
    /// The thread's number in its block.
    pub thread: u32,
    /// The line in the PTX text, counted from 1.
    pub line: u32,
    /// The text of the instruction, on one line.
    pub instruction: String,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} bytes by thread {} of block {} at line {}: {}",
            self.access, self.bytes, self.thread, self.block, self.line, self.instruction
        )
    }
}

/// A range of bytes, such as an allocation.
///
/// ```
/// let memory = virtual_gpu::Memory::new(1 << 20);
/// let address = memory.alloc(8)?;
/// let found = memory.find(address + 7).expect("it is the last byte");
/// assert_eq!((found.base, found.bytes), (address, 8));
/// # Ok::<(), virtual_gpu::MemoryError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// First address.
    pub base: u64,
    /// Number of bytes.
    pub bytes: u64,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x} ({} bytes)", self.base, self.bytes)
    }
}

/// The live allocation of device memory that is nearest to an address, for example the address of an access out of bounds.
///
/// ```
/// let memory = virtual_gpu::Memory::new(1 << 20);
/// let address = memory.alloc(8)?;
/// assert!(memory.near(address + 10).to_string().starts_with("it is 2 bytes past the end"));
/// # Ok::<(), virtual_gpu::MemoryError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Near {
    /// No live allocation of device memory is near the address.
    Nothing,
    /// The address lies inside this allocation. If an access to this address is out of bounds, it runs past the end of the allocation.
    Across(Extent),
    /// The address lies this number of bytes past the end of this allocation.
    After(Extent, u64),
    /// The address lies this number of bytes before the start of this allocation.
    Before(Extent, u64),
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Near::Nothing => f.write_str("no allocation is near it"),
            Near::Across(extent) => write!(f, "it runs past the end of the allocation {extent}"),
            Near::After(extent, by) => {
                write!(
                    f,
                    "it is {by} bytes past the end of the allocation {extent}"
                )
            }
            Near::Before(extent, by) => {
                write!(f, "it is {by} bytes before the allocation {extent}")
            }
        }
    }
}

/// Why two accesses to the same bytes are a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// Nothing orders the two accesses.
    Unordered,
    /// The later access is `ld.global.nc`. Such a load may read only bytes that do not change while its grid runs.
    ReadOnly,
}

/// The kind of fault.
///
/// ```
/// use virtual_gpu::{DeviceConfig, FaultKind, LaunchError, Memory, Module, RunOptions, Shape};
///
/// // A kernel that stores to address 0.
/// let text = ".version 8.0 .target sm_80 .address_size 64
///     .entry k() { st.global.u32 [0], 1; ret; }";
/// let device = DeviceConfig::default();
/// let memory = Memory::new(device.memory_bytes);
/// let module = Module::load(text, &device, &memory)?;
/// let kernel = module.kernel("k").expect("it is in the text");
/// let shape = Shape { grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0 };
/// let error = kernel.launch(&shape, &[], &memory, &device, &RunOptions::default());
/// let Err(LaunchError::Fault(fault)) = error else {
///     panic!("a store to nowhere");
/// };
/// assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }));
/// # Ok::<(), virtual_gpu::LoadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// In global memory: an access that neither lies inside one live allocation nor begins in freed memory. In another space: an access
    /// beyond the end of the space.
    OutOfBounds {
        /// The space of the access.
        space: Space,
        /// The kind of access.
        access: AccessKind,
        /// The address. In a space other than global memory, it is an offset within the space.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
        /// In global memory, the nearest allocation. In another space, the whole space.
        near: Near,
    },
    /// An access to memory that was freed.
    UseAfterFree {
        /// The kind of access.
        access: AccessKind,
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
        /// The allocation that was there.
        freed: Extent,
    },
    /// An address that is not a multiple of the access's width.
    Misaligned {
        /// The space.
        space: Space,
        /// The kind of access.
        access: AccessKind,
        /// The address.
        address: u64,
        /// Bytes of the access, which are also the alignment that it needs.
        bytes: u32,
    },
    /// An access to global memory in a programmatic launch, by a thread that has not waited for the
    /// preceding launches.
    TooEarly {
        /// The kind of access.
        access: AccessKind,
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
    },
    /// The kernel carried out `trap`.
    Trap,
    /// An `assert` of the kernel failed.
    Assertion {
        /// The assertion and its place in the source.
        what: String,
    },
    /// The launch exceeded its budget of warp instructions.
    StepBudget {
        /// The budget.
        steps: u64,
    },
    /// All threads of the running blocks wait for each other.
    Deadlock {
        /// The waiting threads, as text.
        waiting: String,
    },
    /// A barrier that some threads did not reach, although they must, or an aligned barrier that a warp's threads reached at different
    /// instructions.
    BarrierDivergence {
        /// The barrier's number.
        barrier: u32,
        /// The threads that did not reach the barrier, or reached it at another instruction, as text.
        missing: String,
    },
    /// An invalid use of a barrier or an mbarrier, for example with a wrong number or count.
    InvalidBarrier {
        /// The mistake, as text, often with the wrong number or count.
        what: String,
    },
    /// A `*.sync` instruction whose member mask does not match the lanes that execute it, or a shuffle that reads from a lane that takes no
    /// part.
    WarpSync {
        /// The member mask.
        members: u32,
        /// The mistake, as text.
        what: String,
    },
    /// Two accesses touch the same bytes, and at least one of them writes. Nothing orders the accesses, or a non-coherent read comes
    /// after a write.
    Race {
        /// The space.
        space: Space,
        /// The first address of the later access, within its space.
        address: u64,
        /// Why the two accesses conflict.
        conflict: Conflict,
        /// The access that came first in this launch.
        earlier: Box<Side>,
        /// The access at which the race was found.
        later: Box<Side>,
    },
    /// The launch and another piece of work access the same bytes, at least one of them writes, and
    /// nothing orders the two.
    StreamRace(Box<StreamRace>),
    /// An undefined value decides something, such as a branch, an address, or which threads take part. The value comes from a register or a
    /// byte that nothing wrote.
    Uninitialised {
        /// What was undefined, in words.
        what: String,
    },
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::OutOfBounds {
                space,
                access,
                address,
                bytes,
                near,
            } => {
                write!(
                    f,
                    "out of bounds: {access} of {bytes} bytes at {space} address {address:#x}"
                )?;
                match space {
                    Space::Global => write!(f, "; {near}"),
                    _ => match near {
                        Near::Across(e) | Near::After(e, _) | Near::Before(e, _) => {
                            write!(f, "; the space has {} bytes", e.bytes)
                        }
                        Near::Nothing => Ok(()),
                    },
                }
            }
            FaultKind::UseAfterFree {
                access,
                address,
                bytes,
                freed,
            } => write!(
                f,
                "use after free: {access} of {bytes} bytes at global address {address:#x}, in the \
                 freed allocation {freed}"
            ),
            FaultKind::Misaligned {
                space,
                access,
                address,
                bytes,
            } => write!(
                f,
                "misaligned: {access} of {bytes} bytes at {space} address {address:#x}, which is \
                 no multiple of {bytes}"
            ),
            FaultKind::TooEarly {
                access,
                address,
                bytes,
            } => write!(
                f,
                "too early: {access} of {bytes} bytes at global address {address:#x} by a thread \
                 that has not waited for the launches before (`griddepcontrol.wait`)"
            ),
            FaultKind::Trap => f.write_str("the kernel trapped"),
            FaultKind::Assertion { what } => write!(f, "assertion failed: {what}"),
            FaultKind::StepBudget { steps } => {
                write!(
                    f,
                    "launch timeout: still running after {steps} warp instructions"
                )
            }
            FaultKind::Deadlock { waiting } => write!(f, "deadlock: {waiting}"),
            FaultKind::BarrierDivergence { barrier, missing } => {
                write!(f, "divergent barrier {barrier}: {missing}")
            }
            FaultKind::InvalidBarrier { what } => write!(f, "invalid barrier: {what}"),
            FaultKind::WarpSync { members, what } => {
                write!(f, "member mask {members:#010x}: {what}")
            }
            FaultKind::Race {
                space,
                address,
                conflict,
                earlier,
                later,
            } => {
                write!(f, "race: at {space} address {address:#x}, ")?;
                match conflict {
                    Conflict::Unordered => {
                        write!(f, "nothing orders the {earlier} and the {later}")
                    }
                    Conflict::ReadOnly => write!(
                        f,
                        "the {earlier} changes what the {later} takes for read-only"
                    ),
                }
            }
            FaultKind::StreamRace(race) => race.fmt(f),
            FaultKind::Uninitialised { what } => write!(f, "uninitialised: {what}"),
        }
    }
}
