//! Bugs in reductions of five tiles. The last tile is partial.

use warpfold::{Product, Sum};

use crate::bug::bugs;
use crate::edit::{Edit, Places};
use crate::engine::SM_90;
use crate::trial::Check::{Bits, Hang, Init, Memory, Race, Sync};
use crate::trial::{Circumstances, of_reduction};

/// The barriers, named after the reads or writes that follow them.
const BARRIERS: Places = Places {
    pattern: "bar.sync \t0;",
    names: &["totals", "next totals", "last block's totals"],
};

/// The stores of state words and of the tickets. The unnamed stores are for launches with the last tag.
const STORES: Places = Places {
    pattern: "st.relaxed.gpu.global.b64 [%g], *;",
    names: &["partial", "tickets", "", ""],
};

/// The loads of state words. The named load reads a partial in a reduction with few partials. The unnamed loads are
/// for reductions with many partials.
const LOADS: Places = Places {
    pattern: "ld.relaxed.gpu.global.b64",
    names: &["partial", "", "", "", "", "", "", "", ""],
};

/// The comparisons before branches. The last one compares a partial's tag.
const COMPARISONS: Places = Places {
    pattern: "setp.eq.b32 \t*, *, *;\n\t@* bra",
    names: &["", "tag"],
};

/// The reads of the launch's tag from the block's shared memory.
const TAGS: Places = Places {
    pattern: "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+32804];",
    names: &["published", ""],
};

/// The first shuffles of the trees by which warps combine their lanes' values.
const SHUFFLES: Places = Places {
    pattern: ", 16, 31, -1;",
    names: &["warp's", "last block's"],
};

/// The instructions that put an identity in a register.
const ONES: Places = Places {
    pattern: "mov.b32 *, 1065353216;",
    names: &["", "missing items"],
};

const FIVE_TILES: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 4 * 8192 + 2347,
    epoch: 0,
    windows_per_block: 1,
    span_shift: 0,
};

bugs! {
    sum_f32: "reduce_sum_f32", of_reduction::<Sum, f32>, FIVE_TILES;
    no_barrier_before_the_totals_are_read: [Race],
        [BARRIERS.remove("totals")];
    no_barrier_before_the_totals_are_written_again: [Race],
        [BARRIERS.remove("next totals")];
    no_barrier_before_the_last_blocks_totals_are_read: [Race],
        [BARRIERS.remove("last block's totals")];
    partial_published_by_a_plain_store: [Race],
        [STORES.replace("partial", "st.global.b64 [%g], *;")];
    partial_read_by_a_plain_load: [Race],
        [LOADS.replace("partial", "ld.global.b64")];
    partial_published_in_halves_tag_first: [Race],
        [STORES.replace(
            "partial",
            "{ .reg .b32 %l, %h; mov.b64 {%l, %h}, *; \
             st.relaxed.gpu.global.b32 [%g+4], %h; st.relaxed.gpu.global.b32 [%g], %l; }",
        )];
    partial_published_in_another_blocks_slot: [Hang],
        [STORES.replace("partial", "st.relaxed.gpu.global.b64 [%g+8], *;")];
    partial_not_published: [Hang],
        [STORES.remove("partial")];
    tag_not_compared: [Bits],
        [COMPARISONS.replace(
            "tag",
            "{ .reg .b32 %a; setp.eq.b32 \t*, 0, 0; sub.u32 %a, *, *; }\n\t@* bra",
        )];
    tag_read_from_a_wrong_address: [Hang],
        [TAGS.replace(
            "published",
            "ld.shared.b32 \t*, [gpu_launch_sized_workgroup_mem+32800];",
        )];
    ticket_not_sent_to_the_block: [Init],
        [Edit::remove("st.shared.v2.b32 \t[gpu_launch_sized_workgroup_mem+32800], {*, *};")];
    tickets_not_reset: [Bits],
        [STORES.remove("tickets")];
    epoch_not_incremented: [Bits],
        [STORES.replace("tickets", "st.relaxed.gpu.global.b64 [%g], 0;")];
    one_item_too_many_at_the_end: [Memory],
        [Edit::replace(
            "setp.ge.u32 \t*, *, *;\n\tmov.b32 \t*, *;\n\t@* bra \t$*;\n\tld.global.b32 \t*, [*+12];",
            "setp.gt.u32 \t*, *, *;\n\tmov.b32 \t*, *;\n\t@* bra \t$*;\n\tld.global.b32 \t*, [*+12];",
        )];
    earlier_work_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
    half_a_warp_in_the_member_mask: [Sync],
        [SHUFFLES.replace("warp's", ", 16, 31, 65535;")];
}

bugs! {
    product_f32: "reduce_product_f32", of_reduction::<Product, f32>, FIVE_TILES;
    missing_items_are_not_identities: [Bits],
        [ONES.replace("missing items", "mov.b32 *, 1073741824;")];
}
