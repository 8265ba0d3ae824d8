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

            inclusive_whole sequential Sum u32 => ladder_inclusive_sequential_sum_u32;
            inclusive_whole sequential Sum i32 => ladder_inclusive_sequential_sum_i32;
            inclusive_whole sequential Sum f32 => ladder_inclusive_sequential_sum_f32;
            inclusive_whole sequential Max u32 => ladder_inclusive_sequential_max_u32;
            inclusive_whole sequential Max i32 => ladder_inclusive_sequential_max_i32;
            inclusive_whole sequential Max f32 => ladder_inclusive_sequential_max_f32;

            exclusive_whole sequential Sum u32 => ladder_exclusive_sequential_sum_u32;
            exclusive_whole sequential Sum i32 => ladder_exclusive_sequential_sum_i32;
            exclusive_whole sequential Sum f32 => ladder_exclusive_sequential_sum_f32;
            exclusive_whole sequential Max u32 => ladder_exclusive_sequential_max_u32;
            exclusive_whole sequential Max i32 => ladder_exclusive_sequential_max_i32;
            exclusive_whole sequential Max f32 => ladder_exclusive_sequential_max_f32;

            inclusive_whole quadratic Sum u32 => ladder_inclusive_quadratic_sum_u32;
            inclusive_whole quadratic Sum i32 => ladder_inclusive_quadratic_sum_i32;
            inclusive_whole quadratic Sum f32 => ladder_inclusive_quadratic_sum_f32;
            inclusive_whole quadratic Max u32 => ladder_inclusive_quadratic_max_u32;
            inclusive_whole quadratic Max i32 => ladder_inclusive_quadratic_max_i32;
            inclusive_whole quadratic Max f32 => ladder_inclusive_quadratic_max_f32;

            exclusive_whole quadratic Sum u32 => ladder_exclusive_quadratic_sum_u32;
            exclusive_whole quadratic Sum i32 => ladder_exclusive_quadratic_sum_i32;
            exclusive_whole quadratic Sum f32 => ladder_exclusive_quadratic_sum_f32;
            exclusive_whole quadratic Max u32 => ladder_exclusive_quadratic_max_u32;
            exclusive_whole quadratic Max i32 => ladder_exclusive_quadratic_max_i32;
            exclusive_whole quadratic Max f32 => ladder_exclusive_quadratic_max_f32;

            inclusive_sections kogge_stone Sum u32 => ladder_inclusive_kogge_stone_sum_u32;
            inclusive_sections kogge_stone Sum i32 => ladder_inclusive_kogge_stone_sum_i32;
            inclusive_sections kogge_stone Sum f32 => ladder_inclusive_kogge_stone_sum_f32;
            inclusive_sections kogge_stone Max u32 => ladder_inclusive_kogge_stone_max_u32;
            inclusive_sections kogge_stone Max i32 => ladder_inclusive_kogge_stone_max_i32;
            inclusive_sections kogge_stone Max f32 => ladder_inclusive_kogge_stone_max_f32;

            exclusive_sections kogge_stone Sum u32 => ladder_exclusive_kogge_stone_sum_u32;
            exclusive_sections kogge_stone Sum i32 => ladder_exclusive_kogge_stone_sum_i32;
            exclusive_sections kogge_stone Sum f32 => ladder_exclusive_kogge_stone_sum_f32;
            exclusive_sections kogge_stone Max u32 => ladder_exclusive_kogge_stone_max_u32;
            exclusive_sections kogge_stone Max i32 => ladder_exclusive_kogge_stone_max_i32;
            exclusive_sections kogge_stone Max f32 => ladder_exclusive_kogge_stone_max_f32;

            inclusive_sections double_buffered_kogge_stone Sum u32 => ladder_inclusive_double_buffered_kogge_stone_sum_u32;
            inclusive_sections double_buffered_kogge_stone Sum i32 => ladder_inclusive_double_buffered_kogge_stone_sum_i32;
            inclusive_sections double_buffered_kogge_stone Sum f32 => ladder_inclusive_double_buffered_kogge_stone_sum_f32;
            inclusive_sections double_buffered_kogge_stone Max u32 => ladder_inclusive_double_buffered_kogge_stone_max_u32;
            inclusive_sections double_buffered_kogge_stone Max i32 => ladder_inclusive_double_buffered_kogge_stone_max_i32;
            inclusive_sections double_buffered_kogge_stone Max f32 => ladder_inclusive_double_buffered_kogge_stone_max_f32;

            exclusive_sections double_buffered_kogge_stone Sum u32 => ladder_exclusive_double_buffered_kogge_stone_sum_u32;
            exclusive_sections double_buffered_kogge_stone Sum i32 => ladder_exclusive_double_buffered_kogge_stone_sum_i32;
            exclusive_sections double_buffered_kogge_stone Sum f32 => ladder_exclusive_double_buffered_kogge_stone_sum_f32;
            exclusive_sections double_buffered_kogge_stone Max u32 => ladder_exclusive_double_buffered_kogge_stone_max_u32;
            exclusive_sections double_buffered_kogge_stone Max i32 => ladder_exclusive_double_buffered_kogge_stone_max_i32;
            exclusive_sections double_buffered_kogge_stone Max f32 => ladder_exclusive_double_buffered_kogge_stone_max_f32;

            inclusive_sections brent_kung Sum u32 => ladder_inclusive_brent_kung_sum_u32;
            inclusive_sections brent_kung Sum i32 => ladder_inclusive_brent_kung_sum_i32;
            inclusive_sections brent_kung Sum f32 => ladder_inclusive_brent_kung_sum_f32;
            inclusive_sections brent_kung Max u32 => ladder_inclusive_brent_kung_max_u32;
            inclusive_sections brent_kung Max i32 => ladder_inclusive_brent_kung_max_i32;
            inclusive_sections brent_kung Max f32 => ladder_inclusive_brent_kung_max_f32;

            exclusive_sections brent_kung Sum u32 => ladder_exclusive_brent_kung_sum_u32;
            exclusive_sections brent_kung Sum i32 => ladder_exclusive_brent_kung_sum_i32;
            exclusive_sections brent_kung Sum f32 => ladder_exclusive_brent_kung_sum_f32;
            exclusive_sections brent_kung Max u32 => ladder_exclusive_brent_kung_max_u32;
            exclusive_sections brent_kung Max i32 => ladder_exclusive_brent_kung_max_i32;
            exclusive_sections brent_kung Max f32 => ladder_exclusive_brent_kung_max_f32;

            prefixes add_prefixes Sum u32 => ladder_add_prefixes_sum_u32;
            prefixes add_prefixes Sum i32 => ladder_add_prefixes_sum_i32;
            prefixes add_prefixes Sum f32 => ladder_add_prefixes_sum_f32;
            prefixes add_prefixes Max u32 => ladder_add_prefixes_max_u32;
            prefixes add_prefixes Max i32 => ladder_add_prefixes_max_i32;
            prefixes add_prefixes Max f32 => ladder_add_prefixes_max_f32;
        }
    };
}
