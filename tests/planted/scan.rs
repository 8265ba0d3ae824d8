//! Bugs in scans: a few tiles for three blocks, so that each block takes tickets; the last tile ends early.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::Edit;
use crate::engine::{SM_70, SM_80};
use crate::trial::Check::{Bits, Hang, Init, Memory, Race, Sync};
use crate::trial::{Circumstances, of_inclusive_scan};

const BARRIER: &str = "bar.sync \t0;";
const BARRIER_OF_WARPS: &str = "bar.sync \t1, 256;";
const STORE_WORD: &str = "st.relaxed.gpu.global.b64 [%g], *;";
const LOAD_WORD: &str = "ld.relaxed.gpu.global.b64";
const BALLOT: &str = "vote.sync.ballot.b32 \t*, *, -1;";

/// The stores that publish a tile's aggregate, and that set the tickets back: as the last one is taken, and as the last
/// block leaves the scan that uses up the tags. The others publish what is of groups, and clear the state words.
const PUBLISH: (usize, usize) = (15, 15);
const RESTART: (usize, usize) = (14, 15);
const RESTART_WITH_TAGS: (usize, usize) = (13, 15);

const SEVEN_TILES: Circumstances = Circumstances {
    generation: SM_80,
    multiprocessors: 1,
    item_count: 6 * 4096 + 2347,
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
    item_count: 18 * 4096 + 2347,
    ..SEVEN_TILES
};

bugs! {
    sum_f32: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, SEVEN_TILES;
    no_barrier_before_the_first_ticket_is_read: [Race, Init],
        [Edit::remove(BARRIER).nth(1, 3)];
    no_barrier_before_the_totals_are_read: [Race],
        [Edit::remove(BARRIER_OF_WARPS)];
    no_barriers_at_the_turns_end: [Race],
        [Edit::remove(BARRIER).nth(3, 3), Edit::remove(BARRIER).nth(2, 2)];
    barrier_of_the_whole_block_for_the_warps_that_scan: [Hang],
        [Edit::replace(BARRIER_OF_WARPS, "bar.sync \t1, 288;")];
    aggregate_published_by_a_plain_store: [Race],
        [Edit::replace(STORE_WORD, "st.global.b64 [%g], *;").nth(PUBLISH.0, PUBLISH.1)];
    aggregate_read_by_a_plain_load: [Race],
        [Edit::replace(LOAD_WORD, "ld.global.b64").nth(1, 4)];
    aggregate_published_in_halves_tag_first: [Race],
        [Edit::replace(
            STORE_WORD,
            "{ .reg .b32 %l, %h; mov.b64 {%l, %h}, *; \
             st.relaxed.gpu.global.b32 [%g+4], %h; st.relaxed.gpu.global.b32 [%g], %l; }",
        ).nth(PUBLISH.0, PUBLISH.1)];
    aggregate_published_in_anothers_slot: [Hang],
        [Edit::replace(STORE_WORD, "st.relaxed.gpu.global.b64 [%g+8], *;").nth(PUBLISH.0, PUBLISH.1)];
    own_aggregate_taken_for_a_lower_one: [Bits],
        [Edit::replace(
            "setp.lt.u32 \t*, *, *;\n\tsetp.ge.u32 \t*, *, *;\n\tand.b32",
            "setp.le.u32 \t*, *, *;\n\tsetp.ge.u32 \t*, *, *;\n\tand.b32",
        )];
    one_place_for_the_prefixes_of_all_turns: [Race],
        [
            Edit::replace(
                "st.shared.b32 \t[*+73760], *;",
                "{ .reg .b64 %x; mov.b64 %x, *; } st.shared.b32 \t[gpu_launch_sized_workgroup_mem+73760], *;",
            ),
            Edit::replace(
                "ld.shared.b32 \t*, [*+73760];",
                "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+73760];",
            ),
        ];
    copies_not_waited_for: [Race, Bits],
        [Edit::remove("cp.async.wait_all;")];
    tickets_not_set_back: [Bits],
        [Edit::remove(STORE_WORD).nth(RESTART.0, RESTART.1)];
    one_item_too_many_at_the_end: [Memory],
        [Edit::replace(", 260;", ", 259;")];
    a_lane_missing_from_the_ballots_mask: [Sync],
        [Edit::replace(BALLOT, "vote.sync.ballot.b32 \t*, *, 2147483647;").nth(2, 4)];
}

bugs! {
    sum_f32_of_many_tiles: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, MANY_TILES;
    tag_not_looked_at: [Bits],
        [Edit::replace(
            "setp.ne.b32 \t*, *, *;\n\tcvt.u32.u64",
            "setp.ne.b32 \t*, 0, 0;\n\tcvt.u32.u64",
        ).nth(1, 2)];
    tag_not_handed_to_the_block: [Init],
        [Edit::remove("st.shared.b32 \t[gpu_launch_sized_workgroup_mem+73808], *;")];
    epoch_not_moved_on: [Bits],
        [Edit::replace(STORE_WORD, "st.relaxed.gpu.global.b64 [%g], 0;").nth(RESTART.0, RESTART.1)];
}

bugs! {
    sum_f32_without_asynchronous_copies: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, SYNCHRONOUS;
    no_barrier_before_the_totals_are_read: [Race],
        [Edit::remove(BARRIER_OF_WARPS)];
}

bugs! {
    sum_f32_with_the_last_tag: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, LAST_TAG;
    tickets_not_set_back_with_the_tags: [Bits],
        [Edit::remove(STORE_WORD).nth(RESTART_WITH_TAGS.0, RESTART_WITH_TAGS.1)];
}

bugs! {
    sum_u64: "inclusive_scan_sum_u64", of_inclusive_scan::<Sum, u64>, MANY_TILES;
    tag_of_the_upper_half_not_looked_at: [Bits],
        [Edit::replace("or.pred \t*, *, *;\n\tand.b64", "mov.pred \t*, *;\n\tand.b64").nth(1, 2)];
}
