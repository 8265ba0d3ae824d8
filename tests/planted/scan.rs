//! Bugs in scans: a few tiles for three blocks, so that each block takes tickets; the last tile ends early.
//!
//! A text holds a scan's kernel twice, for tiles of each shape. These scans are short: what is changed is in the half with
//! tiles of 8 warps.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::Edit;
use crate::engine::{SM_70, SM_80};
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
const PUBLISH: (usize, usize) = (28, 30);
const PUBLISH_GROUP: (usize, usize) = (2, 30);
const PUBLISH_PREFIX: (usize, usize) = (3, 30);
const RESTART: (usize, usize) = (27, 30);
const RESTART_WITH_TAGS: (usize, usize) = (16, 30);

/// A word of the board is read; then its tag is looked at.
const LOAD_WORD: &str = "ld.relaxed.gpu.global.b64";
const TAG: &str = "setp.ne.b32 \t*, *, *;\n\tcvt.u32.u64";
const ANY_TAG: &str = "setp.ne.b32 \t*, 0, 0;\n\tcvt.u32.u64";

/// Those of an aggregate of the tile's own group.
const LOWER: (usize, usize) = (2, 10);

const BALLOT: &str = "vote.sync.ballot.b32 \t*, *, -1;";

/// The news of a prefix that is handed back, and of a tile that is handed over.
const RELEASE: &str = "st.release.cta.shared.b32 [%s], *;";
const PLAIN_RELEASE: &str = "st.shared.b32 [%s], *;";
const RELAXED_RELEASE: &str = "st.relaxed.cta.shared.b32 [%s], *;";
const HAND_BACK: (usize, usize) = (1, 6);
const HAND_OVER: (usize, usize) = (3, 6);

/// Looks for such news.
const ACQUIRE: &str = "ld.acquire.cta.shared.b32";
const RELAXED_ACQUIRE: &str = "ld.relaxed.cta.shared.b32";
const OF_TILES: (usize, usize) = (1, 4);
const OF_PREFIXES: (usize, usize) = (3, 4);

/// A block's news that it leaves the scan that uses up the tags.
const DEPARTURE: &str = "atom.acq_rel.gpu.global.add.u32";

const SEVEN_TILES: Circumstances = Circumstances {
    generation: SM_80,
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

/// A group of tiles and a few of the next, for so many blocks that both are under way at once.
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
            Edit::replace("and.b64 \t*, *, 1;", "and.b64 \t*, *, 0;").nth(1, 4),
            Edit::replace("and.b64 \t*, *, 1;", "and.b64 \t*, *, 0;").nth(1, 3),
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
    tile_handed_over_by_a_plain_store: [Race],
        [Edit::replace(RELEASE, PLAIN_RELEASE).nth(HAND_OVER.0, HAND_OVER.1)];
    tile_handed_over_and_not_released: [Race],
        [Edit::replace(RELEASE, RELAXED_RELEASE).nth(HAND_OVER.0, HAND_OVER.1)];
    tile_handed_over_and_not_acquired: [Race],
        [Edit::replace(ACQUIRE, RELAXED_ACQUIRE).nth(OF_TILES.0, OF_TILES.1)];
    tile_not_waited_for: [Race, Init],
        [Edit::replace("setp.le.u32 \t*, *, *;\n\t@* bra \t$*;\n\tand.b32", "and.b32").nth(1, 2)];
    prefix_handed_back_by_a_plain_store: [Race],
        [Edit::replace(RELEASE, PLAIN_RELEASE).nth(HAND_BACK.0, HAND_BACK.1)];
    prefix_handed_back_and_not_released: [Race],
        [Edit::replace(RELEASE, RELAXED_RELEASE).nth(HAND_BACK.0, HAND_BACK.1)];
    prefix_handed_back_and_not_acquired: [Race],
        [Edit::replace(ACQUIRE, RELAXED_ACQUIRE).nth(OF_PREFIXES.0, OF_PREFIXES.1)];
    tile_stored_before_its_prefix_is_there: [Race, Bits],
        [Edit::replace(
            "setp.le.u32 \t*, *, *;\n\t@* bra \t$*;\n\tmul.wide.u32",
            "mul.wide.u32",
        ).nth(1, 2)];
    one_place_for_the_prefixes_of_all_turns: [Race],
        [
            Edit::replace(
                "st.shared.b32 \t[*+156], *;",
                "{ .reg .b64 %x; mov.b64 %x, *; } st.shared.b32 \t[gpu_launch_sized_workgroup_mem+156], *;",
            ).nth(1, 2),
            Edit::replace(
                "ld.shared.b32 \t*, [*+156];",
                "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+156];",
            ).nth(1, 2),
        ];
    copies_not_waited_for: [Race, Bits],
        [Edit::remove("cp.async.wait_all;").nth(1, 2)];
    tickets_not_set_back: [Bits],
        [Edit::remove(STORE_WORD).nth(RESTART.0, RESTART.1)];
    one_item_too_many_at_the_end: [Memory],
        [Edit::replace(", 387;", ", 386;").nth(2, 7)];
    a_lane_missing_from_the_ballots_mask: [Sync],
        [Edit::replace(BALLOT, "vote.sync.ballot.b32 \t*, *, 2147483647;").nth(2, 10)];
}

bugs! {
    sum_f32_of_many_tiles: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, MANY_TILES;
    tag_not_looked_at: [Bits],
        [Edit::replace(TAG, ANY_TAG).nth(LOWER.0, LOWER.1)];
    tag_not_handed_to_the_block: [Init],
        [Edit::remove("st.shared.b32 \t[gpu_launch_sized_workgroup_mem+176], *;").nth(1, 2)];
    epoch_not_moved_on: [Bits],
        [Edit::replace(STORE_WORD, "st.relaxed.gpu.global.b64 [%g], 0;").nth(RESTART.0, RESTART.1)];
    tile_read_by_lanes_that_lag_behind: [Race],
        [Edit::remove("bar.warp.sync \t-1;").nth(1, 4)];
}

bugs! {
    sum_f32_of_two_groups: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, TWO_GROUPS;
    group_published_with_one_tile_there: [Bits],
        [Edit::replace(
            "setp.ne.b32 \t*, *, 0;\n\t@* bra \t$*;\n\tbra.uni",
            "setp.eq.b32 \t*, *, -1;\n\t@* bra \t$*;\n\tbra.uni",
        ).nth(1, 2)];
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
    prefix_handed_back_and_not_acquired: [Race],
        [Edit::replace(ACQUIRE, RELAXED_ACQUIRE).nth(OF_PREFIXES.0, OF_PREFIXES.1)];
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
