//! Bugs in scans with more tiles than blocks, so that some blocks take several tiles. The last tile is partial.
//!
//! A scan's text has the kernel twice, once for each shape of tiles. These scans are short, so their tiles have 8 warps. If both copies of
//! the kernel have a line, the edits change this line in the copy for short scans.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::{Edit, Places};
use crate::engine::{SM_70, SM_90};
use crate::trial::Check::{Bits, Hang, Init, Memory, Race, Sync};
use crate::trial::{Circumstances, of_inclusive_scan};

/// A pattern that occurs once for the tiles of short scans, and once for those of long scans.
const fn in_each_half(pattern: &'static str) -> Places {
    Places {
        pattern,
        names: &["short", ""],
    }
}

/// A pattern that occurs once in each look-back of a scan's text. The copy of the kernel for short scans has one look-back, and the copy
/// for long scans has two.
const fn in_each_look(pattern: &'static str) -> Places {
    Places {
        pattern,
        names: &["short", "", ""],
    }
}

const BARRIERS: Places = in_each_half("bar.sync \t0;");
const BARRIER_OF_WARPS: &str = "bar.sync \t1, 256;";

/// The stores of state words and of the tickets. In the scan that uses up the tags, the last block to leave resets the tickets. In any
/// other scan, the block that takes the last ticket resets them. The unnamed stores clear the state words, or are for long scans.
const STORES: Places = Places {
    pattern: "st.relaxed.gpu.global.b64 [%g], *;",
    names: &[
        "",
        "next group's prefix",
        "",
        "",
        "",
        "",
        "",
        "tickets with tags",
        "",
        "",
        "tickets",
        "aggregate",
        "",
        "",
    ],
};
const PLAIN_STORE: &str = "st.global.b64 [%g], *;";

/// The loads by which a look-back reads the aggregates of tiles in its own tile's group.
const LOADS: Places = in_each_look("ld.relaxed.gpu.global.b64 *, [%first+0];");

/// Three comparisons of a state word's tag. The state word belongs to a tile in the group of the look-back's own tile, to a tile in an
/// earlier group, or to a group's prefix. A comparison gives a bit, which is set if the state word is published.
const OWN_TAGS: Places = in_each_half("selp.b32 \t*, 1, 0, *;\n\tmov.b64 \t{_,");
const TAGS_BEFORE: Places = in_each_look("selp.b32 \t*, 2, 0, *;");
const PREFIX_TAGS: Places = in_each_half("selp.b32 \t*, 256, 0, *;\n\tor.b32 \t*, *, *;\n\tshr");

/// Compares the tags of both halves of a 64-bit value.
const BOTH_TAGS: Places = Places {
    pattern: "and.pred \t*, *, *;\n\tselp.b32 \t*, 1, 0, *;",
    names: &["short", "", ""],
};

/// Selects the tiles that a look-back reads in the group of its own tile. These are the earlier tiles and, if its own tile is the group's
/// last, also this tile.
const OWN_TILES: Places = in_each_half("setp.lt.u32 \t*, *, *;\n\tor.pred \t*, *, *;");

const BALLOTS: Places = Places {
    pattern: "vote.sync.ballot.b32 \t*, *, -1;",
    names: &["", "enough", "", "", "", "", ""],
};

/// One warp tells another warp which tile is next, or that no tile is left, and arrives at a barrier. The other warp waits at this barrier.
const TELL_TILE: Places = Places {
    pattern: "bar.arrive \t*, 64;",
    names: &["in turn", "", "", "", "", ""],
};
const AWAIT_TILE: Places = Places {
    pattern: "bar.sync \t*, 64;",
    names: &["", "in turn", "", "", ""],
};

/// One warp sends a prefix, and others wait for it.
const TELL_PREFIX: &str = "bar.arrive \t*, 288;";
const AWAIT_PREFIX: Edit = Edit::replace("bar.sync \t*, 288;", "bar.arrive \t*, 288;");

/// One warp writes the number of the next tile to shared memory, and another warp reads the number.
const WRITE_TILE: Places = TELL_TILE.of("exch.b32 %o, [%s], *;");
const READ_TILE: Places = AWAIT_TILE.of("ld.shared.b32 \t*, [*+136];");

/// In the scan that uses up the tags, each block adds 1 to a counter as it leaves.
const DEPARTURES: Places = in_each_half("atom.acq_rel.gpu.global.add.u32");

const SEVEN_TILES: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 6 * 4096 + 2455,
    epoch: 0,
    windows_per_block: 1,
    span_shift: 0,
};

/// Seven tiles, in the variant without asynchronous copies.
const SYNCHRONOUS: Circumstances = Circumstances {
    generation: SM_70,
    ..SEVEN_TILES
};

/// The first launch has the last tag, so the last block to leave this launch clears the state words.
const LAST_TAG: Circumstances = Circumstances {
    epoch: u32::MAX - 1,
    ..SEVEN_TILES
};

/// Enough tiles that blocks reuse their shared memory, and wait for a tile of the starved block.
const MANY_TILES: Circumstances = Circumstances {
    item_count: 18 * 4096 + 2455,
    ..SEVEN_TILES
};

/// A tile group and a few tiles of the next, with enough blocks that both groups run at once.
const TWO_GROUPS: Circumstances = Circumstances {
    multiprocessors: 2,
    item_count: 36 * 4096 + 2455,
    ..SEVEN_TILES
};

bugs! {
    sum_f32: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, SEVEN_TILES;
    no_barrier_before_the_first_ticket_is_read: [Race, Init],
        [BARRIERS.remove("short")];
    no_barrier_before_the_totals_are_read: [Race],
        [Edit::remove(BARRIER_OF_WARPS)];
    one_slot_for_the_totals_of_successive_tiles: [Race],
        [
            in_each_half("mul.wide.u32 \t*, *, 64;").replace("short", "mul.wide.u32 \t*, *, 0;"),
            in_each_half("mad.lo.s64 \t*, *, -60, *;").replace("short", "mad.lo.s64 \t*, *, 4, *;"),
        ];
    barrier_of_the_whole_block_for_the_warps_that_scan: [Hang],
        [Edit::replace(BARRIER_OF_WARPS, "bar.sync \t1, 288;")];
    aggregate_published_by_a_plain_store: [Race],
        [STORES.replace("aggregate", PLAIN_STORE)];
    aggregate_read_by_a_plain_load: [Race],
        [LOADS.replace("short", "ld.global.b64 *, [%first+0];")];
    aggregate_published_in_halves_tag_first: [Race],
        [STORES.replace(
            "aggregate",
            "{ .reg .b32 %l, %h; mov.b64 {%l, %h}, *; \
             st.relaxed.gpu.global.b32 [%g+4], %h; st.relaxed.gpu.global.b32 [%g], %l; }",
        )];
    aggregate_published_in_another_tiles_slot: [Hang],
        [STORES.replace("aggregate", "st.relaxed.gpu.global.b64 [%g+8], *;")];
    own_aggregate_taken_for_a_lower_one: [Bits],
        [OWN_TILES.replace("short", "setp.le.u32 \t*, *, *;\n\tor.pred \t*, *, *;")];
    tile_not_sent: [Hang],
        [TELL_TILE.remove("in turn")];
    tile_not_waited_for: [Race, Init],
        [AWAIT_TILE.replace("in turn", "bar.arrive \t*, 64;")];
    prefix_not_sent: [Hang],
        [Edit::remove(TELL_PREFIX)];
    prefix_not_waited_for: [Race, Bits],
        [AWAIT_PREFIX];
    prefix_sent_to_one_warp_too_few: [Sync],
        [Edit::replace(TELL_PREFIX, "bar.arrive \t*, 256;")];
    one_slot_for_the_numbers_of_successive_tiles: [Race],
        [
            WRITE_TILE.replace(
                "in turn",
                "exch.b32 %o, [gpu_launch_sized_workgroup_mem+136], *;",
            ),
            READ_TILE.replace(
                "in turn",
                "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+136];",
            ),
        ];
    one_slot_for_the_prefixes_of_successive_tiles: [Race],
        [
            in_each_half("st.shared.b32 \t[*+152], *;").replace(
                "short",
                "{ .reg .b64 %x; mov.b64 %x, *; } st.shared.b32 \t[gpu_launch_sized_workgroup_mem+152], *;",
            ),
            in_each_half("ld.shared.b32 \t*, [*+152];").replace(
                "short",
                "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+152];",
            ),
        ];
    copies_not_waited_for: [Race, Bits],
        [in_each_half("cp.async.wait_all;").remove("short")];
    tickets_not_reset: [Bits],
        [STORES.remove("tickets")];
    one_item_too_many_at_the_end: [Memory],
        [in_each_half("setp.le.u32 \t*, *, *;\n\t@* bra \t$*;\n\tst.global.b32 \t[*+12], *;").replace(
            "short",
            "setp.lt.u32 \t*, *, *;\n\t@* bra \t$*;\n\tst.global.b32 \t[*+12], *;",
        )];
    earlier_work_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
    a_lane_missing_from_the_ballots_mask: [Sync],
        [BALLOTS.replace("enough", "vote.sync.ballot.b32 \t*, *, 2147483647;")];
}

bugs! {
    sum_f32_of_many_tiles: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, MANY_TILES;
    tag_not_compared: [Bits],
        [OWN_TAGS.replace("short", "selp.b32 \t*, 1, 1, *;\n\tmov.b64 \t{_,")];
    tag_not_sent_to_the_block: [Init],
        [in_each_half("st.shared.b32 \t[gpu_launch_sized_workgroup_mem+168], *;").remove("short")];
    epoch_not_incremented: [Bits],
        [STORES.replace("tickets", "st.relaxed.gpu.global.b64 [%g], 0;")];
}

bugs! {
    sum_f32_of_two_groups: "inclusive_scan_sum_f32", of_inclusive_scan::<Sum, f32>, TWO_GROUPS;
    last_tile_missing_in_the_next_groups_prefix: [Bits],
        [OWN_TILES.replace("short", "setp.lt.u32 \t*, *, *;\n\tmov.pred \t*, *;")];
    next_groups_prefix_published_by_a_plain_store: [Race],
        [STORES.replace("next group's prefix", PLAIN_STORE)];
    prefix_read_before_it_is_published: [Bits],
        [PREFIX_TAGS.replace("short", "selp.b32 \t*, 256, 256, *;\n\tor.b32 \t*, *, *;\n\tshr")];
    earlier_group_folded_without_a_tile: [Bits],
        [TAGS_BEFORE.replace("short", "selp.b32 \t*, 2, 2, *;")];
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
    tickets_not_reset_with_the_tags: [Bits],
        [STORES.remove("tickets with tags")];
    departure_not_acquired: [Race],
        [DEPARTURES.replace("short", "atom.release.gpu.global.add.u32")];
    departure_not_released: [Race],
        [DEPARTURES.replace("short", "atom.acquire.gpu.global.add.u32")];
}

bugs! {
    sum_u64: "inclusive_scan_sum_u64", of_inclusive_scan::<Sum, u64>, MANY_TILES;
    tag_of_the_upper_half_not_compared: [Bits],
        [BOTH_TAGS.replace(
            "short",
            "{ .reg .pred %x; mov.pred \t*, *; mov.pred %x, *; }\n\tselp.b32 \t*, 1, 0, *;",
        )];
}
