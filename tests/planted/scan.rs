//! Bugs in scans: a few tiles for three blocks, so that each block takes tickets; the last tile ends early.
//!
//! A text holds a scan's kernel twice, for tiles of each shape. These scans are short: what is changed is in the half with
//! tiles of 8 warps.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::Edit;
use crate::engine::{SM_70, SM_90};
use crate::trial::Check::{Bits, Hang, Init, Memory, Race, Sync};
use crate::trial::{Circumstances, of_inclusive_scan};

const BARRIER: Edit = Edit::remove("bar.sync \t0;").nth(1, 2);
const BARRIER_OF_WARPS: &str = "bar.sync \t1, 256;";

/// A word of the board or the tickets is written.
const STORE_WORD: &str = "st.relaxed.gpu.global.b64 [%g], *;";
const PLAIN_STORE_WORD: &str = "st.global.b64 [%g], *;";

/// Those that publish a tile's aggregate, a group's and the next group's prefix, and that set the tickets back: as the last
/// one is taken, and as the last block leaves the scan that uses up the tags. The others clear the state words, or are of
/// long scans.
const PUBLISH: (usize, usize) = (8, 14);
const PUBLISH_GROUP: (usize, usize) = (2, 14);
const PUBLISH_PREFIX: (usize, usize) = (3, 14);
const RESTART: (usize, usize) = (7, 14);
const RESTART_WITH_TAGS: (usize, usize) = (10, 14);

/// A word of the board is read; then its tag is looked at.
const LOAD_WORD: &str = "ld.relaxed.gpu.global.b64";
const TAG: &str = "mov.b64 \t{_, *}, *;\n\tsetp.ne.b32 \t*, *, *;\n\tselp";
const ANY_TAG: &str = "mov.b64 \t{_, *}, *;\n\tsetp.ne.b32 \t*, 0, 0;\n\tselp";

/// Those of an aggregate of the tile's own group. The tile's own aggregate, of which the total is made, has no tag to look at.
const LOWER: (usize, usize) = (2, 12);
const TAG_OF_LOWER: (usize, usize) = (2, 10);

const BALLOT: &str = "vote.sync.ballot.b32 \t*, *, -1;";

/// A tile is told, in its turn or in the end's stead, and waited for.
const TELL_TILE: &str = "bar.arrive \t*, 64;";
const IN_TURN: (usize, usize) = (1, 6);
const AWAIT_TILE: Edit = Edit::replace("bar.sync \t*, 64;", "bar.arrive \t*, 64;").nth(2, 5);

/// A prefix is told, and waited for.
const TELL_PREFIX: &str = "bar.arrive \t*, 288;";
const AWAIT_PREFIX: Edit = Edit::replace("bar.sync \t*, 288;", "bar.arrive \t*, 288;");

/// A block's news that it leaves the scan that uses up the tags.
const DEPARTURE: &str = "atom.acq_rel.gpu.global.add.u32";

const SEVEN_TILES: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 6 * 4096 + 2455,
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

/// So many that a starved block holds a tile that others wait for, and that places are used again.
const MANY_TILES: Circumstances = Circumstances {
    item_count: 18 * 4096 + 2455,
    ..SEVEN_TILES
};

/// A group of tiles and a few of the next, for enough blocks that both are under way at once.
const TWO_GROUPS: Circumstances = Circumstances {
    multiprocessors: 2,
    item_count: 36 * 4096 + 2455,
    ..SEVEN_TILES
};

bugs! {
    sum_f32: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, SEVEN_TILES;
    no_barrier_before_the_first_ticket_is_read: [Race, Init],
        [BARRIER];
    no_barrier_before_the_totals_are_read: [Race],
        [Edit::remove(BARRIER_OF_WARPS)];
    one_place_for_the_totals_of_all_turns: [Race],
        [
            Edit::replace("mul.wide.u32 \t*, *, 64;", "mul.wide.u32 \t*, *, 0;").nth(1, 2),
            Edit::replace("mad.lo.s64 \t*, *, -60, *;", "mad.lo.s64 \t*, *, 4, *;").nth(1, 2),
        ];
    barrier_of_the_whole_block_for_the_warps_that_scan: [Hang],
        [Edit::replace(BARRIER_OF_WARPS, "bar.sync \t1, 288;")];
    aggregate_published_by_a_plain_store: [Race],
        [Edit::replace(STORE_WORD, PLAIN_STORE_WORD).nth(PUBLISH.0, PUBLISH.1)];
    aggregate_read_by_a_plain_load: [Race],
        [Edit::replace(LOAD_WORD, "ld.global.b64").nth(LOWER.0, LOWER.1)];
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
            "setp.lt.u32 \t*, *, *;\n\tsetp.lt.u32 \t*, *, *;\n\tsetp.ne.b32",
            "setp.le.u32 \t*, *, *;\n\tsetp.lt.u32 \t*, *, *;\n\tsetp.ne.b32",
        ).nth(1, 2)];
    tile_not_told: [Hang],
        [Edit::remove(TELL_TILE).nth(IN_TURN.0, IN_TURN.1)];
    tile_not_waited_for: [Race, Init],
        [AWAIT_TILE];
    prefix_not_told: [Hang],
        [Edit::remove(TELL_PREFIX)];
    prefix_not_waited_for: [Race, Bits],
        [AWAIT_PREFIX];
    prefix_told_to_one_warp_too_few: [Sync],
        [Edit::replace(TELL_PREFIX, "bar.arrive \t*, 256;")];
    one_place_for_the_tiles_of_all_turns: [Race],
        [
            Edit::replace(
                "exch.b32 %o, [%s], *;",
                "exch.b32 %o, [gpu_launch_sized_workgroup_mem+136], *;",
            ).nth(1, 6),
            Edit::replace(
                "ld.shared.b32 \t*, [*+136];",
                "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+136];",
            ).nth(2, 5),
        ];
    one_place_for_the_prefixes_of_all_turns: [Race],
        [
            Edit::replace(
                "st.shared.b32 \t[*+152], *;",
                "{ .reg .b64 %x; mov.b64 %x, *; } st.shared.b32 \t[gpu_launch_sized_workgroup_mem+152], *;",
            ).nth(1, 2),
            Edit::replace(
                "ld.shared.b32 \t*, [*+152];",
                "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+152];",
            ).nth(1, 2),
        ];
    copies_not_waited_for: [Race, Bits],
        [Edit::remove("cp.async.wait_all;").nth(1, 2)];
    tickets_not_set_back: [Bits],
        [Edit::remove(STORE_WORD).nth(RESTART.0, RESTART.1)];
    one_item_too_many_at_the_end: [Memory],
        [Edit::replace(
            "setp.ge.u64 \t*, *, *;\n\t@* bra \t$*;\n\tst.global.b32 \t[*+12], *;",
            "setp.gt.u64 \t*, *, *;\n\t@* bra \t$*;\n\tst.global.b32 \t[*+12], *;",
        ).nth(1, 2)];
    work_before_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
    a_lane_missing_from_the_ballots_mask: [Sync],
        [Edit::replace(BALLOT, "vote.sync.ballot.b32 \t*, *, 2147483647;").nth(2, 10)];
}

bugs! {
    sum_f32_of_many_tiles: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, MANY_TILES;
    tag_not_looked_at: [Bits],
        [Edit::replace(TAG, ANY_TAG).nth(TAG_OF_LOWER.0, TAG_OF_LOWER.1)];
    tag_not_told_to_the_block: [Init],
        [Edit::remove("st.shared.b32 \t[gpu_launch_sized_workgroup_mem+168], *;").nth(1, 2)];
    epoch_not_moved_on: [Bits],
        [Edit::replace(STORE_WORD, "st.relaxed.gpu.global.b64 [%g], 0;").nth(RESTART.0, RESTART.1)];
}

bugs! {
    sum_f32_of_two_groups: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, TWO_GROUPS;
    group_published_with_one_tile_there: [Bits],
        [Edit::replace(
            "setp.ne.b32 \t*, *, 0;\n\t@* bra \t$*;\n\tbra.uni",
            "setp.eq.b32 \t*, *, -1;\n\t@* bra \t$*;\n\tbra.uni",
        ).nth(2, 4)];
    group_published_by_a_plain_store: [Race],
        [Edit::replace(STORE_WORD, PLAIN_STORE_WORD).nth(PUBLISH_GROUP.0, PUBLISH_GROUP.1)];
    next_groups_prefix_published_by_a_plain_store: [Race],
        [Edit::replace(STORE_WORD, PLAIN_STORE_WORD).nth(PUBLISH_PREFIX.0, PUBLISH_PREFIX.1)];
    group_before_taken_with_a_tile_missing: [Bits],
        [Edit::replace(
            "setp.eq.b32 \t*, *, 0;\n\tselp.b32",
            "setp.eq.b32 \t*, 0, 0;\n\tselp.b32",
        ).nth(1, 2)];
}

bugs! {
    sum_f32_without_asynchronous_copies: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, SYNCHRONOUS;
    no_barrier_before_the_totals_are_read: [Race],
        [Edit::remove(BARRIER_OF_WARPS)];
    prefix_not_waited_for: [Race, Bits],
        [AWAIT_PREFIX];
}

bugs! {
    sum_f32_with_the_last_tag: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, LAST_TAG;
    tickets_not_set_back_with_the_tags: [Bits],
        [Edit::remove(STORE_WORD).nth(RESTART_WITH_TAGS.0, RESTART_WITH_TAGS.1)];
    departure_not_acquired: [Race],
        [Edit::replace(DEPARTURE, "atom.release.gpu.global.add.u32").nth(1, 2)];
    departure_not_released: [Race],
        [Edit::replace(DEPARTURE, "atom.acquire.gpu.global.add.u32").nth(1, 2)];
}

bugs! {
    sum_u64: "inclusive_scan_sum_u64", of_inclusive_scan::<Sum, u64>, MANY_TILES;
    tag_of_the_upper_half_not_looked_at: [Bits],
        [Edit::replace("or.pred \t*, *, *;\n\tand.b64", "mov.pred \t*, *;\n\tand.b64").nth(2, 10)];
}
