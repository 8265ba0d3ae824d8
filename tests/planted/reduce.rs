//! Bugs in reductions: five tiles, of which the last ends early.

use warpfold::{Product, Sum};

use crate::bug::bugs;
use crate::edit::Edit;
use crate::engine::SM_80;
use crate::trial::Check::{Bits, Init, Memory, Race, Sync};
use crate::trial::{Circumstances, of_reduction};

const BARRIER: &str = "bar.sync \t0;";

const FIVE_TILES: Circumstances = Circumstances {
    generation: SM_80,
    multiprocessors: 1,
    item_count: 4 * 8192 + 2348,
    epoch: 0,
};

bugs! {
    sum_f32: "reduce_sum_f32", of_reduction::<Sum, f32>, FIVE_TILES;
    no_barrier_before_the_totals_are_read: [Race],
        [Edit::remove(BARRIER).nth(1, 3)];
    no_barrier_before_is_last_is_read: [Race, Init],
        [Edit::remove(BARRIER).nth(2, 3)];
    no_barrier_before_the_last_blocks_totals_are_read: [Race],
        [Edit::remove(BARRIER).nth(3, 3)];
    arrival_that_neither_releases_nor_acquires: [Race, Bits],
        [Edit::replace("atom.acq_rel", "atom.relaxed")];
    arrival_that_does_not_acquire: [Race, Bits],
        [Edit::replace("atom.acq_rel", "atom.release")];
    arrival_that_does_not_release: [Race, Bits],
        [Edit::replace("atom.acq_rel", "atom.acquire")];
    arrival_of_block_scope: [Race, Bits],
        [Edit::replace("atom.acq_rel.gpu", "atom.acq_rel.cta")];
    arrivals_not_set_back: [Bits],
        [Edit::remove("st.global.b32 \t[*+12], 0;")];
    one_item_too_many_at_the_end: [Memory],
        [Edit::replace(", 2048;", ", 2047;")];
    half_a_warp_in_the_member_mask: [Sync],
        [Edit::replace(", 16, 31, -1;", ", 16, 31, 65535;").nth(1, 2)];
}

bugs! {
    product_f32: "reduce_product_f32", of_reduction::<Product, f32>, FIVE_TILES;
    missing_items_are_not_identities: [Bits],
        [Edit::remove("mov.b32 \t*, 1065353216;").nth(5, 14)];
}
