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

            reduce MinNum f32 => reduce_min_num_f32;
            reduce MinNum f64 => reduce_min_num_f64;
            reduce MinNum f16 => reduce_min_num_f16;
            reduce MinNum bf16 => reduce_min_num_bf16;

            reduce MaxNum f32 => reduce_max_num_f32;
            reduce MaxNum f64 => reduce_max_num_f64;
            reduce MaxNum f16 => reduce_max_num_f16;
            reduce MaxNum bf16 => reduce_max_num_bf16;

            reduce And i8 => reduce_and_i8;
            reduce And u8 => reduce_and_u8;
            reduce And i16 => reduce_and_i16;
            reduce And u16 => reduce_and_u16;
            reduce And i32 => reduce_and_i32;
            reduce And u32 => reduce_and_u32;
            reduce And i64 => reduce_and_i64;
            reduce And u64 => reduce_and_u64;

            reduce Or i8 => reduce_or_i8;
            reduce Or u8 => reduce_or_u8;
            reduce Or i16 => reduce_or_i16;
            reduce Or u16 => reduce_or_u16;
            reduce Or i32 => reduce_or_i32;
            reduce Or u32 => reduce_or_u32;
            reduce Or i64 => reduce_or_i64;
            reduce Or u64 => reduce_or_u64;

            reduce Xor i8 => reduce_xor_i8;
            reduce Xor u8 => reduce_xor_u8;
            reduce Xor i16 => reduce_xor_i16;
            reduce Xor u16 => reduce_xor_u16;
            reduce Xor i32 => reduce_xor_i32;
            reduce Xor u32 => reduce_xor_u32;
            reduce Xor i64 => reduce_xor_i64;
            reduce Xor u64 => reduce_xor_u64;

            reduce All i8 => reduce_all_i8;
            reduce All u8 => reduce_all_u8;
            reduce All i16 => reduce_all_i16;
            reduce All u16 => reduce_all_u16;
            reduce All i32 => reduce_all_i32;
            reduce All u32 => reduce_all_u32;
            reduce All i64 => reduce_all_i64;
            reduce All u64 => reduce_all_u64;

            reduce Any i8 => reduce_any_i8;
            reduce Any u8 => reduce_any_u8;
            reduce Any i16 => reduce_any_i16;
            reduce Any u16 => reduce_any_u16;
            reduce Any i32 => reduce_any_i32;
            reduce Any u32 => reduce_any_u32;
            reduce Any i64 => reduce_any_i64;
            reduce Any u64 => reduce_any_u64;

            reduce ArgMin f32 => reduce_arg_min_f32;
            reduce ArgMin f64 => reduce_arg_min_f64;
            reduce ArgMin f16 => reduce_arg_min_f16;
            reduce ArgMin bf16 => reduce_arg_min_bf16;
            reduce ArgMin i8 => reduce_arg_min_i8;
            reduce ArgMin u8 => reduce_arg_min_u8;
            reduce ArgMin i16 => reduce_arg_min_i16;
            reduce ArgMin u16 => reduce_arg_min_u16;
            reduce ArgMin i32 => reduce_arg_min_i32;
            reduce ArgMin u32 => reduce_arg_min_u32;
            reduce ArgMin i64 => reduce_arg_min_i64;
            reduce ArgMin u64 => reduce_arg_min_u64;

            reduce ArgMax f32 => reduce_arg_max_f32;
            reduce ArgMax f64 => reduce_arg_max_f64;
            reduce ArgMax f16 => reduce_arg_max_f16;
            reduce ArgMax bf16 => reduce_arg_max_bf16;
            reduce ArgMax i8 => reduce_arg_max_i8;
            reduce ArgMax u8 => reduce_arg_max_u8;
            reduce ArgMax i16 => reduce_arg_max_i16;
            reduce ArgMax u16 => reduce_arg_max_u16;
            reduce ArgMax i32 => reduce_arg_max_i32;
            reduce ArgMax u32 => reduce_arg_max_u32;
            reduce ArgMax i64 => reduce_arg_max_i64;
            reduce ArgMax u64 => reduce_arg_max_u64;

            reduce ArgMinMax f32 => reduce_arg_min_max_f32;
            reduce ArgMinMax f64 => reduce_arg_min_max_f64;
            reduce ArgMinMax f16 => reduce_arg_min_max_f16;
            reduce ArgMinMax bf16 => reduce_arg_min_max_bf16;
            reduce ArgMinMax i8 => reduce_arg_min_max_i8;
            reduce ArgMinMax u8 => reduce_arg_min_max_u8;
            reduce ArgMinMax i16 => reduce_arg_min_max_i16;
            reduce ArgMinMax u16 => reduce_arg_min_max_u16;
            reduce ArgMinMax i32 => reduce_arg_min_max_i32;
            reduce ArgMinMax u32 => reduce_arg_min_max_u32;
            reduce ArgMinMax i64 => reduce_arg_min_max_i64;
            reduce ArgMinMax u64 => reduce_arg_min_max_u64;

            reduce MinMax f32 => reduce_min_max_f32;
            reduce MinMax f64 => reduce_min_max_f64;
            reduce MinMax f16 => reduce_min_max_f16;
            reduce MinMax bf16 => reduce_min_max_bf16;
            reduce MinMax i8 => reduce_min_max_i8;
            reduce MinMax u8 => reduce_min_max_u8;
            reduce MinMax i16 => reduce_min_max_i16;
            reduce MinMax u16 => reduce_min_max_u16;
            reduce MinMax i32 => reduce_min_max_i32;
            reduce MinMax u32 => reduce_min_max_u32;
            reduce MinMax i64 => reduce_min_max_i64;
            reduce MinMax u64 => reduce_min_max_u64;

            reduce Moments f32 => reduce_moments_f32;
            reduce Moments f64 => reduce_moments_f64;
            reduce Moments f16 => reduce_moments_f16;
            reduce Moments bf16 => reduce_moments_bf16;
            reduce Moments i8 => reduce_moments_i8;
            reduce Moments u8 => reduce_moments_u8;
            reduce Moments i16 => reduce_moments_i16;
            reduce Moments u16 => reduce_moments_u16;
            reduce Moments i32 => reduce_moments_i32;
            reduce Moments u32 => reduce_moments_u32;
            reduce Moments i64 => reduce_moments_i64;
            reduce Moments u64 => reduce_moments_u64;

            reduce Statistics f32 => reduce_statistics_f32;
            reduce Statistics f64 => reduce_statistics_f64;
            reduce Statistics f16 => reduce_statistics_f16;
            reduce Statistics bf16 => reduce_statistics_bf16;
            reduce Statistics i8 => reduce_statistics_i8;
            reduce Statistics u8 => reduce_statistics_u8;
            reduce Statistics i16 => reduce_statistics_i16;
            reduce Statistics u16 => reduce_statistics_u16;
            reduce Statistics i32 => reduce_statistics_i32;
            reduce Statistics u32 => reduce_statistics_u32;
            reduce Statistics i64 => reduce_statistics_i64;
            reduce Statistics u64 => reduce_statistics_u64;

            reduce SumOfSquares f32 => reduce_sum_of_squares_f32;
            reduce SumOfSquares f64 => reduce_sum_of_squares_f64;
            reduce SumOfSquares f16 => reduce_sum_of_squares_f16;
            reduce SumOfSquares bf16 => reduce_sum_of_squares_bf16;
            reduce SumOfSquares i8 => reduce_sum_of_squares_i8;
            reduce SumOfSquares u8 => reduce_sum_of_squares_u8;
            reduce SumOfSquares i16 => reduce_sum_of_squares_i16;
            reduce SumOfSquares u16 => reduce_sum_of_squares_u16;
            reduce SumOfSquares i32 => reduce_sum_of_squares_i32;
            reduce SumOfSquares u32 => reduce_sum_of_squares_u32;
            reduce SumOfSquares i64 => reduce_sum_of_squares_i64;
            reduce SumOfSquares u64 => reduce_sum_of_squares_u64;

            reduce WideSumOfSquares f32 => reduce_wide_sum_of_squares_f32;

            reduce CountNonZero f32 => reduce_count_non_zero_f32;
            reduce CountNonZero f64 => reduce_count_non_zero_f64;
            reduce CountNonZero f16 => reduce_count_non_zero_f16;
            reduce CountNonZero bf16 => reduce_count_non_zero_bf16;
            reduce CountNonZero i8 => reduce_count_non_zero_i8;
            reduce CountNonZero u8 => reduce_count_non_zero_u8;
            reduce CountNonZero i16 => reduce_count_non_zero_i16;
            reduce CountNonZero u16 => reduce_count_non_zero_u16;
            reduce CountNonZero i32 => reduce_count_non_zero_i32;
            reduce CountNonZero u32 => reduce_count_non_zero_u32;
            reduce CountNonZero i64 => reduce_count_non_zero_i64;
            reduce CountNonZero u64 => reduce_count_non_zero_u64;

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

            inclusive_scan MinNum f32 => inclusive_scan_min_num_f32;
            inclusive_scan MinNum f64 => inclusive_scan_min_num_f64;
            inclusive_scan MinNum f16 => inclusive_scan_min_num_f16;
            inclusive_scan MinNum bf16 => inclusive_scan_min_num_bf16;

            inclusive_scan MaxNum f32 => inclusive_scan_max_num_f32;
            inclusive_scan MaxNum f64 => inclusive_scan_max_num_f64;
            inclusive_scan MaxNum f16 => inclusive_scan_max_num_f16;
            inclusive_scan MaxNum bf16 => inclusive_scan_max_num_bf16;

            inclusive_scan And i8 => inclusive_scan_and_i8;
            inclusive_scan And u8 => inclusive_scan_and_u8;
            inclusive_scan And i16 => inclusive_scan_and_i16;
            inclusive_scan And u16 => inclusive_scan_and_u16;
            inclusive_scan And i32 => inclusive_scan_and_i32;
            inclusive_scan And u32 => inclusive_scan_and_u32;
            inclusive_scan And i64 => inclusive_scan_and_i64;
            inclusive_scan And u64 => inclusive_scan_and_u64;

            inclusive_scan Or i8 => inclusive_scan_or_i8;
            inclusive_scan Or u8 => inclusive_scan_or_u8;
            inclusive_scan Or i16 => inclusive_scan_or_i16;
            inclusive_scan Or u16 => inclusive_scan_or_u16;
            inclusive_scan Or i32 => inclusive_scan_or_i32;
            inclusive_scan Or u32 => inclusive_scan_or_u32;
            inclusive_scan Or i64 => inclusive_scan_or_i64;
            inclusive_scan Or u64 => inclusive_scan_or_u64;

            inclusive_scan Xor i8 => inclusive_scan_xor_i8;
            inclusive_scan Xor u8 => inclusive_scan_xor_u8;
            inclusive_scan Xor i16 => inclusive_scan_xor_i16;
            inclusive_scan Xor u16 => inclusive_scan_xor_u16;
            inclusive_scan Xor i32 => inclusive_scan_xor_i32;
            inclusive_scan Xor u32 => inclusive_scan_xor_u32;
            inclusive_scan Xor i64 => inclusive_scan_xor_i64;
            inclusive_scan Xor u64 => inclusive_scan_xor_u64;

            inclusive_scan WideSum f32 => inclusive_scan_wide_sum_f32;
            inclusive_scan WideSum f16 => inclusive_scan_wide_sum_f16;
            inclusive_scan WideSum bf16 => inclusive_scan_wide_sum_bf16;
            inclusive_scan WideSum i8 => inclusive_scan_wide_sum_i8;
            inclusive_scan WideSum u8 => inclusive_scan_wide_sum_u8;
            inclusive_scan WideSum i16 => inclusive_scan_wide_sum_i16;
            inclusive_scan WideSum u16 => inclusive_scan_wide_sum_u16;
            inclusive_scan WideSum i32 => inclusive_scan_wide_sum_i32;
            inclusive_scan WideSum u32 => inclusive_scan_wide_sum_u32;

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

            exclusive_scan MinNum f32 => exclusive_scan_min_num_f32;
            exclusive_scan MinNum f64 => exclusive_scan_min_num_f64;
            exclusive_scan MinNum f16 => exclusive_scan_min_num_f16;
            exclusive_scan MinNum bf16 => exclusive_scan_min_num_bf16;

            exclusive_scan MaxNum f32 => exclusive_scan_max_num_f32;
            exclusive_scan MaxNum f64 => exclusive_scan_max_num_f64;
            exclusive_scan MaxNum f16 => exclusive_scan_max_num_f16;
            exclusive_scan MaxNum bf16 => exclusive_scan_max_num_bf16;

            exclusive_scan And i8 => exclusive_scan_and_i8;
            exclusive_scan And u8 => exclusive_scan_and_u8;
            exclusive_scan And i16 => exclusive_scan_and_i16;
            exclusive_scan And u16 => exclusive_scan_and_u16;
            exclusive_scan And i32 => exclusive_scan_and_i32;
            exclusive_scan And u32 => exclusive_scan_and_u32;
            exclusive_scan And i64 => exclusive_scan_and_i64;
            exclusive_scan And u64 => exclusive_scan_and_u64;

            exclusive_scan Or i8 => exclusive_scan_or_i8;
            exclusive_scan Or u8 => exclusive_scan_or_u8;
            exclusive_scan Or i16 => exclusive_scan_or_i16;
            exclusive_scan Or u16 => exclusive_scan_or_u16;
            exclusive_scan Or i32 => exclusive_scan_or_i32;
            exclusive_scan Or u32 => exclusive_scan_or_u32;
            exclusive_scan Or i64 => exclusive_scan_or_i64;
            exclusive_scan Or u64 => exclusive_scan_or_u64;

            exclusive_scan Xor i8 => exclusive_scan_xor_i8;
            exclusive_scan Xor u8 => exclusive_scan_xor_u8;
            exclusive_scan Xor i16 => exclusive_scan_xor_i16;
            exclusive_scan Xor u16 => exclusive_scan_xor_u16;
            exclusive_scan Xor i32 => exclusive_scan_xor_i32;
            exclusive_scan Xor u32 => exclusive_scan_xor_u32;
            exclusive_scan Xor i64 => exclusive_scan_xor_i64;
            exclusive_scan Xor u64 => exclusive_scan_xor_u64;

            exclusive_scan WideSum f32 => exclusive_scan_wide_sum_f32;
            exclusive_scan WideSum f16 => exclusive_scan_wide_sum_f16;
            exclusive_scan WideSum bf16 => exclusive_scan_wide_sum_bf16;
            exclusive_scan WideSum i8 => exclusive_scan_wide_sum_i8;
            exclusive_scan WideSum u8 => exclusive_scan_wide_sum_u8;
            exclusive_scan WideSum i16 => exclusive_scan_wide_sum_i16;
            exclusive_scan WideSum u16 => exclusive_scan_wide_sum_u16;
            exclusive_scan WideSum i32 => exclusive_scan_wide_sum_i32;
            exclusive_scan WideSum u32 => exclusive_scan_wide_sum_u32;
        }
    };
}

/// Hands every row of the table of kernels with two inputs to the macro `$callback`: the operator is on pairs of two elements of
/// this type.
#[macro_export]
macro_rules! for_each_pair_kernel {
    ($callback:ident) => {
        $callback! {
            reduce_pairs Dot f32 => reduce_pairs_dot_f32;
            reduce_pairs Dot f64 => reduce_pairs_dot_f64;
            reduce_pairs Dot f16 => reduce_pairs_dot_f16;
            reduce_pairs Dot bf16 => reduce_pairs_dot_bf16;
            reduce_pairs Dot i8 => reduce_pairs_dot_i8;
            reduce_pairs Dot u8 => reduce_pairs_dot_u8;
            reduce_pairs Dot i16 => reduce_pairs_dot_i16;
            reduce_pairs Dot u16 => reduce_pairs_dot_u16;
            reduce_pairs Dot i32 => reduce_pairs_dot_i32;
            reduce_pairs Dot u32 => reduce_pairs_dot_u32;
            reduce_pairs Dot i64 => reduce_pairs_dot_i64;
            reduce_pairs Dot u64 => reduce_pairs_dot_u64;
        }
    };
}

/// Hands the rows whose kernels ship as a text of their own to the macro `$callback`, as [`for_each_kernel!`] does all. The
/// others ship as skeletons and bodies, since a skeleton with their bodies is as good. By `ptxas` of CUDA 13.0, whole and filled:
///
/// - Reductions of `bf16` that round: a conversion of two instructions, which the compiler joins with taking the item out of
///   its word, is left in two parts. 672 and 720 instructions for 9.0.
/// - Inclusive scans of `f64` that round: the registers do not suffice for 9.0, and 8 bytes are spilled.
#[macro_export]
macro_rules! for_each_whole_kernel {
    ($callback:ident) => {
        $callback! {
            reduce Sum bf16 => reduce_sum_bf16;
            reduce Product bf16 => reduce_product_bf16;
            reduce WideSum bf16 => reduce_wide_sum_bf16;

            inclusive_scan Sum f64 => inclusive_scan_sum_f64;
            inclusive_scan Product f64 => inclusive_scan_product_f64;
        }
    };
}
