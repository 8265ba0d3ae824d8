//! The architectures that kernels are compiled for.

/// rustc's name of the device.
pub const TARGET: &str = "nvptx64-nvidia-cuda";

/// An architecture, and all later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// The compute capability of the first of these architectures, major and minor.
    pub capability: (u32, u32),
    /// The compiler's name for that architecture.
    pub target_cpu: &'static str,
    /// The version of PTX that its instructions need.
    pub ptx_version: &'static str,
    /// The feature of `warpfold-kernels` for that architecture.
    pub feature: &'static str,
}

impl Variant {
    /// Whether launches may begin before earlier work on their stream has ended.
    pub fn may_begin_early(&self) -> bool {
        self.capability >= (9, 0)
    }
}

/// The compute capabilities for which the library makes the texts of operators' kernels from the texts for 9.0.
pub const MADE_BY_THE_LIBRARY: [(u32, u32); 2] = [(8, 0), (7, 0)];

/// The compute capability for which the library makes the texts from rust-cuda's texts for 9.0. rust-cuda's compiler makes the texts for
/// 7.0 itself.
#[cfg(feature = "cuda_builder")]
pub const MADE_OF_RUST_CUDAS: [(u32, u32); 1] = [(8, 0)];

/// The variants, the best first. The last is for the oldest architecture that the compiler accepts. The architectures of the others have
/// instructions that make kernels faster.
pub const VARIANTS: [Variant; 3] = [
    Variant {
        capability: (9, 0),
        target_cpu: "sm_90",
        ptx_version: "7.8",
        feature: "stable_sm_90",
    },
    Variant {
        capability: (8, 0),
        target_cpu: "sm_80",
        ptx_version: "7.4",
        feature: "stable_sm_80",
    },
    Variant {
        capability: (7, 0),
        target_cpu: "sm_70",
        ptx_version: "7.4",
        feature: "stable",
    },
];
