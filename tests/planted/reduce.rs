//! Bugs in reductions: five tiles, of which the last ends early.

use warpfold::{Product, Sum};

use crate::bug::bugs;
use crate::edit::Edit;
use crate::engine::SM_90;
use crate::trial::Check::{Bits, Hang, Init, Memory, Race, Sync};
use crate::trial::{Circumstances, of_reduction};

const BARRIER: &str = "bar.sync \t0;";
const LOAD_WORD: &str = "ld.relaxed.gpu.global.b64";
const STORE_WORD: &str = "st.relaxed.gpu.global.b64 [%g], *;";

/// The stores that publish a partial, and that set the tickets back for the next launch; the others clear the state words.
const PUBLISH: (usize, usize) = (1, 4);
const RESTART: (usize, usize) = (2, 4);

/// The load of a partial where there are few; the others are of reductions with many.
const READ: (usize, usize) = (1, 9);

/// The comparison of that partial's tag, among the comparisons that are branched on.
const TAG_OF_READ: (usize, usize) = (2, 2);

const FIVE_TILES: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 4 * 8192 + 2347,
    epoch: 0,
};

bugs! {
    sum_f32: "reduce_sum_f32", of_reduction::<Sum, f32>, FIVE_TILES;
    no_barrier_before_the_totals_are_read: [Race],
        [Edit::remove(BARRIER).nth(1, 3)];
    no_barrier_before_the_totals_are_written_again: [Race],
        [Edit::remove(BARRIER).nth(2, 3)];
    no_barrier_before_the_last_blocks_totals_are_read: [Race],
        [Edit::remove(BARRIER).nth(3, 3)];
    partial_published_by_a_plain_store: [Race],
        [Edit::replace(STORE_WORD, "st.global.b64 [%g], *;").nth(PUBLISH.0, PUBLISH.1)];
    partial_read_by_a_plain_load: [Race],
        [Edit::replace(LOAD_WORD, "ld.global.b64").nth(READ.0, READ.1)];
    partial_published_in_halves_tag_first: [Race],
        [Edit::replace(
            STORE_WORD,
            "{ .reg .b32 %l, %h; mov.b64 {%l, %h}, *; \
             st.relaxed.gpu.global.b32 [%g+4], %h; st.relaxed.gpu.global.b32 [%g], %l; }",
        ).nth(PUBLISH.0, PUBLISH.1)];
    partial_published_in_anothers_slot: [Hang],
        [Edit::replace(STORE_WORD, "st.relaxed.gpu.global.b64 [%g+8], *;").nth(PUBLISH.0, PUBLISH.1)];
    partial_not_published: [Hang],
        [Edit::remove(STORE_WORD).nth(PUBLISH.0, PUBLISH.1)];
    tag_not_looked_at: [Bits],
        [Edit::replace(
            "setp.eq.b32 \t*, *, *;\n\t@* bra",
            "{ .reg .b32 %a; setp.eq.b32 \t*, 0, 0; sub.u32 %a, *, *; }\n\t@* bra",
        ).nth(TAG_OF_READ.0, TAG_OF_READ.1)];
    tag_taken_from_anothers_place: [Hang],
        [Edit::replace(
            "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+32804];",
            "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+32800];",
        ).nth(1, 2)];
    ticket_not_handed_to_the_block: [Init],
        [Edit::remove("st.shared.v2.b32 \t[gpu_launch_sized_workgroup_mem+32800], {*, *};")];
    tickets_not_set_back: [Bits],
        [Edit::remove(STORE_WORD).nth(RESTART.0, RESTART.1)];
    epoch_not_moved_on: [Bits],
        [Edit::replace(STORE_WORD, "st.relaxed.gpu.global.b64 [%g], 0;").nth(RESTART.0, RESTART.1)];
    one_item_too_many_at_the_end: [Memory],
        [Edit::replace(
            "setp.ge.u32 \t*, *, *;\n\tmov.b32 \t*, *;\n\t@* bra \t$*;\n\tld.global.b32 \t*, [*+12];",
            "setp.gt.u32 \t*, *, *;\n\tmov.b32 \t*, *;\n\t@* bra \t$*;\n\tld.global.b32 \t*, [*+12];",
        )];
    work_before_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
    half_a_warp_in_the_member_mask: [Sync],
        [Edit::replace(", 16, 31, -1;", ", 16, 31, 65535;").nth(1, 2)];
}

bugs! {
    product_f32: "reduce_product_f32", of_reduction::<Product, f32>, FIVE_TILES;
    missing_items_are_not_identities: [Bits],
        [Edit::replace("mov.b32 *, 1065353216;", "mov.b32 *, 1073741824;").nth(2, 2)];
}
