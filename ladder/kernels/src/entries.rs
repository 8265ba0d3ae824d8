//! The two tables of the ladder's kernels: a row for each kernel except `ladder_nested_hello`.
//!
//! A row reads `kind family operator element => symbol`. If the block size is a constant of the kernel, it comes before the arrow. The kind
//! determines the kernel's parameters. The family is the name of the function that the kernel calls.

/// Passes every row of the first table to the macro `$callback`, as `kind family Op element => symbol;` or
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

            in_place grid_stride Sum u32 => ladder_grid_stride_sum_u32;
            in_place grid_stride Sum i32 => ladder_grid_stride_sum_i32;
            in_place grid_stride Sum f32 => ladder_grid_stride_sum_f32;
            in_place grid_stride Max u32 => ladder_grid_stride_max_u32;
            in_place grid_stride Max i32 => ladder_grid_stride_max_i32;
            in_place grid_stride Max f32 => ladder_grid_stride_max_f32;

            reduce power_of_two_tree Sum u32 => ladder_power_of_two_tree_sum_u32;
            reduce power_of_two_tree Sum i32 => ladder_power_of_two_tree_sum_i32;
            reduce power_of_two_tree Sum f32 => ladder_power_of_two_tree_sum_f32;
            reduce power_of_two_tree Max u32 => ladder_power_of_two_tree_max_u32;
            reduce power_of_two_tree Max i32 => ladder_power_of_two_tree_max_i32;
            reduce power_of_two_tree Max f32 => ladder_power_of_two_tree_max_f32;

            reduce any_size_tree Sum u32 => ladder_any_size_tree_sum_u32;
            reduce any_size_tree Sum i32 => ladder_any_size_tree_sum_i32;
            reduce any_size_tree Sum f32 => ladder_any_size_tree_sum_f32;
            reduce any_size_tree Max u32 => ladder_any_size_tree_max_u32;
            reduce any_size_tree Max i32 => ladder_any_size_tree_max_i32;
            reduce any_size_tree Max f32 => ladder_any_size_tree_max_f32;

            reduce warp_sync_tree Sum u32 => ladder_warp_sync_tree_sum_u32;
            reduce warp_sync_tree Sum i32 => ladder_warp_sync_tree_sum_i32;
            reduce warp_sync_tree Sum f32 => ladder_warp_sync_tree_sum_f32;
            reduce warp_sync_tree Max u32 => ladder_warp_sync_tree_max_u32;
            reduce warp_sync_tree Max i32 => ladder_warp_sync_tree_max_i32;
            reduce warp_sync_tree Max f32 => ladder_warp_sync_tree_max_f32;

            reduce_in_place divergent_neighbours Sum u32 => ladder_divergent_neighbours_sum_u32;
            reduce_in_place divergent_neighbours Sum i32 => ladder_divergent_neighbours_sum_i32;
            reduce_in_place divergent_neighbours Sum f32 => ladder_divergent_neighbours_sum_f32;
            reduce_in_place divergent_neighbours Max u32 => ladder_divergent_neighbours_max_u32;
            reduce_in_place divergent_neighbours Max i32 => ladder_divergent_neighbours_max_i32;
            reduce_in_place divergent_neighbours Max f32 => ladder_divergent_neighbours_max_f32;

            reduce_in_place packed_neighbours Sum u32 => ladder_packed_neighbours_sum_u32;
            reduce_in_place packed_neighbours Sum i32 => ladder_packed_neighbours_sum_i32;
            reduce_in_place packed_neighbours Sum f32 => ladder_packed_neighbours_sum_f32;
            reduce_in_place packed_neighbours Max u32 => ladder_packed_neighbours_max_u32;
            reduce_in_place packed_neighbours Max i32 => ladder_packed_neighbours_max_i32;
            reduce_in_place packed_neighbours Max f32 => ladder_packed_neighbours_max_f32;

            reduce_in_place packed_interleaved Sum u32 => ladder_packed_interleaved_sum_u32;
            reduce_in_place packed_interleaved Sum i32 => ladder_packed_interleaved_sum_i32;
            reduce_in_place packed_interleaved Sum f32 => ladder_packed_interleaved_sum_f32;
            reduce_in_place packed_interleaved Max u32 => ladder_packed_interleaved_max_u32;
            reduce_in_place packed_interleaved Max i32 => ladder_packed_interleaved_max_i32;
            reduce_in_place packed_interleaved Max f32 => ladder_packed_interleaved_max_f32;

            reduce global_atomics Sum u32 => ladder_global_atomics_sum_u32;
            reduce global_atomics Sum i32 => ladder_global_atomics_sum_i32;
            reduce global_atomics Sum f32 => ladder_global_atomics_sum_f32;
            reduce global_atomics Max u32 => ladder_global_atomics_max_u32;
            reduce global_atomics Max i32 => ladder_global_atomics_max_i32;
            reduce global_atomics Max f32 => ladder_global_atomics_max_f32;

            reduce shared_atomics Sum u32 => ladder_shared_atomics_sum_u32;
            reduce shared_atomics Sum i32 => ladder_shared_atomics_sum_i32;
            reduce shared_atomics Sum f32 => ladder_shared_atomics_sum_f32;
            reduce shared_atomics Max u32 => ladder_shared_atomics_max_u32;
            reduce shared_atomics Max i32 => ladder_shared_atomics_max_i32;
            reduce shared_atomics Max f32 => ladder_shared_atomics_max_f32;

            reduce atomic_tree Sum u32 => ladder_atomic_tree_sum_u32;
            reduce atomic_tree Sum i32 => ladder_atomic_tree_sum_i32;
            reduce atomic_tree Sum f32 => ladder_atomic_tree_sum_f32;
            reduce atomic_tree Max u32 => ladder_atomic_tree_max_u32;
            reduce atomic_tree Max i32 => ladder_atomic_tree_max_i32;
            reduce atomic_tree Max f32 => ladder_atomic_tree_max_f32;

            reduce last_warp_unrolled Sum u32 => ladder_last_warp_unrolled_sum_u32;
            reduce last_warp_unrolled Sum i32 => ladder_last_warp_unrolled_sum_i32;
            reduce last_warp_unrolled Sum f32 => ladder_last_warp_unrolled_sum_f32;
            reduce last_warp_unrolled Max u32 => ladder_last_warp_unrolled_max_u32;
            reduce last_warp_unrolled Max i32 => ladder_last_warp_unrolled_max_i32;
            reduce last_warp_unrolled Max f32 => ladder_last_warp_unrolled_max_f32;

            reduce constant_tree Sum u32 64 => ladder_constant_tree_sum_u32_64;
            reduce constant_tree Sum u32 128 => ladder_constant_tree_sum_u32_128;
            reduce constant_tree Sum u32 256 => ladder_constant_tree_sum_u32_256;
            reduce constant_tree Sum u32 512 => ladder_constant_tree_sum_u32_512;
            reduce constant_tree Sum u32 1024 => ladder_constant_tree_sum_u32_1024;
            reduce constant_tree Sum i32 64 => ladder_constant_tree_sum_i32_64;
            reduce constant_tree Sum i32 128 => ladder_constant_tree_sum_i32_128;
            reduce constant_tree Sum i32 256 => ladder_constant_tree_sum_i32_256;
            reduce constant_tree Sum i32 512 => ladder_constant_tree_sum_i32_512;
            reduce constant_tree Sum i32 1024 => ladder_constant_tree_sum_i32_1024;
            reduce constant_tree Sum f32 64 => ladder_constant_tree_sum_f32_64;
            reduce constant_tree Sum f32 128 => ladder_constant_tree_sum_f32_128;
            reduce constant_tree Sum f32 256 => ladder_constant_tree_sum_f32_256;
            reduce constant_tree Sum f32 512 => ladder_constant_tree_sum_f32_512;
            reduce constant_tree Sum f32 1024 => ladder_constant_tree_sum_f32_1024;
            reduce constant_tree Max u32 64 => ladder_constant_tree_max_u32_64;
            reduce constant_tree Max u32 128 => ladder_constant_tree_max_u32_128;
            reduce constant_tree Max u32 256 => ladder_constant_tree_max_u32_256;
            reduce constant_tree Max u32 512 => ladder_constant_tree_max_u32_512;
            reduce constant_tree Max u32 1024 => ladder_constant_tree_max_u32_1024;
            reduce constant_tree Max i32 64 => ladder_constant_tree_max_i32_64;
            reduce constant_tree Max i32 128 => ladder_constant_tree_max_i32_128;
            reduce constant_tree Max i32 256 => ladder_constant_tree_max_i32_256;
            reduce constant_tree Max i32 512 => ladder_constant_tree_max_i32_512;
            reduce constant_tree Max i32 1024 => ladder_constant_tree_max_i32_1024;
            reduce constant_tree Max f32 64 => ladder_constant_tree_max_f32_64;
            reduce constant_tree Max f32 128 => ladder_constant_tree_max_f32_128;
            reduce constant_tree Max f32 256 => ladder_constant_tree_max_f32_256;
            reduce constant_tree Max f32 512 => ladder_constant_tree_max_f32_512;
            reduce constant_tree Max f32 1024 => ladder_constant_tree_max_f32_1024;

            reduce first_at_load Sum u32 64 => ladder_first_at_load_sum_u32_64;
            reduce first_at_load Sum u32 128 => ladder_first_at_load_sum_u32_128;
            reduce first_at_load Sum u32 256 => ladder_first_at_load_sum_u32_256;
            reduce first_at_load Sum u32 512 => ladder_first_at_load_sum_u32_512;
            reduce first_at_load Sum u32 1024 => ladder_first_at_load_sum_u32_1024;
            reduce first_at_load Sum i32 64 => ladder_first_at_load_sum_i32_64;
            reduce first_at_load Sum i32 128 => ladder_first_at_load_sum_i32_128;
            reduce first_at_load Sum i32 256 => ladder_first_at_load_sum_i32_256;
            reduce first_at_load Sum i32 512 => ladder_first_at_load_sum_i32_512;
            reduce first_at_load Sum i32 1024 => ladder_first_at_load_sum_i32_1024;
            reduce first_at_load Sum f32 64 => ladder_first_at_load_sum_f32_64;
            reduce first_at_load Sum f32 128 => ladder_first_at_load_sum_f32_128;
            reduce first_at_load Sum f32 256 => ladder_first_at_load_sum_f32_256;
            reduce first_at_load Sum f32 512 => ladder_first_at_load_sum_f32_512;
            reduce first_at_load Sum f32 1024 => ladder_first_at_load_sum_f32_1024;
            reduce first_at_load Max u32 64 => ladder_first_at_load_max_u32_64;
            reduce first_at_load Max u32 128 => ladder_first_at_load_max_u32_128;
            reduce first_at_load Max u32 256 => ladder_first_at_load_max_u32_256;
            reduce first_at_load Max u32 512 => ladder_first_at_load_max_u32_512;
            reduce first_at_load Max u32 1024 => ladder_first_at_load_max_u32_1024;
            reduce first_at_load Max i32 64 => ladder_first_at_load_max_i32_64;
            reduce first_at_load Max i32 128 => ladder_first_at_load_max_i32_128;
            reduce first_at_load Max i32 256 => ladder_first_at_load_max_i32_256;
            reduce first_at_load Max i32 512 => ladder_first_at_load_max_i32_512;
            reduce first_at_load Max i32 1024 => ladder_first_at_load_max_i32_1024;
            reduce first_at_load Max f32 64 => ladder_first_at_load_max_f32_64;
            reduce first_at_load Max f32 128 => ladder_first_at_load_max_f32_128;
            reduce first_at_load Max f32 256 => ladder_first_at_load_max_f32_256;
            reduce first_at_load Max f32 512 => ladder_first_at_load_max_f32_512;
            reduce first_at_load Max f32 1024 => ladder_first_at_load_max_f32_1024;

            reduce distant_pairs Sum u32 64 => ladder_distant_pairs_sum_u32_64;
            reduce distant_pairs Sum u32 128 => ladder_distant_pairs_sum_u32_128;
            reduce distant_pairs Sum u32 256 => ladder_distant_pairs_sum_u32_256;
            reduce distant_pairs Sum u32 512 => ladder_distant_pairs_sum_u32_512;
            reduce distant_pairs Sum u32 1024 => ladder_distant_pairs_sum_u32_1024;
            reduce distant_pairs Sum i32 64 => ladder_distant_pairs_sum_i32_64;
            reduce distant_pairs Sum i32 128 => ladder_distant_pairs_sum_i32_128;
            reduce distant_pairs Sum i32 256 => ladder_distant_pairs_sum_i32_256;
            reduce distant_pairs Sum i32 512 => ladder_distant_pairs_sum_i32_512;
            reduce distant_pairs Sum i32 1024 => ladder_distant_pairs_sum_i32_1024;
            reduce distant_pairs Sum f32 64 => ladder_distant_pairs_sum_f32_64;
            reduce distant_pairs Sum f32 128 => ladder_distant_pairs_sum_f32_128;
            reduce distant_pairs Sum f32 256 => ladder_distant_pairs_sum_f32_256;
            reduce distant_pairs Sum f32 512 => ladder_distant_pairs_sum_f32_512;
            reduce distant_pairs Sum f32 1024 => ladder_distant_pairs_sum_f32_1024;
            reduce distant_pairs Max u32 64 => ladder_distant_pairs_max_u32_64;
            reduce distant_pairs Max u32 128 => ladder_distant_pairs_max_u32_128;
            reduce distant_pairs Max u32 256 => ladder_distant_pairs_max_u32_256;
            reduce distant_pairs Max u32 512 => ladder_distant_pairs_max_u32_512;
            reduce distant_pairs Max u32 1024 => ladder_distant_pairs_max_u32_1024;
            reduce distant_pairs Max i32 64 => ladder_distant_pairs_max_i32_64;
            reduce distant_pairs Max i32 128 => ladder_distant_pairs_max_i32_128;
            reduce distant_pairs Max i32 256 => ladder_distant_pairs_max_i32_256;
            reduce distant_pairs Max i32 512 => ladder_distant_pairs_max_i32_512;
            reduce distant_pairs Max i32 1024 => ladder_distant_pairs_max_i32_1024;
            reduce distant_pairs Max f32 64 => ladder_distant_pairs_max_f32_64;
            reduce distant_pairs Max f32 128 => ladder_distant_pairs_max_f32_128;
            reduce distant_pairs Max f32 256 => ladder_distant_pairs_max_f32_256;
            reduce distant_pairs Max f32 512 => ladder_distant_pairs_max_f32_512;
            reduce distant_pairs Max f32 1024 => ladder_distant_pairs_max_f32_1024;

            reduce exclusive_cases Sum u32 64 => ladder_exclusive_cases_sum_u32_64;
            reduce exclusive_cases Sum u32 128 => ladder_exclusive_cases_sum_u32_128;
            reduce exclusive_cases Sum u32 256 => ladder_exclusive_cases_sum_u32_256;
            reduce exclusive_cases Sum u32 512 => ladder_exclusive_cases_sum_u32_512;
            reduce exclusive_cases Sum u32 1024 => ladder_exclusive_cases_sum_u32_1024;
            reduce exclusive_cases Sum i32 64 => ladder_exclusive_cases_sum_i32_64;
            reduce exclusive_cases Sum i32 128 => ladder_exclusive_cases_sum_i32_128;
            reduce exclusive_cases Sum i32 256 => ladder_exclusive_cases_sum_i32_256;
            reduce exclusive_cases Sum i32 512 => ladder_exclusive_cases_sum_i32_512;
            reduce exclusive_cases Sum i32 1024 => ladder_exclusive_cases_sum_i32_1024;
            reduce exclusive_cases Sum f32 64 => ladder_exclusive_cases_sum_f32_64;
            reduce exclusive_cases Sum f32 128 => ladder_exclusive_cases_sum_f32_128;
            reduce exclusive_cases Sum f32 256 => ladder_exclusive_cases_sum_f32_256;
            reduce exclusive_cases Sum f32 512 => ladder_exclusive_cases_sum_f32_512;
            reduce exclusive_cases Sum f32 1024 => ladder_exclusive_cases_sum_f32_1024;
            reduce exclusive_cases Max u32 64 => ladder_exclusive_cases_max_u32_64;
            reduce exclusive_cases Max u32 128 => ladder_exclusive_cases_max_u32_128;
            reduce exclusive_cases Max u32 256 => ladder_exclusive_cases_max_u32_256;
            reduce exclusive_cases Max u32 512 => ladder_exclusive_cases_max_u32_512;
            reduce exclusive_cases Max u32 1024 => ladder_exclusive_cases_max_u32_1024;
            reduce exclusive_cases Max i32 64 => ladder_exclusive_cases_max_i32_64;
            reduce exclusive_cases Max i32 128 => ladder_exclusive_cases_max_i32_128;
            reduce exclusive_cases Max i32 256 => ladder_exclusive_cases_max_i32_256;
            reduce exclusive_cases Max i32 512 => ladder_exclusive_cases_max_i32_512;
            reduce exclusive_cases Max i32 1024 => ladder_exclusive_cases_max_i32_1024;
            reduce exclusive_cases Max f32 64 => ladder_exclusive_cases_max_f32_64;
            reduce exclusive_cases Max f32 128 => ladder_exclusive_cases_max_f32_128;
            reduce exclusive_cases Max f32 256 => ladder_exclusive_cases_max_f32_256;
            reduce exclusive_cases Max f32 512 => ladder_exclusive_cases_max_f32_512;
            reduce exclusive_cases Max f32 1024 => ladder_exclusive_cases_max_f32_1024;

            reduce without_indices Sum u32 64 => ladder_without_indices_sum_u32_64;
            reduce without_indices Sum u32 128 => ladder_without_indices_sum_u32_128;
            reduce without_indices Sum u32 256 => ladder_without_indices_sum_u32_256;
            reduce without_indices Sum u32 512 => ladder_without_indices_sum_u32_512;
            reduce without_indices Sum u32 1024 => ladder_without_indices_sum_u32_1024;
            reduce without_indices Sum i32 64 => ladder_without_indices_sum_i32_64;
            reduce without_indices Sum i32 128 => ladder_without_indices_sum_i32_128;
            reduce without_indices Sum i32 256 => ladder_without_indices_sum_i32_256;
            reduce without_indices Sum i32 512 => ladder_without_indices_sum_i32_512;
            reduce without_indices Sum i32 1024 => ladder_without_indices_sum_i32_1024;
            reduce without_indices Sum f32 64 => ladder_without_indices_sum_f32_64;
            reduce without_indices Sum f32 128 => ladder_without_indices_sum_f32_128;
            reduce without_indices Sum f32 256 => ladder_without_indices_sum_f32_256;
            reduce without_indices Sum f32 512 => ladder_without_indices_sum_f32_512;
            reduce without_indices Sum f32 1024 => ladder_without_indices_sum_f32_1024;
            reduce without_indices Max u32 64 => ladder_without_indices_max_u32_64;
            reduce without_indices Max u32 128 => ladder_without_indices_max_u32_128;
            reduce without_indices Max u32 256 => ladder_without_indices_max_u32_256;
            reduce without_indices Max u32 512 => ladder_without_indices_max_u32_512;
            reduce without_indices Max u32 1024 => ladder_without_indices_max_u32_1024;
            reduce without_indices Max i32 64 => ladder_without_indices_max_i32_64;
            reduce without_indices Max i32 128 => ladder_without_indices_max_i32_128;
            reduce without_indices Max i32 256 => ladder_without_indices_max_i32_256;
            reduce without_indices Max i32 512 => ladder_without_indices_max_i32_512;
            reduce without_indices Max i32 1024 => ladder_without_indices_max_i32_1024;
            reduce without_indices Max f32 64 => ladder_without_indices_max_f32_64;
            reduce without_indices Max f32 128 => ladder_without_indices_max_f32_128;
            reduce without_indices Max f32 256 => ladder_without_indices_max_f32_256;
            reduce without_indices Max f32 512 => ladder_without_indices_max_f32_512;
            reduce without_indices Max f32 1024 => ladder_without_indices_max_f32_1024;

            padded neighboured_pair Sum u32 => ladder_neighboured_pair_sum_u32;
            padded neighboured_pair Sum i32 => ladder_neighboured_pair_sum_i32;
            padded neighboured_pair Sum f32 => ladder_neighboured_pair_sum_f32;
            padded neighboured_pair Max u32 => ladder_neighboured_pair_max_u32;
            padded neighboured_pair Max i32 => ladder_neighboured_pair_max_i32;
            padded neighboured_pair Max f32 => ladder_neighboured_pair_max_f32;

            padded neighboured_packed Sum u32 => ladder_neighboured_packed_sum_u32;
            padded neighboured_packed Sum i32 => ladder_neighboured_packed_sum_i32;
            padded neighboured_packed Sum f32 => ladder_neighboured_packed_sum_f32;
            padded neighboured_packed Max u32 => ladder_neighboured_packed_max_u32;
            padded neighboured_packed Max i32 => ladder_neighboured_packed_max_i32;
            padded neighboured_packed Max f32 => ladder_neighboured_packed_max_f32;

            padded interleaved_pair Sum u32 => ladder_interleaved_pair_sum_u32;
            padded interleaved_pair Sum i32 => ladder_interleaved_pair_sum_i32;
            padded interleaved_pair Sum f32 => ladder_interleaved_pair_sum_f32;
            padded interleaved_pair Max u32 => ladder_interleaved_pair_max_u32;
            padded interleaved_pair Max i32 => ladder_interleaved_pair_max_i32;
            padded interleaved_pair Max f32 => ladder_interleaved_pair_max_f32;

            padded unrolled_2 Sum u32 => ladder_unrolled_2_sum_u32;
            padded unrolled_2 Sum i32 => ladder_unrolled_2_sum_i32;
            padded unrolled_2 Sum f32 => ladder_unrolled_2_sum_f32;
            padded unrolled_2 Max u32 => ladder_unrolled_2_max_u32;
            padded unrolled_2 Max i32 => ladder_unrolled_2_max_i32;
            padded unrolled_2 Max f32 => ladder_unrolled_2_max_f32;

            padded unrolled_4 Sum u32 => ladder_unrolled_4_sum_u32;
            padded unrolled_4 Sum i32 => ladder_unrolled_4_sum_i32;
            padded unrolled_4 Sum f32 => ladder_unrolled_4_sum_f32;
            padded unrolled_4 Max u32 => ladder_unrolled_4_max_u32;
            padded unrolled_4 Max i32 => ladder_unrolled_4_max_i32;
            padded unrolled_4 Max f32 => ladder_unrolled_4_max_f32;

            padded unrolled_8 Sum u32 => ladder_unrolled_8_sum_u32;
            padded unrolled_8 Sum i32 => ladder_unrolled_8_sum_i32;
            padded unrolled_8 Sum f32 => ladder_unrolled_8_sum_f32;
            padded unrolled_8 Max u32 => ladder_unrolled_8_max_u32;
            padded unrolled_8 Max i32 => ladder_unrolled_8_max_i32;
            padded unrolled_8 Max f32 => ladder_unrolled_8_max_f32;

            padded unrolled_8_last_warp Sum u32 => ladder_unrolled_8_last_warp_sum_u32;
            padded unrolled_8_last_warp Sum i32 => ladder_unrolled_8_last_warp_sum_i32;
            padded unrolled_8_last_warp Sum f32 => ladder_unrolled_8_last_warp_sum_f32;
            padded unrolled_8_last_warp Max u32 => ladder_unrolled_8_last_warp_max_u32;
            padded unrolled_8_last_warp Max i32 => ladder_unrolled_8_last_warp_max_i32;
            padded unrolled_8_last_warp Max f32 => ladder_unrolled_8_last_warp_max_f32;

            padded unrolled_8_completely Sum u32 => ladder_unrolled_8_completely_sum_u32;
            padded unrolled_8_completely Sum i32 => ladder_unrolled_8_completely_sum_i32;
            padded unrolled_8_completely Sum f32 => ladder_unrolled_8_completely_sum_f32;
            padded unrolled_8_completely Max u32 => ladder_unrolled_8_completely_max_u32;
            padded unrolled_8_completely Max i32 => ladder_unrolled_8_completely_max_i32;
            padded unrolled_8_completely Max f32 => ladder_unrolled_8_completely_max_f32;

            padded unrolled_8_constant Sum u32 64 => ladder_unrolled_8_constant_sum_u32_64;
            padded unrolled_8_constant Sum u32 128 => ladder_unrolled_8_constant_sum_u32_128;
            padded unrolled_8_constant Sum u32 256 => ladder_unrolled_8_constant_sum_u32_256;
            padded unrolled_8_constant Sum u32 512 => ladder_unrolled_8_constant_sum_u32_512;
            padded unrolled_8_constant Sum u32 1024 => ladder_unrolled_8_constant_sum_u32_1024;
            padded unrolled_8_constant Sum i32 64 => ladder_unrolled_8_constant_sum_i32_64;
            padded unrolled_8_constant Sum i32 128 => ladder_unrolled_8_constant_sum_i32_128;
            padded unrolled_8_constant Sum i32 256 => ladder_unrolled_8_constant_sum_i32_256;
            padded unrolled_8_constant Sum i32 512 => ladder_unrolled_8_constant_sum_i32_512;
            padded unrolled_8_constant Sum i32 1024 => ladder_unrolled_8_constant_sum_i32_1024;
            padded unrolled_8_constant Sum f32 64 => ladder_unrolled_8_constant_sum_f32_64;
            padded unrolled_8_constant Sum f32 128 => ladder_unrolled_8_constant_sum_f32_128;
            padded unrolled_8_constant Sum f32 256 => ladder_unrolled_8_constant_sum_f32_256;
            padded unrolled_8_constant Sum f32 512 => ladder_unrolled_8_constant_sum_f32_512;
            padded unrolled_8_constant Sum f32 1024 => ladder_unrolled_8_constant_sum_f32_1024;
            padded unrolled_8_constant Max u32 64 => ladder_unrolled_8_constant_max_u32_64;
            padded unrolled_8_constant Max u32 128 => ladder_unrolled_8_constant_max_u32_128;
            padded unrolled_8_constant Max u32 256 => ladder_unrolled_8_constant_max_u32_256;
            padded unrolled_8_constant Max u32 512 => ladder_unrolled_8_constant_max_u32_512;
            padded unrolled_8_constant Max u32 1024 => ladder_unrolled_8_constant_max_u32_1024;
            padded unrolled_8_constant Max i32 64 => ladder_unrolled_8_constant_max_i32_64;
            padded unrolled_8_constant Max i32 128 => ladder_unrolled_8_constant_max_i32_128;
            padded unrolled_8_constant Max i32 256 => ladder_unrolled_8_constant_max_i32_256;
            padded unrolled_8_constant Max i32 512 => ladder_unrolled_8_constant_max_i32_512;
            padded unrolled_8_constant Max i32 1024 => ladder_unrolled_8_constant_max_i32_1024;
            padded unrolled_8_constant Max f32 64 => ladder_unrolled_8_constant_max_f32_64;
            padded unrolled_8_constant Max f32 128 => ladder_unrolled_8_constant_max_f32_128;
            padded unrolled_8_constant Max f32 256 => ladder_unrolled_8_constant_max_f32_256;
            padded unrolled_8_constant Max f32 512 => ladder_unrolled_8_constant_max_f32_512;
            padded unrolled_8_constant Max f32 1024 => ladder_unrolled_8_constant_max_f32_1024;

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

/// The same as [`for_each_ladder_kernel!`], for the kernels that launch kernels. NVIDIA's driver has to link their text with the device's
/// runtime. The text also has the kernel `ladder_nested_hello`, which has no row, since it has neither operator nor element.
#[macro_export]
macro_rules! for_each_nested_kernel {
    ($callback:ident) => {
        $callback! {
            nested recursive_waiting Sum u32 => ladder_recursive_waiting_sum_u32;
            nested recursive_waiting Sum i32 => ladder_recursive_waiting_sum_i32;
            nested recursive_waiting Sum f32 => ladder_recursive_waiting_sum_f32;
            nested recursive_waiting Max u32 => ladder_recursive_waiting_max_u32;
            nested recursive_waiting Max i32 => ladder_recursive_waiting_max_i32;
            nested recursive_waiting Max f32 => ladder_recursive_waiting_max_f32;

            nested recursive Sum u32 => ladder_recursive_sum_u32;
            nested recursive Sum i32 => ladder_recursive_sum_i32;
            nested recursive Sum f32 => ladder_recursive_sum_f32;
            nested recursive Max u32 => ladder_recursive_max_u32;
            nested recursive Max i32 => ladder_recursive_max_i32;
            nested recursive Max f32 => ladder_recursive_max_f32;

            nested_by_one recursive_one_launcher Sum u32 => ladder_recursive_one_launcher_sum_u32;
            nested_by_one recursive_one_launcher Sum i32 => ladder_recursive_one_launcher_sum_i32;
            nested_by_one recursive_one_launcher Sum f32 => ladder_recursive_one_launcher_sum_f32;
            nested_by_one recursive_one_launcher Max u32 => ladder_recursive_one_launcher_max_u32;
            nested_by_one recursive_one_launcher Max i32 => ladder_recursive_one_launcher_max_i32;
            nested_by_one recursive_one_launcher Max f32 => ladder_recursive_one_launcher_max_f32;
        }
    };
}
