//! Bugs in scans: a few tiles for three blocks, so that each block takes tickets; the last tile ends early.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::Edit;
use crate::engine::{SM_70, SM_80};
use crate::trial::Check::{Bits, Init, Memory, Race, Sync};
use crate::trial::{Circumstances, of_inclusive_scan};

const BARRIER: &str = "bar.sync \t0;";
const STORE_WORD: &str = "st.relaxed.gpu.global.b64 [%g], *;";
const LOAD_WORD: &str = "ld.relaxed.gpu.global.b64";
const BALLOT: &str = "vote.sync.ballot.b32 \t*, *, -1;";

const SEVEN_TILES: Circumstances = Circumstances {
    generation: SM_80,
    multiprocessors: 1,
    item_count: 6 * 8192 + 2348,
    epoch: 0,
};

/// The same without asynchronous copies.
const SYNCHRONOUS: Circumstances = Circumstances {
    generation: SM_70,
    ..SEVEN_TILES
};

/// The first launch has the last of all tags, so that its last block clears the state words.
const LAST_TAG: Circumstances = Circumstances {
    epoch: u32::MAX - 1,
    ..SEVEN_TILES
};

/// So many that a starved block holds a tile that others wait for.
const MANY_TILES: Circumstances = Circumstances {
    item_count: 18 * 8192 + 2348,
    ..SEVEN_TILES
};

bugs! {
    sum_f32: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, SEVEN_TILES;
    no_barrier_before_the_first_ticket_is_read: [Race, Init],
        [Edit::remove(BARRIER).nth(1, 4)];
    no_barrier_before_the_second_ticket_is_written: [Race],
        [Edit::remove(BARRIER).nth(2, 4)];
    no_barrier_before_the_totals_are_read: [Race],
        [Edit::remove(BARRIER).nth(3, 4)];
    no_barrier_at_the_turns_end: [Race],
        [Edit::remove(BARRIER).nth(4, 4)];
    aggregate_published_by_a_plain_store: [Race],
        [Edit::replace(STORE_WORD, "st.global.b64 [%g], *;").nth(1, 3)];
    aggregate_read_by_a_plain_load: [Race],
        [Edit::replace(LOAD_WORD, "ld.global.b64").nth(2, 4)];
    aggregate_published_in_halves_tag_first: [Race],
        [Edit::replace(
            STORE_WORD,
            "{ .reg .b32 %l, %h; mov.b64 {%l, %h}, *; \
             st.relaxed.gpu.global.b32 [%g+4], %h; st.relaxed.gpu.global.b32 [%g], %l; }",
        ).nth(1, 3)];
    own_aggregate_taken_for_a_lower_one: [Bits],
        [Edit::replace(
            "31;\n\tshr.u64 \t*, *, 5;\n\tsetp.lt.u32",
            "31;\n\tshr.u64 \t*, *, 5;\n\tsetp.le.u32",
        )];
    one_place_for_the_prefixes_of_all_turns: [Race],
        [
            Edit::replace("[*+65568]", "[gpu_launch_sized_workgroup_mem+65568]").nth(1, 2),
            Edit::replace("[%*+65568]", "[gpu_launch_sized_workgroup_mem+65568]"),
        ];
    copies_not_waited_for: [Race, Bits],
        [Edit::remove("cp.async.wait_all;")];
    ticket_not_set_back: [Bits],
        [Edit::replace("st.global.v2.b32 \t[*], {*, 0};", "st.global.b32 \t[*], *;")];
    departure_that_neither_releases_nor_acquires: [Race],
        [Edit::replace("atom.acq_rel", "atom.relaxed")];
    one_item_too_many_at_the_end: [Memory],
        [Edit::replace(", 256;", ", 255;")];
    a_lane_missing_from_the_ballots_mask: [Sync],
        [Edit::replace(BALLOT, "vote.sync.ballot.b32 \t*, *, 2147483647;").nth(2, 4)];
}

bugs! {
    sum_f32_of_many_tiles: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, MANY_TILES;
    tag_not_looked_at: [Bits],
        [Edit::replace(
            "setp.ne.b32 \t*, *, *;\n\tcvt.u32.u64",
            "setp.ne.b32 \t*, 0, 0;\n\tcvt.u32.u64",
        ).nth(2, 2)];
    tag_not_handed_to_the_block: [Init, Bits],
        [Edit::remove("st.shared.b32 \t[gpu_launch_sized_workgroup_mem+65580], *;")];
    epoch_not_moved_on: [Bits],
        [Edit::replace("st.global.v2.b32 \t[*], {*, 0};", "st.global.b32 \t[*+4], 0;")];
}

bugs! {
    sum_f32_without_asynchronous_copies: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, SYNCHRONOUS;
    one_place_for_the_prefixes_of_all_turns: [Race],
        [
            Edit::replace("[*+32800]", "[gpu_launch_sized_workgroup_mem+32800]").nth(1, 2),
            Edit::replace("[%*+32800]", "[gpu_launch_sized_workgroup_mem+32800]"),
        ];
}

bugs! {
    sum_f32_with_the_last_tag: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, LAST_TAG;
    no_warp_barrier_before_the_departure: [Race],
        [Edit::remove("bar.warp.sync \t-1;")];
    departure_that_does_not_acquire: [Race],
        [Edit::replace("atom.acq_rel", "atom.release")];
}

bugs! {
    sum_u64: "inclusive_scan_sum_u64", of_inclusive_scan::<Sum, u64>, MANY_TILES;
    tag_of_the_upper_half_not_looked_at: [Bits],
        [Edit::replace(
            "or.pred \t*, *, *;\n\tand.b64",
            "mov.pred \t*, *;\n\tand.b64",
        ).nth(2, 2)];
}
