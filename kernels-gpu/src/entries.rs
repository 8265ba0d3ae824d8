//! The table of kernels: one row for each, and nothing else.
//!
//! A row reads `kind operator element => symbol`. An operator and element that have no row do not compile
//! in the host library either.

/// Hands every row of the table to the macro `$callback`, as `kind Op element => symbol;`.
#[macro_export]
macro_rules! for_each_kernel {
    ($callback:ident) => {
        $callback! {
            reduce Sum f32 => reduce_sum_f32;
            reduce Sum f64 => reduce_sum_f64;
            reduce Sum f16 => reduce_sum_f16;
            reduce Sum bf16 => reduce_sum_bf16;
            reduce Sum i8 => reduce_sum_i8;
            reduce Sum u8 => reduce_sum_u8;
            reduce Sum i16 => reduce_sum_i16;
            reduce Sum u16 => reduce_sum_u16;
            reduce Sum i32 => reduce_sum_i32;
            reduce Sum u32 => reduce_sum_u32;
            reduce Sum i64 => reduce_sum_i64;
            reduce Sum u64 => reduce_sum_u64;

            reduce Product f32 => reduce_product_f32;
            reduce Product f64 => reduce_product_f64;
            reduce Product f16 => reduce_product_f16;
            reduce Product bf16 => reduce_product_bf16;
            reduce Product i8 => reduce_product_i8;
            reduce Product u8 => reduce_product_u8;
            reduce Product i16 => reduce_product_i16;
            reduce Product u16 => reduce_product_u16;
            reduce Product i32 => reduce_product_i32;
            reduce Product u32 => reduce_product_u32;
            reduce Product i64 => reduce_product_i64;
            reduce Product u64 => reduce_product_u64;

            reduce Min f32 => reduce_min_f32;
            reduce Min f64 => reduce_min_f64;
            reduce Min f16 => reduce_min_f16;
            reduce Min bf16 => reduce_min_bf16;
            reduce Min i8 => reduce_min_i8;
            reduce Min u8 => reduce_min_u8;
            reduce Min i16 => reduce_min_i16;
            reduce Min u16 => reduce_min_u16;
            reduce Min i32 => reduce_min_i32;
            reduce Min u32 => reduce_min_u32;
            reduce Min i64 => reduce_min_i64;
            reduce Min u64 => reduce_min_u64;

            reduce Max f32 => reduce_max_f32;
            reduce Max f64 => reduce_max_f64;
            reduce Max f16 => reduce_max_f16;
            reduce Max bf16 => reduce_max_bf16;
            reduce Max i8 => reduce_max_i8;
            reduce Max u8 => reduce_max_u8;
            reduce Max i16 => reduce_max_i16;
            reduce Max u16 => reduce_max_u16;
            reduce Max i32 => reduce_max_i32;
            reduce Max u32 => reduce_max_u32;
            reduce Max i64 => reduce_max_i64;
            reduce Max u64 => reduce_max_u64;

            reduce WideSum f32 => reduce_wide_sum_f32;
            reduce WideSum f16 => reduce_wide_sum_f16;
            reduce WideSum bf16 => reduce_wide_sum_bf16;
            reduce WideSum i8 => reduce_wide_sum_i8;
            reduce WideSum u8 => reduce_wide_sum_u8;
            reduce WideSum i16 => reduce_wide_sum_i16;
            reduce WideSum u16 => reduce_wide_sum_u16;
            reduce WideSum i32 => reduce_wide_sum_i32;
            reduce WideSum u32 => reduce_wide_sum_u32;

            inclusive_scan Sum f32 => inclusive_scan_sum_f32;
            inclusive_scan Sum f64 => inclusive_scan_sum_f64;
            inclusive_scan Sum f16 => inclusive_scan_sum_f16;
            inclusive_scan Sum bf16 => inclusive_scan_sum_bf16;
            inclusive_scan Sum i8 => inclusive_scan_sum_i8;
            inclusive_scan Sum u8 => inclusive_scan_sum_u8;
            inclusive_scan Sum i16 => inclusive_scan_sum_i16;
            inclusive_scan Sum u16 => inclusive_scan_sum_u16;
            inclusive_scan Sum i32 => inclusive_scan_sum_i32;
            inclusive_scan Sum u32 => inclusive_scan_sum_u32;
            inclusive_scan Sum i64 => inclusive_scan_sum_i64;
            inclusive_scan Sum u64 => inclusive_scan_sum_u64;

            inclusive_scan Product f32 => inclusive_scan_product_f32;
            inclusive_scan Product f64 => inclusive_scan_product_f64;
            inclusive_scan Product f16 => inclusive_scan_product_f16;
            inclusive_scan Product bf16 => inclusive_scan_product_bf16;
            inclusive_scan Product i8 => inclusive_scan_product_i8;
            inclusive_scan Product u8 => inclusive_scan_product_u8;
            inclusive_scan Product i16 => inclusive_scan_product_i16;
            inclusive_scan Product u16 => inclusive_scan_product_u16;
            inclusive_scan Product i32 => inclusive_scan_product_i32;
            inclusive_scan Product u32 => inclusive_scan_product_u32;
            inclusive_scan Product i64 => inclusive_scan_product_i64;
            inclusive_scan Product u64 => inclusive_scan_product_u64;

            inclusive_scan Min f32 => inclusive_scan_min_f32;
            inclusive_scan Min f64 => inclusive_scan_min_f64;
            inclusive_scan Min f16 => inclusive_scan_min_f16;
            inclusive_scan Min bf16 => inclusive_scan_min_bf16;
            inclusive_scan Min i8 => inclusive_scan_min_i8;
            inclusive_scan Min u8 => inclusive_scan_min_u8;
            inclusive_scan Min i16 => inclusive_scan_min_i16;
            inclusive_scan Min u16 => inclusive_scan_min_u16;
            inclusive_scan Min i32 => inclusive_scan_min_i32;
            inclusive_scan Min u32 => inclusive_scan_min_u32;
            inclusive_scan Min i64 => inclusive_scan_min_i64;
            inclusive_scan Min u64 => inclusive_scan_min_u64;

            inclusive_scan Max f32 => inclusive_scan_max_f32;
            inclusive_scan Max f64 => inclusive_scan_max_f64;
            inclusive_scan Max f16 => inclusive_scan_max_f16;
            inclusive_scan Max bf16 => inclusive_scan_max_bf16;
            inclusive_scan Max i8 => inclusive_scan_max_i8;
            inclusive_scan Max u8 => inclusive_scan_max_u8;
            inclusive_scan Max i16 => inclusive_scan_max_i16;
            inclusive_scan Max u16 => inclusive_scan_max_u16;
            inclusive_scan Max i32 => inclusive_scan_max_i32;
            inclusive_scan Max u32 => inclusive_scan_max_u32;
            inclusive_scan Max i64 => inclusive_scan_max_i64;
            inclusive_scan Max u64 => inclusive_scan_max_u64;

            exclusive_scan Sum f32 => exclusive_scan_sum_f32;
            exclusive_scan Sum f64 => exclusive_scan_sum_f64;
            exclusive_scan Sum f16 => exclusive_scan_sum_f16;
            exclusive_scan Sum bf16 => exclusive_scan_sum_bf16;
            exclusive_scan Sum i8 => exclusive_scan_sum_i8;
            exclusive_scan Sum u8 => exclusive_scan_sum_u8;
            exclusive_scan Sum i16 => exclusive_scan_sum_i16;
            exclusive_scan Sum u16 => exclusive_scan_sum_u16;
            exclusive_scan Sum i32 => exclusive_scan_sum_i32;
            exclusive_scan Sum u32 => exclusive_scan_sum_u32;
            exclusive_scan Sum i64 => exclusive_scan_sum_i64;
            exclusive_scan Sum u64 => exclusive_scan_sum_u64;

            exclusive_scan Product f32 => exclusive_scan_product_f32;
            exclusive_scan Product f64 => exclusive_scan_product_f64;
            exclusive_scan Product f16 => exclusive_scan_product_f16;
            exclusive_scan Product bf16 => exclusive_scan_product_bf16;
            exclusive_scan Product i8 => exclusive_scan_product_i8;
            exclusive_scan Product u8 => exclusive_scan_product_u8;
            exclusive_scan Product i16 => exclusive_scan_product_i16;
            exclusive_scan Product u16 => exclusive_scan_product_u16;
            exclusive_scan Product i32 => exclusive_scan_product_i32;
            exclusive_scan Product u32 => exclusive_scan_product_u32;
            exclusive_scan Product i64 => exclusive_scan_product_i64;
            exclusive_scan Product u64 => exclusive_scan_product_u64;

            exclusive_scan Min f32 => exclusive_scan_min_f32;
            exclusive_scan Min f64 => exclusive_scan_min_f64;
            exclusive_scan Min f16 => exclusive_scan_min_f16;
            exclusive_scan Min bf16 => exclusive_scan_min_bf16;
            exclusive_scan Min i8 => exclusive_scan_min_i8;
            exclusive_scan Min u8 => exclusive_scan_min_u8;
            exclusive_scan Min i16 => exclusive_scan_min_i16;
            exclusive_scan Min u16 => exclusive_scan_min_u16;
            exclusive_scan Min i32 => exclusive_scan_min_i32;
            exclusive_scan Min u32 => exclusive_scan_min_u32;
            exclusive_scan Min i64 => exclusive_scan_min_i64;
            exclusive_scan Min u64 => exclusive_scan_min_u64;

            exclusive_scan Max f32 => exclusive_scan_max_f32;
            exclusive_scan Max f64 => exclusive_scan_max_f64;
            exclusive_scan Max f16 => exclusive_scan_max_f16;
            exclusive_scan Max bf16 => exclusive_scan_max_bf16;
            exclusive_scan Max i8 => exclusive_scan_max_i8;
            exclusive_scan Max u8 => exclusive_scan_max_u8;
            exclusive_scan Max i16 => exclusive_scan_max_i16;
            exclusive_scan Max u16 => exclusive_scan_max_u16;
            exclusive_scan Max i32 => exclusive_scan_max_i32;
            exclusive_scan Max u32 => exclusive_scan_max_u32;
            exclusive_scan Max i64 => exclusive_scan_max_i64;
            exclusive_scan Max u64 => exclusive_scan_max_u64;
        }
    };
}
