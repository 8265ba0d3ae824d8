//! The skeletons of reductions, see [`crate::skeleton`].

use crate::skeleton::*;

skeletons! {
    [crate::emit_reduce] Holes:
    true u8 u32 u8 => reduce_exact_8_32_8;
    true u16 u32 u16 => reduce_exact_16_32_16;
    true u32 u32 u32 => reduce_exact_32_32_32;
    true u64 u64 u64 => reduce_exact_64_64_64;
    true u16 u32 u8 => reduce_exact_16_32_8;
    true u32 u32 u8 => reduce_exact_32_32_8;
    true u64 u32 u8 => reduce_exact_64_32_8;
    true u8 u64 u64 => reduce_exact_8_64_64;
    true u16 u64 u64 => reduce_exact_16_64_64;
    true u32 u64 u64 => reduce_exact_32_64_64;
    false u16 u32 u16 => reduce_rounding_16_32_16;
    false u16 u32 u32 => reduce_rounding_16_32_32;
    false u32 u32 u32 => reduce_rounding_32_32_32;
    false u32 u64 u32 => reduce_rounding_32_64_32;
    false u32 u64 u64 => reduce_rounding_32_64_64;
    false u64 u64 u64 => reduce_rounding_64_64_64;
}

skeletons! {
    [crate::emit_reduce] Existing:
    true u8 u64 Bytes2 => reduce_exact_8_64_16_existing;
    true u16 u64 Halves2 => reduce_exact_16_64_32_existing;
    true u32 u64 Words2 => reduce_exact_32_64_64_existing;
    true u64 Words4 Long2 => reduce_exact_64_128_128_existing;
    true u8 Words3 u64 => reduce_exact_8_96_64_existing;
    true u16 Words3 u64 => reduce_exact_16_96_64_existing;
    true u32 Words3 u64 => reduce_exact_32_96_64_existing;
    true u64 Words4 u64 => reduce_exact_64_128_64_existing;
    true u8 Words6 Long2 => reduce_exact_8_192_128_existing;
    true u16 Words6 Long2 => reduce_exact_16_192_128_existing;
    true u32 Words6 Long2 => reduce_exact_32_192_128_existing;
    true u64 Words8 Long2 => reduce_exact_64_256_128_existing;
    false u8 Words6 Long3 => reduce_rounding_8_192_192_existing;
    false u16 Words6 Long3 => reduce_rounding_16_192_192_existing;
    false u32 Words6 Long3 => reduce_rounding_32_192_192_existing;
    false u64 Words6 Long3 => reduce_rounding_64_192_192_existing;
    false u8 Words12 Long5 => reduce_rounding_8_384_320_existing;
    false u16 Words12 Long5 => reduce_rounding_16_384_320_existing;
    false u32 Words12 Long5 => reduce_rounding_32_384_320_existing;
    false u64 Words14 Long5 => reduce_rounding_64_448_320_existing;
}

skeletons! {
    [crate::emit_reduce_pairs] Holes:
    true u8 u64 u64 => reduce_pairs_exact_16_64_64;
    true u16 u64 u64 => reduce_pairs_exact_32_64_64;
    true u32 u64 u64 => reduce_pairs_exact_64_64_64;
    true u64 u64 u64 => reduce_pairs_exact_128_64_64;
    false u16 u32 u32 => reduce_pairs_rounding_32_32_32;
    false u32 u32 u32 => reduce_pairs_rounding_64_32_32;
    false u64 u64 u64 => reduce_pairs_rounding_128_64_64;
}
