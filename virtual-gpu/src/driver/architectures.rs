//! The architectures from compute capability 7.0 on, with their limits as listed in the CUDA
//! programming guide.
//!
//! The number of multiprocessors and the memory size differ between boards of one architecture. So they are not listed here, and keep the
//! values of `DeviceConfig::default()`. The letter at the end of a name (`sm_90a`) selects PTX instructions and does not change the device.

use crate::DeviceConfig;

struct Architecture {
    /// Compute capability, major and minor.
    capability: (u32, u32),
    /// The letters that the architecture's name may end with.
    letters: &'static [u8],
    /// The most threads and the most blocks that a multiprocessor holds.
    threads: u32,
    blocks: u32,
    /// Three amounts of shared memory, in KiB: what a multiprocessor has, the most that a block may have, and what the system reserves in
    /// each block.
    shared_kib: u32,
    shared_kib_of_block: u32,
    reserved_kib: u32,
}

const fn row(
    capability: (u32, u32),
    letters: &'static [u8],
    [threads, blocks]: [u32; 2],
    [shared_kib, shared_kib_of_block, reserved_kib]: [u32; 3],
) -> Architecture {
    Architecture {
        capability,
        letters,
        threads,
        blocks,
        shared_kib,
        shared_kib_of_block,
        reserved_kib,
    }
}

const ARCHITECTURES: [Architecture; 16] = [
    row((7, 0), b"", [2048, 32], [96, 96, 0]),
    row((7, 2), b"", [2048, 32], [96, 96, 0]),
    row((7, 5), b"", [1024, 16], [64, 64, 0]),
    row((8, 0), b"", [2048, 32], [164, 163, 1]),
    row((8, 6), b"", [1536, 16], [100, 99, 1]),
    row((8, 7), b"", [1536, 16], [164, 163, 1]),
    row((8, 8), b"", [1536, 16], [100, 99, 1]),
    row((8, 9), b"", [1536, 24], [100, 99, 1]),
    row((9, 0), b"a", [2048, 32], [228, 227, 1]),
    row((10, 0), b"af", [2048, 32], [228, 227, 1]),
    row((10, 1), b"af", [1536, 24], [228, 227, 1]),
    row((10, 3), b"af", [2048, 32], [228, 227, 1]),
    row((10, 7), b"af", [1024, 16], [228, 227, 1]),
    row((11, 0), b"af", [1536, 24], [228, 227, 1]),
    row((12, 0), b"af", [1536, 24], [100, 99, 1]),
    row((12, 1), b"af", [1536, 24], [100, 99, 1]),
];

/// The default device, but with the limits of the architecture `name`, such as `sm_80`.
pub(crate) fn device(name: &str) -> Option<DeviceConfig> {
    let found = ARCHITECTURES.iter().find(|row| row.has_name(name))?;
    Some(DeviceConfig {
        compute_capability: found.capability,
        max_threads_per_multiprocessor: found.threads,
        max_blocks_per_multiprocessor: found.blocks,
        shared_bytes_per_multiprocessor: found.shared_kib << 10,
        shared_bytes_per_block_optin: found.shared_kib_of_block << 10,
        reserved_shared_bytes_per_block: found.reserved_kib << 10,
        ..Default::default()
    })
}

impl Architecture {
    fn name(&self) -> String {
        let (major, minor) = self.capability;
        format!("sm_{major}{minor}")
    }

    fn has_name(&self, name: &str) -> bool {
        match name.strip_prefix(&self.name()).map(str::as_bytes) {
            Some([]) => true,
            Some([letter]) => self.letters.contains(letter),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_device_is_sm_90() {
        assert_eq!(device("sm_90"), Some(DeviceConfig::default()));
    }

    #[test]
    fn a_device_has_the_limits_of_its_architecture() {
        let turing = device("sm_75").unwrap();
        assert_eq!(turing.compute_capability, (7, 5));
        assert_eq!(turing.max_threads_per_multiprocessor, 1024);
        assert_eq!(turing.shared_bytes_per_block_optin, 64 << 10);
    }

    #[test]
    fn the_list_of_variables_names_every_architecture() {
        let is_ours = |variable: &crate::EnvVariable| variable.name == "VIRTUAL_GPU_ARCH";
        let named = crate::VARIABLES.into_iter().find(is_ours).unwrap().values;
        for row in &ARCHITECTURES {
            let name = row.name();
            assert!(named.contains(&name), "{name}");
            for letter in row.letters {
                assert!(device(&format!("{name}{}", char::from(*letter))).is_some());
            }
        }
        assert_eq!(named.matches("sm_").count(), ARCHITECTURES.len() + 1);
    }

    #[test]
    fn unknown_architectures_are_refused() {
        for name in [
            "sm_60",
            "sm_71",
            "sm_85",
            "sm_80a",
            "sm_90f",
            "sm_100af",
            "sm_199",
            "sm_9",
            "sm_",
            "90",
            "sm_+80",
            "sm_080",
            "compute_80",
            "SM_80",
        ] {
            assert!(device(name).is_none(), "{name}");
        }
    }
}
