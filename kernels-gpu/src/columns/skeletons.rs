//! The skeletons of reductions and scans of columns, see [`crate::skeleton`].

use crate::skeleton::*;

skeletons! {
    [crate::emit_columns_reduce] Holes:
    true u8 u32 u8 => columns_reduce_8_32_8;
    true u16 u32 u16 => columns_reduce_16_32_16;
    true u32 u32 u32 => columns_reduce_32_32_32;
    false u32 u64 u32 => columns_reduce_32_64_32;
    true u64 u64 u64 => columns_reduce_64_64_64;
    true u16 u32 u8 => columns_reduce_16_32_8;
    true u32 u32 u8 => columns_reduce_32_32_8;
    true u64 u32 u8 => columns_reduce_64_32_8;
    true u8 u64 u64 => columns_reduce_8_64_64;
    true u16 u64 u64 => columns_reduce_16_64_64;
    true u32 u64 u64 => columns_reduce_32_64_64;
    true u16 u32 u32 => columns_reduce_16_32_32;
    true u64 u64 u32 => columns_reduce_64_64_32;
    true u8 u64 Bytes2 => columns_reduce_8_64_16;
    true u16 u64 Halves2 => columns_reduce_16_64_32;
    true u64 Words4 Long2 => columns_reduce_64_128_128;
    true u8 Words3 u64 => columns_reduce_8_96_64;
    true u16 Words3 u64 => columns_reduce_16_96_64;
    true u32 Words3 u64 => columns_reduce_32_96_64;
    true u64 Words4 u64 => columns_reduce_64_128_64;
    true u8 Words6 Long2 => columns_reduce_8_192_128;
    true u16 Words6 Long2 => columns_reduce_16_192_128;
    true u32 Words6 Long2 => columns_reduce_32_192_128;
    true u64 Words8 Long2 => columns_reduce_64_256_128;
    false u8 Words6 Long3 => columns_reduce_8_192_192;
    false u16 Words6 Long3 => columns_reduce_16_192_192;
    false u32 Words6 Long3 => columns_reduce_32_192_192;
    false u64 Words6 Long3 => columns_reduce_64_192_192;
    false u8 Words12 Long5 => columns_reduce_8_384_320;
    false u16 Words12 Long5 => columns_reduce_16_384_320;
    false u32 Words12 Long5 => columns_reduce_32_384_320;
    false u64 Words14 Long5 => columns_reduce_64_448_320;
}

skeletons! {
    [crate::emit_columns_scan] Holes:
    true u8 u32 u8 => columns_scan_8_32_8;
    true u16 u32 u16 => columns_scan_16_32_16;
    true u32 u32 u32 => columns_scan_32_32_32;
    false u32 u64 u32 => columns_scan_32_64_32;
    true u64 u64 u64 => columns_scan_64_64_64;
    true u8 u64 u64 => columns_scan_8_64_64;
    true u16 u64 u64 => columns_scan_16_64_64;
    true u32 u64 u64 => columns_scan_32_64_64;
    true u16 u32 u32 => columns_scan_16_32_32;
    true u64 u64 u32 => columns_scan_64_64_32;
}

skeletons! {
    [crate::emit_columns_scan] Existing:
    true u32 Words3 u64 => columns_scan_32_96_64;
    true u64 Words4 u64 => columns_scan_64_128_64;
}
