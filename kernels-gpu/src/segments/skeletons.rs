//! The skeletons of segmented reductions and scans, see [`crate::skeleton`].

use crate::skeleton::*;

skeletons! {
    [crate::emit_segmented_reduce] Holes:
    true u8 u32 u8 => segmented_reduce_8_32_8;
    true u16 u32 u16 => segmented_reduce_16_32_16;
    true u32 u32 u32 => segmented_reduce_32_32_32;
    false u32 u64 u32 => segmented_reduce_32_64_32;
    true u64 u64 u64 => segmented_reduce_64_64_64;
    true u16 u32 u8 => segmented_reduce_16_32_8;
    true u32 u32 u8 => segmented_reduce_32_32_8;
    true u64 u32 u8 => segmented_reduce_64_32_8;
    true u8 u64 u64 => segmented_reduce_8_64_64;
    true u16 u64 u64 => segmented_reduce_16_64_64;
    true u32 u64 u64 => segmented_reduce_32_64_64;
    true u16 u32 u32 => segmented_reduce_16_32_32;
    true u64 u64 u32 => segmented_reduce_64_64_32;
    true u8 u64 Bytes2 => segmented_reduce_8_64_16;
    true u16 u64 Halves2 => segmented_reduce_16_64_32;
    true u64 Words4 Long2 => segmented_reduce_64_128_128;
    true u8 Words3 u64 => segmented_reduce_8_96_64;
    true u16 Words3 u64 => segmented_reduce_16_96_64;
    true u32 Words3 u64 => segmented_reduce_32_96_64;
    true u64 Words4 u64 => segmented_reduce_64_128_64;
    true u8 Words6 Long2 => segmented_reduce_8_192_128;
    true u16 Words6 Long2 => segmented_reduce_16_192_128;
    true u32 Words6 Long2 => segmented_reduce_32_192_128;
    true u64 Words8 Long2 => segmented_reduce_64_256_128;
    false u8 Words6 Long3 => segmented_reduce_8_192_192;
    false u16 Words6 Long3 => segmented_reduce_16_192_192;
    false u32 Words6 Long3 => segmented_reduce_32_192_192;
    false u64 Words6 Long3 => segmented_reduce_64_192_192;
    false u8 Words12 Long5 => segmented_reduce_8_384_320;
    false u16 Words12 Long5 => segmented_reduce_16_384_320;
    false u32 Words12 Long5 => segmented_reduce_32_384_320;
    false u64 Words14 Long5 => segmented_reduce_64_448_320;
}

skeletons! {
    [crate::emit_segmented_scan] Holes:
    true u8 u32 u8 => segmented_scan_8_32_8;
    true u16 u32 u16 => segmented_scan_16_32_16;
    true u32 u32 u32 => segmented_scan_32_32_32;
    false u32 u64 u32 => segmented_scan_32_64_32;
    true u64 u64 u64 => segmented_scan_64_64_64;
    true u8 u64 u64 => segmented_scan_8_64_64;
    true u16 u64 u64 => segmented_scan_16_64_64;
    true u32 u64 u64 => segmented_scan_32_64_64;
    true u16 u32 u32 => segmented_scan_16_32_32;
    true u64 u64 u32 => segmented_scan_64_64_32;
}

skeletons! {
    [crate::emit_segmented_scan] Existing:
    true u32 Words3 u64 => segmented_scan_32_96_64;
    true u64 Words4 u64 => segmented_scan_64_128_64;
}

skeletons! {
    [crate::emit_by_key_reduce] Holes:
    true u8 u32 u8 => by_key_reduce_8_32_8;
    true u16 u32 u16 => by_key_reduce_16_32_16;
    true u32 u32 u32 => by_key_reduce_32_32_32;
    false u32 u64 u32 => by_key_reduce_32_64_32;
    true u64 u64 u64 => by_key_reduce_64_64_64;
    true u16 u32 u8 => by_key_reduce_16_32_8;
    true u32 u32 u8 => by_key_reduce_32_32_8;
    true u64 u32 u8 => by_key_reduce_64_32_8;
    true u8 u64 u64 => by_key_reduce_8_64_64;
    true u16 u64 u64 => by_key_reduce_16_64_64;
    true u32 u64 u64 => by_key_reduce_32_64_64;
    true u16 u32 u32 => by_key_reduce_16_32_32;
    true u64 u64 u32 => by_key_reduce_64_64_32;
}

skeletons! {
    [crate::emit_by_key_scan] Holes:
    true u8 u32 u8 => by_key_scan_8_32_8;
    true u16 u32 u16 => by_key_scan_16_32_16;
    true u32 u32 u32 => by_key_scan_32_32_32;
    false u32 u64 u32 => by_key_scan_32_64_32;
    true u64 u64 u64 => by_key_scan_64_64_64;
    true u8 u64 u64 => by_key_scan_8_64_64;
    true u16 u64 u64 => by_key_scan_16_64_64;
    true u32 u64 u64 => by_key_scan_32_64_64;
    true u16 u32 u32 => by_key_scan_16_32_32;
    true u64 u64 u32 => by_key_scan_64_64_32;
}

skeletons! {
    [crate::emit_by_key_scan] Existing:
    true u32 Words3 u64 => by_key_scan_32_96_64;
    true u64 Words4 u64 => by_key_scan_64_128_64;
}
