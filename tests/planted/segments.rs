//! Bugs in segmented reductions and scans. There are short segments, many segments of one item, and segments that several blocks share.
//! There are also rows of two chunks, and long segments. In reductions of long segments, each warp combines whole chunks. In reductions of
//! rows by `Sum`, one block takes all chunks of a row. In reductions of rows by `Moments`, the items go straight to registers: each warp
//! combines whole chunks, or pieces of chunks. Afterwards one block, usually a later one, combines the partials of a row.

use warpfold::{Moments, Sum};

use crate::bug::bugs;
use crate::edit::{Edit, Places};
use crate::engine::SM_90;
use crate::trial::Check::{Bits, Hang, Memory, Race};
use crate::trial::{Circumstances, of_long_segments, of_rows_reduction, of_spans};
use crate::trial::{of_chunk_scan, of_segmented_reduction, of_segmented_scan};

/// The barriers, each named after the reads or writes that follow it.
const BARRIERS: Places = Places {
    pattern: "bar.sync \t0;",
    names: &[
        "dealt chunks",
        "whole rows",
        "ticket",
        "borders",
        "works",
        "next work",
        "items",
        "flags",
        "slots",
        "leaves",
        "nodes",
        "long chunks",
        "end of a dense span",
        "windows of a span",
        "last tag",
    ],
};

/// The barriers of single warps, each named after the reads or writes that follow it.
const WARP_BARRIERS: Places = Places {
    pattern: "bar.warp.sync \t-1;",
    names: &[
        "copies of long chunks",
        "slots of long chunks",
        "copies of rows",
        "slots of rows",
        "writes of nodes",
        "nodes of rows",
        "first ticket of a span",
        "values of a dense chunk",
        "next dense chunk",
        "departure",
    ],
};

/// The waits for the copies to a slot of a warp's ring.
const WAITS: Places = Places {
    pattern: "cp.async.wait_group 1;",
    names: &["copies of long chunks", "copies of rows"],
};

/// The barriers of a scan.
const SCAN_BARRIERS: Places = BARRIERS.named(&[
    "ticket",
    "borders",
    "works",
    "items",
    "flags",
    "slots",
    "short tail",
    "leaves",
    "nodes",
    "total",
    "before chunk",
    "before nodes",
    "before leaves",
    "results",
    "next work",
    "last tag",
]);

/// The barriers of the warps of a scan.
const SCAN_WARP_BARRIERS: Places = WARP_BARRIERS.named(&Places::few::<5>(&[
    (1, "results of a chunk"),
    (2, "leaves of a chunk"),
]));

/// The barriers of a reduction that can stream rows, that is, load their items straight to registers.
const STREAMING_BARRIERS: Places = BARRIERS.named(&[
    "ticket of whole chunks",
    "last tag of whole chunks",
    "ticket",
    "borders",
    "works",
    "next work",
    "items",
    "flags",
    "slots",
    "leaves",
    "nodes",
    "pieces",
    "tails",
    "last tag",
]);

/// The stores of state words and of the tickets.
const STORES: Places = Places {
    pattern: "st.relaxed.gpu.global.b64 [%g], *;",
    names: &Places::few::<38>(&[(0, "of a long chunk"), (15, "partial")]),
};

/// The stores of state words and of the tickets, in a reduction that can stream rows.
const STREAMING_STORES: Places = STORES.named(&STREAMING_STORE_NAMES);

const STREAMING_STORE_NAMES: [&str; 76] = Places::few(&[
    // Stores the first word of a chunk's value, where one warp has combined the whole chunk.
    (1, "of a whole chunk"),
    // Stores the first word of a chunk's value, where the chunk was combined from pieces.
    (57, "of pieces"),
]);

/// The instructions that put an identity in a register.
const IDENTITIES: Places = Places {
    pattern: "mov.b32 *, -2147483648;",
    names: &Places::few::<31>(&[(21, "empty segment")]),
};

const SEGMENTS: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 21_000,
    epoch: 0,
    windows_per_block: 1,
    span_shift: 0,
};

/// Three rows of two chunks. With one window for each block, the chunks of the rows are combined from pieces.
const ROWS: Circumstances = Circumstances {
    item_count: 3 * 8192,
    ..SEGMENTS
};

/// As many items as in [`ROWS`], with three windows for each block. Then each warp combines whole chunks. In a reduction of rows by `Sum`,
/// all chunks of a row go to one block.
const WHOLE_CHUNKS: Circumstances = Circumstances {
    windows_per_block: 3,
    ..ROWS
};

/// Spans of two windows.
const SPANS: Circumstances = Circumstances {
    span_shift: 1,
    ..ROWS
};

bugs! {
    sum_f32: "segmented_reduce_sum_f32", of_segmented_reduction::<Sum, f32>, SEGMENTS;
    no_barrier_before_the_ticket_is_read: [Race],
        [BARRIERS.remove("ticket")];
    no_barrier_before_the_borders_are_read: [Race],
        [BARRIERS.remove("borders")];
    no_barrier_before_the_works_are_read: [Race],
        [BARRIERS.remove("works")];
    no_barrier_before_the_next_work_is_loaded: [Race],
        [BARRIERS.remove("next work")];
    no_barrier_before_the_items_are_read: [Race],
        [BARRIERS.remove("items")];
    no_barrier_before_the_flags_are_read: [Race],
        [BARRIERS.remove("flags")];
    no_barrier_before_the_slots_are_read: [Race],
        [BARRIERS.remove("slots")];
    no_barrier_before_the_leaves_are_read: [Race],
        [BARRIERS.remove("leaves")];
    no_barrier_before_the_nodes_are_read: [Race],
        [BARRIERS.remove("nodes")];
    copies_not_awaited: [Race],
        [Edit::remove("cp.async.wait_all;")];
    partial_not_published: [Hang],
        [STORES.remove("partial")];
    earlier_work_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
    identity_of_another_sign: [Bits],
        [IDENTITIES.replace("empty segment", "mov.b32 *, 0;")];
}

bugs! {
    whole_rows_sum_f32: "segmented_reduce_sum_f32", of_rows_reduction::<Sum, f32>, WHOLE_CHUNKS;
    no_barrier_before_the_values_of_rows_are_read: [Race],
        [BARRIERS.remove("whole rows")];
    no_barrier_before_the_copies_are_read: [Race],
        [WARP_BARRIERS.remove("copies of rows")];
    no_barrier_before_a_slot_is_filled_again: [Race],
        [WARP_BARRIERS.remove("slots of rows")];
    no_barrier_before_the_nodes_are_written: [Race],
        [WARP_BARRIERS.remove("writes of nodes")];
    no_barrier_before_the_nodes_are_read: [Race],
        [WARP_BARRIERS.remove("nodes of rows")];
    copies_not_awaited: [Race],
        [WAITS.remove("copies of rows")];
    earlier_work_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
}

bugs! {
    long_segments_sum_f32: "segmented_reduce_sum_f32", of_long_segments::<Sum, f32>, WHOLE_CHUNKS;
    no_barrier_before_the_chunks_are_read: [Race],
        [BARRIERS.remove("dealt chunks")];
    no_barrier_before_the_tails_are_read: [Race],
        [BARRIERS.remove("long chunks")];
    no_barrier_before_the_copies_are_read: [Race],
        [WARP_BARRIERS.remove("copies of long chunks")];
    no_barrier_before_a_slot_is_filled_again: [Race],
        [WARP_BARRIERS.remove("slots of long chunks")];
    copies_not_awaited: [Race],
        [WAITS.remove("copies of long chunks")];
    value_not_published: [Hang],
        [STORES.remove("of a long chunk")];
}

bugs! {
    spans_sum_f32: "segmented_reduce_sum_f32", of_spans::<Sum, f32>, SPANS;
    no_barrier_before_the_ticket_is_read: [Race],
        [WARP_BARRIERS.remove("first ticket of a span")];
    no_barrier_before_the_chunks_are_read: [Race],
        [BARRIERS.remove("dealt chunks")];
    no_barrier_before_the_tails_are_read: [Race],
        [BARRIERS.remove("long chunks")];
    no_barrier_before_the_end_is_read: [Race],
        [BARRIERS.remove("end of a dense span")];
    no_barrier_before_the_windows_are_read: [Race],
        [BARRIERS.remove("windows of a span")];
    no_barrier_before_the_values_of_a_dense_chunk_are_read: [Race],
        [WARP_BARRIERS.remove("values of a dense chunk")];
    no_barrier_before_the_next_dense_chunk: [Race],
        [WARP_BARRIERS.remove("next dense chunk")];
}

bugs! {
    scan_sum_f32: "segmented_scan_sum_f32", of_segmented_scan::<Sum, f32>, SEGMENTS;
    no_barrier_before_the_items_are_read: [Race],
        [SCAN_BARRIERS.remove("items")];
    no_barrier_before_the_leaves_are_read: [Race],
        [SCAN_BARRIERS.remove("leaves")];
    no_barrier_before_the_nodes_are_read: [Race],
        [SCAN_BARRIERS.remove("nodes")];
    no_barrier_before_the_prefixes_of_nodes_are_read: [Race],
        [SCAN_BARRIERS.remove("before nodes")];
    no_barrier_before_the_prefixes_of_leaves_are_read: [Race],
        [SCAN_BARRIERS.remove("before leaves")];
    no_barrier_before_the_results_are_read: [Race],
        [SCAN_BARRIERS.remove("results")];
}

bugs! {
    chunk_scan_sum_f32: "segmented_scan_sum_f32", of_chunk_scan::<Sum, f32>, SEGMENTS;
    no_barrier_before_the_leaves_are_read: [Race],
        [SCAN_WARP_BARRIERS.remove("leaves of a chunk")];
    no_barrier_before_the_results_are_read: [Race],
        [SCAN_WARP_BARRIERS.remove("results of a chunk")];
}

bugs! {
    rows_moments_f32: "segmented_reduce_moments_f32", of_rows_reduction::<Moments, f32>, ROWS;
    no_barrier_before_the_pieces_are_read: [Race],
        [STREAMING_BARRIERS.remove("pieces")];
    value_of_pieces_not_published: [Hang],
        [STREAMING_STORES.remove("of pieces")];
}

bugs! {
    whole_chunks_moments_f32: "segmented_reduce_moments_f32", of_rows_reduction::<Moments, f32>, WHOLE_CHUNKS;
    no_barrier_before_the_ticket_is_read: [Race],
        [STREAMING_BARRIERS.remove("ticket of whole chunks")];
    value_of_a_chunk_not_published: [Hang],
        [STREAMING_STORES.remove("of a whole chunk")];
    earlier_work_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
}
