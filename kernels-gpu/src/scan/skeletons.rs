//! The skeletons of scans, see [`crate::skeleton`].

use crate::skeleton::*;

/// Emits a skeleton that inclusive and exclusive scans share.
macro_rules! emit_places {
    ($emit:tt $symbol:tt $op:ty, $t:ty) => {
        crate::emit_scan! { $emit $symbol Places, $op, $t }
    };
}

skeletons! {
    [emit_places] Holes:
    true u8 u32 u8 => scan_exact_8_32_8;
    true u16 u32 u16 => scan_exact_16_32_16;
    false u16 u32 u16 => scan_rounding_16_32_16;
    true u32 u32 u32 => scan_exact_32_32_32;
    false u32 u32 u32 => scan_rounding_32_32_32;
    false u32 u64 u32 => scan_rounding_32_64_32;
    false u16 u32 u32 => scan_rounding_16_32_32;
    true u8 u64 u64 => scan_exact_8_64_64;
    true u16 u64 u64 => scan_exact_16_64_64;
    true u32 u64 u64 => scan_exact_32_64_64;
    false u32 u64 u64 => scan_rounding_32_64_64;
    true u64 u64 u64 => scan_exact_64_64_64;
    false u64 u64 u64 => scan_rounding_64_64_64;
}

skeletons! {
    [emit_places] Existing:
    true u32 Words3 u64 => scan_exact_32_96_64;
    true u64 Words4 u64 => scan_exact_64_128_64;
}

skeletons! {
    [emit_places] InOrder:
    false u64 u64 u32 => scan_rounding_64_64_32;
}
