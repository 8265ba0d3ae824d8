//! The table of the ladder's kernels: one row for each, and nothing else.
//!
//! A row reads `kind family operator element => symbol`, with the block size before the arrow where it is a constant
//! of the kernel. The kind says which parameters there are, the family is the name of the function.

/// Hands every row of the table to the macro `$callback`, as `kind family Op element => symbol;` or
/// `kind family Op element block => symbol;`.
#[macro_export]
macro_rules! for_each_ladder_kernel {
    ($callback:ident) => {
        $callback! {
            in_place halving Sum u32 => ladder_halving_sum_u32;
            in_place halving Sum i32 => ladder_halving_sum_i32;
            in_place halving Sum f32 => ladder_halving_sum_f32;
            in_place halving Max u32 => ladder_halving_max_u32;
            in_place halving Max i32 => ladder_halving_max_i32;
            in_place halving Max f32 => ladder_halving_max_f32;
        }
    };
}
