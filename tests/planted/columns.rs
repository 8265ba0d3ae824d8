//! Bugs in reductions and scans of columns. A column has 35 chunks, which are combined on two levels. There are two columns, and each block
//! works on chunks of both.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::{Edit, Places};
use crate::engine::SM_90;
use crate::trial::Check::{Hang, Memory, Race};
use crate::trial::{Circumstances, of_columns_reduction, of_columns_scan};

/// The barriers, each named after the reads or writes that follow it.
const BARRIERS: Places = Places {
    pattern: "bar.sync \t0;",
    names: &["ticket", "leaves", "next level", "told", "last tag"],
};

/// The barriers of a scan. A scan goes up the tree of a column's chunks and down again. It reads published values on the way up, and again
/// on the way down.
const SCAN_BARRIERS: Places = BARRIERS.named(&[
    "ticket",
    "leaves",
    "first level",
    "told up",
    "next level",
    "told down",
    "before chunks",
    "last tag",
]);

/// The stores of state words and of the tickets.
const STORES: Places = Places {
    pattern: "st.relaxed.gpu.global.b64 [%g], *;",
    names: &["", "partial", "", ""],
};

const MATRIX: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 2 * 8860,
    epoch: 0,
    windows_per_block: 1,
    span_shift: 0,
};

bugs! {
    sum_f32: "columns_reduce_sum_f32", of_columns_reduction::<Sum, f32>, MATRIX;
    no_barrier_before_the_ticket_is_read: [Race],
        [BARRIERS.remove("ticket")];
    no_barrier_before_the_leaves_are_read: [Race],
        [BARRIERS.remove("leaves")];
    no_barrier_before_the_next_level_reuses_the_slots: [Race],
        [BARRIERS.remove("next level")];
    no_barrier_before_published_values_are_read: [Race],
        [BARRIERS.remove("told")];
    partial_not_published: [Hang],
        [STORES.remove("partial")];
    earlier_work_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
}

bugs! {
    scan_sum_f32: "columns_scan_sum_f32", of_columns_scan::<Sum, f32>, MATRIX;
    no_barrier_before_the_leaves_are_read: [Race],
        [SCAN_BARRIERS.remove("leaves")];
    no_barrier_before_published_values_are_read_on_the_way_up: [Race],
        [SCAN_BARRIERS.remove("told up")];
    no_barrier_before_the_next_level_reuses_the_slots: [Race],
        [SCAN_BARRIERS.remove("next level")];
    no_barrier_before_published_values_are_read_on_the_way_down: [Race],
        [SCAN_BARRIERS.remove("told down")];
    no_barrier_before_the_prefixes_of_chunks_are_read: [Race],
        [SCAN_BARRIERS.remove("before chunks")];
}
