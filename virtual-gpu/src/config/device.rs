//! The virtual device: its size and its limits.
//!
//! The default limits are those of a current data-centre GPU, except that there is less memory and there are fewer multiprocessors. The
//! multiprocessors are few on purpose: ordering mistakes show sooner when few blocks run at once. Not modelled: clock rates, caches,
//! latencies. Nothing here predicts time.

/// The limits of a virtual device.
///
/// ```
/// use virtual_gpu::DeviceConfig;
///
/// let small = DeviceConfig { multiprocessors: 1, memory_bytes: 1 << 30, ..DeviceConfig::default() };
/// assert_eq!(small.compute_capability, (9, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceConfig {
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Compute capability, major and minor: `(9, 0)` is `sm_90`.
    pub compute_capability: (u32, u32),
    /// Bytes of global memory: a limit on live allocations. The memory is not reserved in advance.
    pub memory_bytes: u64,
    /// The most threads of one block.
    pub max_threads_per_block: u32,
    /// The most threads that one multiprocessor holds at once.
    pub max_threads_per_multiprocessor: u32,
    /// The most blocks that one multiprocessor holds at once.
    pub max_blocks_per_multiprocessor: u32,
    /// 32-bit registers of one multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// 32-bit registers that one block may use.
    pub registers_per_block: u32,
    /// Bytes of shared memory of one multiprocessor.
    pub shared_bytes_per_multiprocessor: u32,
    /// Bytes of shared memory that a block gets without opting in to more.
    pub shared_bytes_per_block: u32,
    /// Bytes of shared memory that a block may have after opting in.
    pub shared_bytes_per_block_optin: u32,
    /// Bytes of shared memory that the system keeps for itself in every block.
    pub reserved_shared_bytes_per_block: u32,
    /// Largest extent of a block in x, y and z.
    pub max_block_dim: [u32; 3],
    /// Largest extent of a grid in x, y and z.
    pub max_grid_dim: [u32; 3],
    /// The most pending grids: grids that kernels have launched and that have not begun.
    pub max_pending_launches: u32,
}

impl Default for DeviceConfig {
    fn default() -> Self {
        Self {
            multiprocessors: 4,
            compute_capability: (9, 0),
            memory_bytes: 16 << 30,
            max_threads_per_block: 1024,
            max_threads_per_multiprocessor: 2048,
            max_blocks_per_multiprocessor: 32,
            registers_per_multiprocessor: 65_536,
            registers_per_block: 65_536,
            shared_bytes_per_multiprocessor: 228 << 10,
            shared_bytes_per_block: 48 << 10,
            shared_bytes_per_block_optin: 227 << 10,
            reserved_shared_bytes_per_block: 1 << 10,
            max_block_dim: [1024, 1024, 64],
            max_grid_dim: [0x7fff_ffff, 65_535, 65_535],
            max_pending_launches: 2048,
        }
    }
}

/// The number of lanes in a warp. It is the same on every device.
///
/// ```
/// assert_eq!(256 / virtual_gpu::WARP_LANES, 8); // warps of a block of 256 threads
/// ```
pub const WARP_LANES: u32 = 32;

impl DeviceConfig {
    /// The number of blocks that one multiprocessor holds at once, if each has `threads` threads and `shared_bytes` bytes of shared memory.
    /// 0 if not even one block fits.
    ///
    /// Registers do not limit this number: PTX has virtual registers, and the compiler that assigns real registers is not modelled.
    ///
    /// ```
    /// let device = virtual_gpu::DeviceConfig::default();
    /// assert_eq!(device.blocks_per_multiprocessor(256, 0), 8); // 2048 threads
    /// assert_eq!(device.blocks_per_multiprocessor(256, 100 << 10), 2); // 228 KiB of shared memory
    /// assert_eq!(device.blocks_per_multiprocessor(2048, 0), 0);
    /// ```
    pub fn blocks_per_multiprocessor(&self, threads: u32, shared_bytes: u32) -> u32 {
        let warps = threads.div_ceil(WARP_LANES).max(1);
        let by_threads = self.max_threads_per_multiprocessor / WARP_LANES / warps;
        let taken = u64::from(shared_bytes) + u64::from(self.reserved_shared_bytes_per_block);
        let by_shared = u64::from(self.shared_bytes_per_multiprocessor) / taken.max(1);
        let by_shared = u32::try_from(by_shared).unwrap_or(u32::MAX);
        if threads > self.max_threads_per_block || shared_bytes > self.shared_bytes_per_block_optin
        {
            return 0;
        }
        by_threads
            .min(by_shared)
            .min(self.max_blocks_per_multiprocessor)
    }
}
