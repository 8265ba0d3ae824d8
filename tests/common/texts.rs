//! Some rows of the table of kernels. Each of them stands for all rows with the same text. Here, two texts count as the same if they have
//! the same skeleton.
//!
//! Rows with the same text move items in the same way, and wait for other blocks in the same way. So tests of these two things need only
//! the rows listed here. `bits.rs` tests that each row has the right body.

/// Like `for_each_kernel`, passes rows of reductions and scans of whole arrays to the macro `$callback`: one to three rows for most texts.
/// This list and that of `for_each_one_pass_text` leave out:
/// - `All` and `Any` on items of more than 8 bits;
/// - scans by `LogSumExp`, `ArgMin` and `ArgMax`;
/// - scans whose results have another width than the items.
macro_rules! for_each_text {
    ($callback:ident) => {
        $callback! {
            reduce Sum f32 => reduce_sum_f32;
            reduce Product f64 => reduce_product_f64;
            reduce Sum f16 => reduce_sum_f16;
            reduce Sum bf16 => reduce_sum_bf16;
            reduce Product bf16 => reduce_product_bf16;
            reduce Sum i8 => reduce_sum_i8;
            reduce Max u8 => reduce_max_u8;
            reduce Min i16 => reduce_min_i16;
            reduce Sum u16 => reduce_sum_u16;
            reduce Max f32 => reduce_max_f32;
            reduce Sum i32 => reduce_sum_i32;
            reduce Min f64 => reduce_min_f64;
            reduce Product u64 => reduce_product_u64;
            reduce WideSum f32 => reduce_wide_sum_f32;
            reduce WideSum f16 => reduce_wide_sum_f16;
            reduce WideSum bf16 => reduce_wide_sum_bf16;
            reduce WideSum i8 => reduce_wide_sum_i8;
            reduce WideSum u16 => reduce_wide_sum_u16;
            reduce WideSum u32 => reduce_wide_sum_u32;
            reduce LogSumExp f32 => reduce_log_sum_exp_f32;

            inclusive_scan Sum f32 => inclusive_scan_sum_f32;
            inclusive_scan Sum f64 => inclusive_scan_sum_f64;
            inclusive_scan Product f64 => inclusive_scan_product_f64;
            inclusive_scan Sum bf16 => inclusive_scan_sum_bf16;
            inclusive_scan Sum u8 => inclusive_scan_sum_u8;
            inclusive_scan Min i16 => inclusive_scan_min_i16;
            inclusive_scan Max u32 => inclusive_scan_max_u32;
            inclusive_scan Sum i64 => inclusive_scan_sum_i64;
            inclusive_scan Max f64 => inclusive_scan_max_f64;

            exclusive_scan Product f32 => exclusive_scan_product_f32;
            exclusive_scan Sum f64 => exclusive_scan_sum_f64;
            exclusive_scan Max f16 => exclusive_scan_max_f16;
            exclusive_scan Max i8 => exclusive_scan_max_i8;
            exclusive_scan Sum u16 => exclusive_scan_sum_u16;
            exclusive_scan Sum i32 => exclusive_scan_sum_i32;
            exclusive_scan Min u64 => exclusive_scan_min_u64;
        }
    };
}
pub(crate) use for_each_text;

/// Like `for_each_text`, for reductions by `MinMax`, `ArgMin`, `ArgMax`, `ArgMinMax`, `Moments` and `Statistics`.
#[allow(unused_macros, reason = "each test file uses its part")]
macro_rules! for_each_one_pass_text {
    ($callback:ident) => {
        $callback! {
            reduce MinMax u8 => reduce_min_max_u8;
            reduce MinMax f16 => reduce_min_max_f16;
            reduce MinMax f32 => reduce_min_max_f32;
            reduce MinMax i64 => reduce_min_max_i64;
            reduce ArgMin i8 => reduce_arg_min_i8;
            reduce ArgMax bf16 => reduce_arg_max_bf16;
            reduce ArgMin f32 => reduce_arg_min_f32;
            reduce ArgMax f64 => reduce_arg_max_f64;
            reduce ArgMinMax u8 => reduce_arg_min_max_u8;
            reduce ArgMinMax i16 => reduce_arg_min_max_i16;
            reduce ArgMinMax u32 => reduce_arg_min_max_u32;
            reduce ArgMinMax f64 => reduce_arg_min_max_f64;
            reduce Moments u8 => reduce_moments_u8;
            reduce Moments f16 => reduce_moments_f16;
            reduce Moments f32 => reduce_moments_f32;
            reduce Moments f64 => reduce_moments_f64;
            reduce Statistics i8 => reduce_statistics_i8;
            reduce Statistics u16 => reduce_statistics_u16;
            reduce Statistics f32 => reduce_statistics_f32;
            reduce Statistics i64 => reduce_statistics_i64;
        }
    };
}
#[allow(unused_imports, reason = "each test file uses its part")]
pub(crate) use for_each_one_pass_text;
