//! Bugs in reductions and scans of columns: of 35 chunks, so that two levels of them have values before the last; several in a block.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::Edit;
use crate::engine::SM_90;
use crate::trial::Check::{Hang, Memory, Race};
use crate::trial::{Circumstances, of_columns_reduction, of_columns_scan};

const BARRIER: &str = "bar.sync \t0;";

const MATRIX: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 2 * 8860,
    epoch: 0,
};

bugs! {
    sum_f32: "columns_reduce_sum_f32", of_columns_reduction::<Sum, f32>, MATRIX;
    no_barrier_before_the_ticket_is_read: [Race],
        [Edit::remove(BARRIER).nth(1, 5)];
    no_barrier_before_the_leaves_are_read: [Race],
        [Edit::remove(BARRIER).nth(2, 5)];
    no_barrier_before_the_next_level_takes_the_places: [Race],
        [Edit::remove(BARRIER).nth(3, 5)];
    no_barrier_before_what_is_told_is_read: [Race],
        [Edit::remove(BARRIER).nth(4, 5)];
    partial_not_published: [Hang],
        [Edit::remove("st.relaxed.gpu.global.b64 [%g], *;").nth(2, 4)];
    work_before_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
}

bugs! {
    scan_sum_f32: "columns_scan_sum_f32", of_columns_scan::<Sum, f32>, MATRIX;
    no_barrier_before_the_leaves_are_read: [Race],
        [Edit::remove(BARRIER).nth(2, 8)];
    no_barrier_before_what_is_told_is_read_on_the_way_up: [Race],
        [Edit::remove(BARRIER).nth(4, 8)];
    no_barrier_before_the_next_level_takes_the_places: [Race],
        [Edit::remove(BARRIER).nth(5, 8)];
    no_barrier_before_what_is_told_is_read_on_the_way_down: [Race],
        [Edit::remove(BARRIER).nth(6, 8)];
    no_barrier_before_what_stands_before_chunks_is_read: [Race],
        [Edit::remove(BARRIER).nth(7, 8)];
}
