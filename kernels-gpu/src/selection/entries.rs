//! The table of selections: one row for each, and nothing else.
//!
//! Where flags choose, only the bytes of an item matter: a row serves all items of as many.

/// Items of 16 bytes.
pub type Bytes16 = [u64; 2];

/// Hands every row of the table to the macro `$callback`, as [`for_each_kernel!`](crate::for_each_kernel) does those of the others.
#[macro_export]
macro_rules! for_each_selection_kernel {
    ($callback:ident) => {
        $callback! {
            select_if NonZero f32 => select_if_non_zero_f32;
            select_if NonZero f64 => select_if_non_zero_f64;
            select_if NonZero f16 => select_if_non_zero_f16;
            select_if NonZero bf16 => select_if_non_zero_bf16;
            select_if NonZero i8 => select_if_non_zero_i8;
            select_if NonZero u8 => select_if_non_zero_u8;
            select_if NonZero i16 => select_if_non_zero_i16;
            select_if NonZero u16 => select_if_non_zero_u16;
            select_if NonZero i32 => select_if_non_zero_i32;
            select_if NonZero u32 => select_if_non_zero_u32;
            select_if NonZero i64 => select_if_non_zero_i64;
            select_if NonZero u64 => select_if_non_zero_u64;

            select_if NotNan f32 => select_if_not_nan_f32;
            select_if NotNan f64 => select_if_not_nan_f64;
            select_if NotNan f16 => select_if_not_nan_f16;
            select_if NotNan bf16 => select_if_not_nan_bf16;

            runs Equal f32 => runs_equal_f32;
            runs Equal f64 => runs_equal_f64;
            runs Equal f16 => runs_equal_f16;
            runs Equal bf16 => runs_equal_bf16;
            runs Equal i8 => runs_equal_i8;
            runs Equal u8 => runs_equal_u8;
            runs Equal i16 => runs_equal_i16;
            runs Equal u16 => runs_equal_u16;
            runs Equal i32 => runs_equal_i32;
            runs Equal u32 => runs_equal_u32;
            runs Equal i64 => runs_equal_i64;
            runs Equal u64 => runs_equal_u64;

            select_flagged Flags u8 => select_flagged_8;
            select_flagged Flags u16 => select_flagged_16;
            select_flagged Flags u32 => select_flagged_32;
            select_flagged Flags u64 => select_flagged_64;
            select_flagged Flags Bytes16 => select_flagged_128;
        }
    };
}
