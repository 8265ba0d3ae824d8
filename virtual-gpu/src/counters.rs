//! Exact counts of the work of a launch.
//!
//! The counts refer to the PTX text, and not to the machine code that a real driver makes from it. Caches are not modelled: if two
//! instructions read the same sector, it counts twice. The rules are:
//!
//! * A *lane instruction* is one instruction carried out by one lane.
//! * A *sector* is 32 consecutive bytes at an address that is a multiple of 32. A sector counts once for each instruction of a warp, even
//!   if several lanes touch it.
//! * Shared memory has 32 banks of four bytes. An instruction of a warp takes one pass if each lane accesses up to 4 bytes. With 8 bytes
//!   per lane it takes two passes, each for half of the lanes. With 16 bytes per lane it takes four passes. A pass takes one wavefront, or
//!   more if its lanes need different words of one bank. Each wavefront beyond the first of its pass is a *bank conflict*.
//! * A *line* is 128 consecutive bytes at an address that is a multiple of 128. An asynchronous copy to shared memory joins a line of global
//!   memory with a line of shared memory if the warp's instruction moves bytes from one to the other. A copy of whole lines joins one pair
//!   of lines for each 128 bytes. If it begins inside a line of either memory, it joins more.
//! * An asynchronous copy counts as loads and stores, each of at most 16 bytes for each lane. A 128-bit atomic operation also counts as a
//!   load of each lane, and as a store of each lane that writes.

/// The class of an instruction.
///
/// ```
/// use virtual_gpu::{Class, Counters};
///
/// let mut counters = Counters::default();
/// counters.lane_instructions_by_class[Class::Float as usize] = 32;
/// assert_eq!(counters.of_class(Class::Float), 32);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Class {
    /// Integer arithmetic, logic and shifts.
    Integer,
    /// Floating-point arithmetic.
    Float,
    /// Conversions between types.
    Convert,
    /// Comparisons, selections and predicate logic.
    Compare,
    /// Moves, address conversions, `isspacep`, `createpolicy` and special registers.
    Move,
    /// Loads, stores, asynchronous copies, prefetches and other hints about memory.
    Memory,
    /// Atomic operations.
    Atomic,
    /// Branches, returns, exits, traps, pauses, `setmaxnreg`, `pmevent`, and calls of functions that the system defines, such as `vprintf`.
    Control,
    /// Barriers, mbarriers, fences, shuffles, votes, matches, warp reductions, elections, active masks, `cp.async.mbarrier.arrive` and
    /// `griddepcontrol`.
    Sync,
}

/// Number of classes in [`Class`].
///
/// ```
/// use virtual_gpu::{CLASS_COUNT, Counters};
///
/// assert_eq!(Counters::default().lane_instructions_by_class, [0; CLASS_COUNT]);
/// ```
pub const CLASS_COUNT: usize = 9;

/// The counts of one launch, or of several added together.
///
/// ```
/// use virtual_gpu::{DeviceConfig, Memory, Module, RunOptions, Shape};
///
/// let text = ".version 8.0 .target sm_80 .address_size 64
///     .global .u32 seen;
///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
/// let device = DeviceConfig::default();
/// let memory = Memory::new(device.memory_bytes);
/// let module = Module::load(text, &device, &memory)?;
/// let kernel = module.kernel("k").expect("it is in the text");
/// let shape = Shape { grid: [3, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
/// let counters = kernel.launch(&shape, &[0; 12], &memory, &device, &RunOptions::default())?;
/// assert_eq!((counters.blocks, counters.lane_instructions()), (3, 96)); // `ret`
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Blocks that ran, including blocks of grids that kernels launched.
    pub blocks: u64,
    /// Grids that kernels launched.
    pub device_launches: u64,
    /// Instructions issued, each for a whole warp or a part of a warp.
    pub warp_instructions: u64,
    /// Lane instructions by class, indexed by `Class as usize`.
    pub lane_instructions_by_class: [u64; CLASS_COUNT],
    /// Bytes that lanes read from global memory.
    pub global_bytes_read: u64,
    /// Bytes that lanes wrote to global memory.
    pub global_bytes_written: u64,
    /// Sectors read from global memory.
    pub global_sectors_read: u64,
    /// Sectors written to global memory.
    pub global_sectors_written: u64,
    /// Loads from global memory. A load that several lanes of a warp execute together counts once.
    pub global_loads: u64,
    /// Stores to global memory, counted like the loads.
    pub global_stores: u64,
    /// Bytes that lanes read from and wrote to local memory.
    pub local_bytes: u64,
    /// Loads, stores and atomic operations in shared memory, counted like the loads from global memory.
    pub shared_accesses: u64,
    /// Bank conflicts in shared memory.
    pub bank_conflicts: u64,
    /// Pairs of lines that asynchronous copies to shared memory join. Copies of more than 16 bytes for each lane are not counted.
    pub copied_lines: u64,
    /// Divergent branches: the lanes run together before the branch, and not all of them run together after it.
    pub divergent_branches: u64,
    /// Completed block barriers, summed over all blocks.
    pub barriers: u64,
    /// The most barriers that one block completed.
    pub barriers_per_block: u64,
    /// Shuffles. A shuffle that several lanes of a warp execute together counts once.
    pub shuffles: u64,
    /// Votes, matches, warp reductions and elections, counted like the shuffles.
    pub votes: u64,
    /// Atomic operations. An instruction counts once for each lane that executes it.
    pub atomics: u64,
}

impl Counters {
    /// Lane instructions of all classes.
    ///
    /// ```
    /// use virtual_gpu::{Class, Counters};
    ///
    /// let mut counters = Counters::default();
    /// counters.lane_instructions_by_class[Class::Float as usize] = 32;
    /// assert_eq!(counters.lane_instructions(), 32);
    /// ```
    pub fn lane_instructions(&self) -> u64 {
        self.lane_instructions_by_class.iter().sum()
    }

    /// Lane instructions of one class.
    ///
    /// ```
    /// use virtual_gpu::{Class, Counters};
    ///
    /// let mut counters = Counters::default();
    /// counters.lane_instructions_by_class[Class::Float as usize] = 32;
    /// assert_eq!((counters.of_class(Class::Float), counters.of_class(Class::Memory)), (32, 0));
    /// ```
    pub fn of_class(&self, class: Class) -> u64 {
        self.lane_instructions_by_class[class as usize]
    }

    /// Adds the counts of another launch; `barriers_per_block` becomes the larger of the two launches' values.
    ///
    /// ```
    /// use virtual_gpu::{Class, Counters};
    ///
    /// let mut counters = Counters::default();
    /// counters.lane_instructions_by_class[Class::Float as usize] = 32;
    /// let mut total = Counters::default();
    /// total.add(&counters);
    /// total.add(&counters);
    /// assert_eq!(total.of_class(Class::Float), 64);
    /// ```
    pub fn add(&mut self, other: &Counters) {
        self.blocks += other.blocks;
        self.device_launches += other.device_launches;
        self.warp_instructions += other.warp_instructions;
        for (mine, theirs) in self
            .lane_instructions_by_class
            .iter_mut()
            .zip(other.lane_instructions_by_class)
        {
            *mine += theirs;
        }
        self.global_bytes_read += other.global_bytes_read;
        self.global_bytes_written += other.global_bytes_written;
        self.global_sectors_read += other.global_sectors_read;
        self.global_sectors_written += other.global_sectors_written;
        self.global_loads += other.global_loads;
        self.global_stores += other.global_stores;
        self.local_bytes += other.local_bytes;
        self.shared_accesses += other.shared_accesses;
        self.bank_conflicts += other.bank_conflicts;
        self.copied_lines += other.copied_lines;
        self.divergent_branches += other.divergent_branches;
        self.barriers += other.barriers;
        self.barriers_per_block = self.barriers_per_block.max(other.barriers_per_block);
        self.shuffles += other.shuffles;
        self.votes += other.votes;
        self.atomics += other.atomics;
    }
}
