//! What a device of each compute capability can hold, as the CUDA programming guide lists it.
//!
//! The number of multiprocessors and the memory differ from board to board, and stay as they are
//! by default. A capability that is not listed gets the limits of the newest listed one below it.

use crate::DeviceConfig;

struct Architecture {
    capability: (u32, u32),
    /// Threads and blocks that a multiprocessor holds.
    threads: u32,
    blocks: u32,
    /// KiB of shared memory of a multiprocessor, of a block that asks for all it can have, and kept
    /// for the system in each block.
    shared_kib: u32,
    shared_kib_of_block: u32,
    reserved_kib: u32,
}

const fn row(
    capability: (u32, u32),
    [threads, blocks]: [u32; 2],
    [shared_kib, shared_kib_of_block, reserved_kib]: [u32; 3],
) -> Architecture {
    Architecture {
        capability,
        threads,
        blocks,
        shared_kib,
        shared_kib_of_block,
        reserved_kib,
    }
}

/// In ascending order.
const ARCHITECTURES: [Architecture; 9] = [
    row((7, 0), [2048, 32], [96, 96, 0]),
    row((7, 5), [1024, 16], [64, 64, 0]),
    row((8, 0), [2048, 32], [164, 163, 1]),
    row((8, 6), [1536, 16], [100, 99, 1]),
    row((8, 7), [1536, 16], [164, 163, 1]),
    row((8, 9), [1536, 24], [100, 99, 1]),
    row((9, 0), [2048, 32], [228, 227, 1]),
    row((10, 0), [2048, 32], [228, 227, 1]),
    row((12, 0), [1536, 24], [100, 99, 1]),
];

/// The lowest compute capability that a virtual device can have.
pub(crate) const LOWEST: (u32, u32) = ARCHITECTURES[0].capability;

/// The default device, with the limits of a compute capability.
pub(crate) fn device(capability: (u32, u32)) -> DeviceConfig {
    let mut device = DeviceConfig {
        compute_capability: capability,
        ..Default::default()
    };
    let mut newest_first = ARCHITECTURES.iter().rev();
    if let Some(found) = newest_first.find(|row| row.capability <= capability) {
        device.max_threads_per_multiprocessor = found.threads;
        device.max_blocks_per_multiprocessor = found.blocks;
        device.shared_bytes_per_multiprocessor = found.shared_kib << 10;
        device.shared_bytes_per_block_optin = found.shared_kib_of_block << 10;
        device.reserved_shared_bytes_per_block = found.reserved_kib << 10;
    }
    device
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_device_is_of_a_listed_capability() {
        let default = DeviceConfig::default();
        assert_eq!(device(default.compute_capability), default);
    }

    #[test]
    fn an_unlisted_capability_has_the_limits_of_the_one_below() {
        let between = device((7, 2));
        assert_eq!(between.compute_capability, (7, 2));
        assert_eq!(between.shared_bytes_per_block_optin, 96 << 10);
        assert_eq!(device((8, 6)).max_threads_per_multiprocessor, 1536);
    }
}
