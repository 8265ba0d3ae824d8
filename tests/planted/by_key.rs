//! Bugs in a reduction by key whose kernel also finds the runs. The keys have short runs, many runs of one item, and runs that extend over
//! several windows.

use warpfold::Sum;

use crate::bug::bugs;
use crate::edit::{Edit, Places};
use crate::engine::SM_90;
use crate::trial::Check::{Hang, Memory, Race};
use crate::trial::{Circumstances, of_by_key_reduction};

/// The barriers, each named after the reads or writes that follow it.
const BARRIERS: Places = Places {
    pattern: "bar.sync \t0;",
    names: &["ticket", "bits", "look back", "words", "leaves", "last tag"],
};

/// The stores of state words and of the tickets.
const STORES: Places = Places {
    pattern: "st.relaxed.gpu.global.b64 [%g], *;",
    names: &["", "heads", "", "", "", "", "", "", "", "", ""],
};

const RUNS: Circumstances = Circumstances {
    generation: SM_90,
    multiprocessors: 1,
    item_count: 21_000,
    epoch: 0,
    windows_per_block: 1,
    span_shift: 0,
};

bugs! {
    sum_f32: "by_key_reduce_sum_f32", of_by_key_reduction::<Sum, f32>, RUNS;
    no_barrier_before_the_ticket_is_read: [Race],
        [BARRIERS.remove("ticket")];
    no_barrier_before_the_bits_are_read: [Race],
        [BARRIERS.remove("bits")];
    no_barrier_after_the_look_back: [Race],
        [BARRIERS.remove("look back")];
    no_barrier_before_the_words_are_read: [Race],
        [BARRIERS.remove("words")];
    no_barrier_before_the_leaves_are_read: [Race],
        [BARRIERS.remove("leaves")];
    copies_not_awaited: [Race],
        [Edit::remove("cp.async.wait_all;")];
    heads_not_published: [Hang],
        [STORES.remove("heads")];
    earlier_work_not_awaited: [Memory],
        [Edit::remove("griddepcontrol.wait;")];
}
