//! The tables of reductions and scans of columns: one row for each, and nothing else. They have the rows of the tables of segmented
//! ones.

/// Hands every row of the table to the macro `$callback`, as [`for_each_kernel!`](crate::for_each_kernel) does those of the others.
#[macro_export]
macro_rules! for_each_columns_kernel {
    ($callback:ident) => {
        $callback! {
            columns_reduce Sum f32 => columns_reduce_sum_f32;
            columns_reduce Sum f64 => columns_reduce_sum_f64;
            columns_reduce Sum f16 => columns_reduce_sum_f16;
            columns_reduce Sum bf16 => columns_reduce_sum_bf16;
            columns_reduce Sum i8 => columns_reduce_sum_i8;
            columns_reduce Sum u8 => columns_reduce_sum_u8;
            columns_reduce Sum i16 => columns_reduce_sum_i16;
            columns_reduce Sum u16 => columns_reduce_sum_u16;
            columns_reduce Sum i32 => columns_reduce_sum_i32;
            columns_reduce Sum u32 => columns_reduce_sum_u32;
            columns_reduce Sum i64 => columns_reduce_sum_i64;
            columns_reduce Sum u64 => columns_reduce_sum_u64;

            columns_reduce Product f32 => columns_reduce_product_f32;
            columns_reduce Product f64 => columns_reduce_product_f64;
            columns_reduce Product f16 => columns_reduce_product_f16;
            columns_reduce Product bf16 => columns_reduce_product_bf16;
            columns_reduce Product i8 => columns_reduce_product_i8;
            columns_reduce Product u8 => columns_reduce_product_u8;
            columns_reduce Product i16 => columns_reduce_product_i16;
            columns_reduce Product u16 => columns_reduce_product_u16;
            columns_reduce Product i32 => columns_reduce_product_i32;
            columns_reduce Product u32 => columns_reduce_product_u32;
            columns_reduce Product i64 => columns_reduce_product_i64;
            columns_reduce Product u64 => columns_reduce_product_u64;

            columns_reduce Min f32 => columns_reduce_min_f32;
            columns_reduce Min f64 => columns_reduce_min_f64;
            columns_reduce Min f16 => columns_reduce_min_f16;
            columns_reduce Min bf16 => columns_reduce_min_bf16;
            columns_reduce Min i8 => columns_reduce_min_i8;
            columns_reduce Min u8 => columns_reduce_min_u8;
            columns_reduce Min i16 => columns_reduce_min_i16;
            columns_reduce Min u16 => columns_reduce_min_u16;
            columns_reduce Min i32 => columns_reduce_min_i32;
            columns_reduce Min u32 => columns_reduce_min_u32;
            columns_reduce Min i64 => columns_reduce_min_i64;
            columns_reduce Min u64 => columns_reduce_min_u64;

            columns_reduce Max f32 => columns_reduce_max_f32;
            columns_reduce Max f64 => columns_reduce_max_f64;
            columns_reduce Max f16 => columns_reduce_max_f16;
            columns_reduce Max bf16 => columns_reduce_max_bf16;
            columns_reduce Max i8 => columns_reduce_max_i8;
            columns_reduce Max u8 => columns_reduce_max_u8;
            columns_reduce Max i16 => columns_reduce_max_i16;
            columns_reduce Max u16 => columns_reduce_max_u16;
            columns_reduce Max i32 => columns_reduce_max_i32;
            columns_reduce Max u32 => columns_reduce_max_u32;
            columns_reduce Max i64 => columns_reduce_max_i64;
            columns_reduce Max u64 => columns_reduce_max_u64;

            columns_reduce WideSum f32 => columns_reduce_wide_sum_f32;
            columns_reduce WideSum f16 => columns_reduce_wide_sum_f16;
            columns_reduce WideSum bf16 => columns_reduce_wide_sum_bf16;
            columns_reduce WideSum i8 => columns_reduce_wide_sum_i8;
            columns_reduce WideSum u8 => columns_reduce_wide_sum_u8;
            columns_reduce WideSum i16 => columns_reduce_wide_sum_i16;
            columns_reduce WideSum u16 => columns_reduce_wide_sum_u16;
            columns_reduce WideSum i32 => columns_reduce_wide_sum_i32;
            columns_reduce WideSum u32 => columns_reduce_wide_sum_u32;

            columns_reduce MinNum f32 => columns_reduce_min_num_f32;
            columns_reduce MinNum f64 => columns_reduce_min_num_f64;
            columns_reduce MinNum f16 => columns_reduce_min_num_f16;
            columns_reduce MinNum bf16 => columns_reduce_min_num_bf16;

            columns_reduce MaxNum f32 => columns_reduce_max_num_f32;
            columns_reduce MaxNum f64 => columns_reduce_max_num_f64;
            columns_reduce MaxNum f16 => columns_reduce_max_num_f16;
            columns_reduce MaxNum bf16 => columns_reduce_max_num_bf16;

            columns_reduce And i8 => columns_reduce_and_i8;
            columns_reduce And u8 => columns_reduce_and_u8;
            columns_reduce And i16 => columns_reduce_and_i16;
            columns_reduce And u16 => columns_reduce_and_u16;
            columns_reduce And i32 => columns_reduce_and_i32;
            columns_reduce And u32 => columns_reduce_and_u32;
            columns_reduce And i64 => columns_reduce_and_i64;
            columns_reduce And u64 => columns_reduce_and_u64;

            columns_reduce Or i8 => columns_reduce_or_i8;
            columns_reduce Or u8 => columns_reduce_or_u8;
            columns_reduce Or i16 => columns_reduce_or_i16;
            columns_reduce Or u16 => columns_reduce_or_u16;
            columns_reduce Or i32 => columns_reduce_or_i32;
            columns_reduce Or u32 => columns_reduce_or_u32;
            columns_reduce Or i64 => columns_reduce_or_i64;
            columns_reduce Or u64 => columns_reduce_or_u64;

            columns_reduce Xor i8 => columns_reduce_xor_i8;
            columns_reduce Xor u8 => columns_reduce_xor_u8;
            columns_reduce Xor i16 => columns_reduce_xor_i16;
            columns_reduce Xor u16 => columns_reduce_xor_u16;
            columns_reduce Xor i32 => columns_reduce_xor_i32;
            columns_reduce Xor u32 => columns_reduce_xor_u32;
            columns_reduce Xor i64 => columns_reduce_xor_i64;
            columns_reduce Xor u64 => columns_reduce_xor_u64;

            columns_reduce All i8 => columns_reduce_all_i8;
            columns_reduce All u8 => columns_reduce_all_u8;
            columns_reduce All i16 => columns_reduce_all_i16;
            columns_reduce All u16 => columns_reduce_all_u16;
            columns_reduce All i32 => columns_reduce_all_i32;
            columns_reduce All u32 => columns_reduce_all_u32;
            columns_reduce All i64 => columns_reduce_all_i64;
            columns_reduce All u64 => columns_reduce_all_u64;

            columns_reduce Any i8 => columns_reduce_any_i8;
            columns_reduce Any u8 => columns_reduce_any_u8;
            columns_reduce Any i16 => columns_reduce_any_i16;
            columns_reduce Any u16 => columns_reduce_any_u16;
            columns_reduce Any i32 => columns_reduce_any_i32;
            columns_reduce Any u32 => columns_reduce_any_u32;
            columns_reduce Any i64 => columns_reduce_any_i64;
            columns_reduce Any u64 => columns_reduce_any_u64;
        }
    };
}

/// Hands every row of scans of columns to the macro `$callback`: an inclusive scan and an exclusive one are one kernel.
#[macro_export]
macro_rules! for_each_columns_scan_kernel {
    ($callback:ident) => {
        $callback! {
            columns_scan Sum f32 => columns_scan_sum_f32;
            columns_scan Sum f64 => columns_scan_sum_f64;
            columns_scan Sum f16 => columns_scan_sum_f16;
            columns_scan Sum bf16 => columns_scan_sum_bf16;
            columns_scan Sum i8 => columns_scan_sum_i8;
            columns_scan Sum u8 => columns_scan_sum_u8;
            columns_scan Sum i16 => columns_scan_sum_i16;
            columns_scan Sum u16 => columns_scan_sum_u16;
            columns_scan Sum i32 => columns_scan_sum_i32;
            columns_scan Sum u32 => columns_scan_sum_u32;
            columns_scan Sum i64 => columns_scan_sum_i64;
            columns_scan Sum u64 => columns_scan_sum_u64;

            columns_scan Product f32 => columns_scan_product_f32;
            columns_scan Product f64 => columns_scan_product_f64;
            columns_scan Product f16 => columns_scan_product_f16;
            columns_scan Product bf16 => columns_scan_product_bf16;
            columns_scan Product i8 => columns_scan_product_i8;
            columns_scan Product u8 => columns_scan_product_u8;
            columns_scan Product i16 => columns_scan_product_i16;
            columns_scan Product u16 => columns_scan_product_u16;
            columns_scan Product i32 => columns_scan_product_i32;
            columns_scan Product u32 => columns_scan_product_u32;
            columns_scan Product i64 => columns_scan_product_i64;
            columns_scan Product u64 => columns_scan_product_u64;

            columns_scan Min f32 => columns_scan_min_f32;
            columns_scan Min f64 => columns_scan_min_f64;
            columns_scan Min f16 => columns_scan_min_f16;
            columns_scan Min bf16 => columns_scan_min_bf16;
            columns_scan Min i8 => columns_scan_min_i8;
            columns_scan Min u8 => columns_scan_min_u8;
            columns_scan Min i16 => columns_scan_min_i16;
            columns_scan Min u16 => columns_scan_min_u16;
            columns_scan Min i32 => columns_scan_min_i32;
            columns_scan Min u32 => columns_scan_min_u32;
            columns_scan Min i64 => columns_scan_min_i64;
            columns_scan Min u64 => columns_scan_min_u64;

            columns_scan Max f32 => columns_scan_max_f32;
            columns_scan Max f64 => columns_scan_max_f64;
            columns_scan Max f16 => columns_scan_max_f16;
            columns_scan Max bf16 => columns_scan_max_bf16;
            columns_scan Max i8 => columns_scan_max_i8;
            columns_scan Max u8 => columns_scan_max_u8;
            columns_scan Max i16 => columns_scan_max_i16;
            columns_scan Max u16 => columns_scan_max_u16;
            columns_scan Max i32 => columns_scan_max_i32;
            columns_scan Max u32 => columns_scan_max_u32;
            columns_scan Max i64 => columns_scan_max_i64;
            columns_scan Max u64 => columns_scan_max_u64;

            columns_scan WideSum f32 => columns_scan_wide_sum_f32;
            columns_scan WideSum f16 => columns_scan_wide_sum_f16;
            columns_scan WideSum bf16 => columns_scan_wide_sum_bf16;
            columns_scan WideSum i8 => columns_scan_wide_sum_i8;
            columns_scan WideSum u8 => columns_scan_wide_sum_u8;
            columns_scan WideSum i16 => columns_scan_wide_sum_i16;
            columns_scan WideSum u16 => columns_scan_wide_sum_u16;
            columns_scan WideSum i32 => columns_scan_wide_sum_i32;
            columns_scan WideSum u32 => columns_scan_wide_sum_u32;

            columns_scan MinNum f32 => columns_scan_min_num_f32;
            columns_scan MinNum f64 => columns_scan_min_num_f64;
            columns_scan MinNum f16 => columns_scan_min_num_f16;
            columns_scan MinNum bf16 => columns_scan_min_num_bf16;

            columns_scan MaxNum f32 => columns_scan_max_num_f32;
            columns_scan MaxNum f64 => columns_scan_max_num_f64;
            columns_scan MaxNum f16 => columns_scan_max_num_f16;
            columns_scan MaxNum bf16 => columns_scan_max_num_bf16;

            columns_scan And i8 => columns_scan_and_i8;
            columns_scan And u8 => columns_scan_and_u8;
            columns_scan And i16 => columns_scan_and_i16;
            columns_scan And u16 => columns_scan_and_u16;
            columns_scan And i32 => columns_scan_and_i32;
            columns_scan And u32 => columns_scan_and_u32;
            columns_scan And i64 => columns_scan_and_i64;
            columns_scan And u64 => columns_scan_and_u64;

            columns_scan Or i8 => columns_scan_or_i8;
            columns_scan Or u8 => columns_scan_or_u8;
            columns_scan Or i16 => columns_scan_or_i16;
            columns_scan Or u16 => columns_scan_or_u16;
            columns_scan Or i32 => columns_scan_or_i32;
            columns_scan Or u32 => columns_scan_or_u32;
            columns_scan Or i64 => columns_scan_or_i64;
            columns_scan Or u64 => columns_scan_or_u64;

            columns_scan Xor i8 => columns_scan_xor_i8;
            columns_scan Xor u8 => columns_scan_xor_u8;
            columns_scan Xor i16 => columns_scan_xor_i16;
            columns_scan Xor u16 => columns_scan_xor_u16;
            columns_scan Xor i32 => columns_scan_xor_i32;
            columns_scan Xor u32 => columns_scan_xor_u32;
            columns_scan Xor i64 => columns_scan_xor_i64;
            columns_scan Xor u64 => columns_scan_xor_u64;
        }
    };
}
