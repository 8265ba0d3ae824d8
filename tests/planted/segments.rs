//! Bugs in segmented reductions and scans: short segments, many of one item, and some that several blocks share.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::Edit;
use crate::engine::SM_90;
use crate::trial::Check::{Bits, Hang, Memory, Race};
use crate::trial::{Circumstances, of_segmented_reduction, of_segmented_scan};

const BARRIER: &str = "bar.sync \t0;";

const SEGMENTS: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 21_000,
    epoch: 0,
};

bugs! {
    sum_f32: "segmented_reduce_sum_f32", of_segmented_reduction::<Sum, f32>, SEGMENTS;
    no_barrier_before_the_ticket_is_read: [Race],
        [Edit::remove(BARRIER).nth(1, 10)];
    no_barrier_before_the_borders_are_read: [Race],
        [Edit::remove(BARRIER).nth(2, 10)];
    no_barrier_before_the_works_are_read: [Race],
        [Edit::remove(BARRIER).nth(3, 10)];
    no_barrier_before_the_next_work_is_brought: [Race],
        [Edit::remove(BARRIER).nth(4, 10)];
    no_barrier_before_the_items_are_read: [Race],
        [Edit::remove(BARRIER).nth(5, 10)];
    no_barrier_before_the_slots_are_read: [Memory],
        [Edit::remove(BARRIER).nth(6, 10)];
    no_barrier_before_the_leaves_are_read: [Race],
        [Edit::remove(BARRIER).nth(7, 10)];
    no_barrier_before_the_nodes_are_read: [Race],
        [Edit::remove(BARRIER).nth(8, 10)];
    copies_not_awaited: [Race],
        [Edit::remove("cp.async.wait_all;")];
    partial_not_published: [Hang],
        [Edit::remove("st.relaxed.gpu.global.b64 [%g], *;").nth(9, 15)];
    work_before_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
    identity_of_another_sign: [Bits],
        [Edit::replace("mov.b32 *, -2147483648;", "mov.b32 *, 0;").nth(1, 5)];
}

bugs! {
    scan_sum_f32: "segmented_scan_sum_f32", of_segmented_scan::<Sum, f32>, SEGMENTS;
    no_barrier_before_the_items_are_read: [Race],
        [Edit::remove(BARRIER).nth(5, 14)];
    no_barrier_before_the_leaves_are_read: [Race],
        [Edit::remove(BARRIER).nth(7, 14)];
    no_barrier_before_the_nodes_are_read: [Race],
        [Edit::remove(BARRIER).nth(8, 14)];
    no_barrier_before_what_stands_before_nodes_is_read: [Race],
        [Edit::remove(BARRIER).nth(11, 14)];
    no_barrier_before_what_stands_before_leaves_is_read: [Race],
        [Edit::remove(BARRIER).nth(12, 14)];
    no_barrier_before_the_results_are_read: [Race],
        [Edit::remove(BARRIER).nth(13, 14)];
}
