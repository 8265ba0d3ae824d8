//! Statements that access memory. Each thread has three slots of 16 bytes: one in shared, one in global, and one in local memory. A thread
//! accesses the slots of other threads only between two barriers. The results of these accesses do not depend on the order of the threads.

use super::generate::{Extent, Generator};
use super::hidden;
use super::kind::{Kind, Width};
use super::record::{BLOCK_THREADS, SLOT_OFFSET};

/// One of the statements of this file, chosen at random.
pub fn lines(g: &mut Generator<'_>, extent: Extent) -> Vec<String> {
    match (extent, g.random.below(8)) {
        (Extent::Block, 0) => exchange(g),
        (Extent::Block, 1) => histogram(g),
        (Extent::Block, 2) => count_at_barrier(g),
        (_, 0..=2) => atomic(g),
        (_, 3) => atomic(g),
        (_, 4) => copy_to_shared(g),
        (_, 5) => address_spaces(g),
        _ => repack(g),
    }
}

/// An atomic operation.
#[derive(Debug, Clone, Copy)]
pub struct Atomic {
    pub operation: &'static str,
    pub kind: Kind,
    /// The number of operands after the address.
    pub operands: usize,
}

impl Atomic {
    /// The instruction. `modifiers` are the order, the scope and the space.
    pub fn text(&self, modifiers: &str, d: &str, address: &str, operands: &[&str]) -> String {
        let Atomic {
            operation, kind, ..
        } = self;
        let operands = operands[..self.operands].join(", ");
        let n = kind.suffix();
        format!("atom{modifiers}.{operation}.{n} {d}, [{address}], {operands};")
    }

    /// The type with which the value at the address is stored before the operation, and loaded after it.
    pub fn bits(&self) -> &'static str {
        bits(self.kind)
    }
}

fn bits(kind: Kind) -> &'static str {
    match kind.width() {
        Width::Half => "b16",
        Width::Double => "b64",
        _ => "b32",
    }
}

/// The atomic operations of PTX, each for all of its types except 128-bit types and vectors.
pub const ATOMICS: [Atomic; 30] = {
    use Kind::*;
    const fn atomic(operation: &'static str, kind: Kind, operands: usize) -> Atomic {
        Atomic {
            operation,
            kind,
            operands,
        }
    }
    [
        atomic("and", B32, 1),
        atomic("or", B32, 1),
        atomic("xor", B32, 1),
        atomic("and", B64, 1),
        atomic("or", B64, 1),
        atomic("xor", B64, 1),
        atomic("exch", B32, 1),
        atomic("exch", B64, 1),
        atomic("cas", B16, 2),
        atomic("cas", B32, 2),
        atomic("cas", B64, 2),
        atomic("inc", U32, 1),
        atomic("dec", U32, 1),
        atomic("add", U32, 1),
        atomic("add", S32, 1),
        atomic("add", U64, 1),
        atomic("min", U32, 1),
        atomic("max", U32, 1),
        atomic("min", S32, 1),
        atomic("max", S32, 1),
        atomic("min", U64, 1),
        atomic("max", U64, 1),
        atomic("min", S64, 1),
        atomic("max", S64, 1),
        atomic("add", F32, 1),
        atomic("add", F64, 1),
        atomic("add.noftz", F16, 1),
        atomic("add.noftz", Bf16, 1),
        atomic("add.noftz", F16x2, 1),
        atomic("add.noftz", Bf16x2, 1),
    ]
};

/// An atomic operation on the thread's own slot. Registers receive the slot's old and new value.
fn atomic(g: &mut Generator<'_>) -> Vec<String> {
    let atomic = *g.random.pick(&g.catalogue.atomics);
    let slot = own_slot(g);
    let (space, address) = (slot.space, slot.at(0));
    let order = *g.random.pick(&[
        "",
        "",
        ".relaxed.cta",
        ".relaxed.gpu",
        ".acquire.gpu",
        ".release.gpu",
        ".acq_rel.cta",
        ".acq_rel.sys",
    ]);
    let kind = atomic.kind;
    let (before, d, after) = (g.register(kind), g.register(kind), g.register(kind));
    let operands = [g.register(kind), g.register(kind)];
    let n = atomic.bits();
    let mut lines = vec![
        format!("st{space}.{n} [{address}], {before};"),
        atomic.text(&format!("{order}{space}"), d, &address, &operands),
        format!("ld{space}.{n} {after}, [{address}];"),
    ];
    lines.extend(g.replace_nan(kind, after));
    lines
}

/// A thread's slot: 16 bytes in shared, global or local memory.
struct Slot {
    space: &'static str,
    base: &'static str,
    offset: usize,
}

impl Slot {
    /// The address of a byte of the slot.
    fn at(&self, byte: usize) -> String {
        format!("{}+{}", self.base, self.offset + byte)
    }
}

const LOCAL_SLOT: Slot = Slot {
    space: ".local",
    base: "stack",
    offset: 0,
};

/// The thread's own slot in a space that has atomic operations.
fn own_slot(g: &mut Generator<'_>) -> Slot {
    let (space, base, offset) = match g.random.once_in(2) {
        true => (".shared", "%slot", 0),
        false => (".global", "%out", SLOT_OFFSET),
    };
    Slot {
        space,
        base,
        offset,
    }
}

/// Writes a slot, and reads a part of it, often with another width.
fn repack(g: &mut Generator<'_>) -> Vec<String> {
    let slot = match g.random.once_in(3) {
        true => LOCAL_SLOT,
        false => own_slot(g),
    };
    let (space, start) = (slot.space, slot.at(0));
    let mut word = |kind| g.register(kind);
    let (a, b, c, d) = (
        word(Kind::B32),
        word(Kind::F32),
        word(Kind::B32),
        word(Kind::F32),
    );
    let (q, r) = (word(Kind::B64), word(Kind::F64));
    let store = match g.random.below(3) {
        0 => format!("st{space}.v4.b32 [{start}], {{{a}, {b}, {c}, {d}}};"),
        1 => format!("st{space}.v2.b64 [{start}], {{{q}, {r}}};"),
        _ => {
            let (h, i) = (g.register(Kind::B16), g.register(Kind::F16));
            let ((hide_c, c), (hide_d, d)) = (hidden::word(c, 0), hidden::word(d, 1));
            format!(
                "{hide_c} {hide_d} st{space}.v2.b32 [{start}], {{{a}, {b}}}; \
                 st{space}.v2.b16 [{}], {{{h}, {i}}}; \
                 st{space}.b16 [{}], {i}; st{space}.b8 [{}], {c}; st{space}.u8 [{}], {d};",
                slot.at(8),
                slot.at(12),
                slot.at(14),
                slot.at(15)
            )
        }
    };
    let at = |g: &mut Generator<'_>, bytes: usize| slot.at(bytes * g.random.below(16 / bytes));
    let (one, two, four, eight) = (at(g, 1), at(g, 2), at(g, 4), at(g, 8));
    let (d, h, q) = (
        g.register(Kind::B32),
        g.register(Kind::B16),
        g.register(Kind::B64),
    );
    let load = match g.random.below(9) {
        0 => format!("ld{space}.s8 {d}, [{one}];"),
        1 => format!("ld{space}.u8 {d}, [{one}];"),
        2 => format!("ld{space}.s16 {d}, [{two}];"),
        3 => format!("ld{space}.s8 {q}, [{one}];"),
        4 => format!("ld{space}.s32 {q}, [{four}];"),
        5 => format!("ld{space}.u16 {h}, [{two}];"),
        6 if space != ".local" => format!("ld.volatile{space}.b64 {q}, [{eight}];"),
        7 => format!("ld{space}.v4.u8 {{%t1, {d}, %t2, %t3}}, [{four}];"),
        _ => format!("ld{space}.v2.b32 {{%t1, {d}}}, [{eight}];"),
    };
    vec![store, load]
}

/// Reads another thread's value through shared memory.
fn exchange(g: &mut Generator<'_>) -> Vec<String> {
    let kind = *g
        .random
        .pick(&[Kind::B16, Kind::B32, Kind::F32, Kind::B64, Kind::F64]);
    let (n, a, d) = (bits(kind), g.register(kind), g.register(kind));
    let from = g.register(Kind::U32);
    let barrier = *g.random.pick(&[
        "bar.sync 0;",
        "barrier.sync 1;",
        "barrier.sync.aligned 2;",
        "bar.sync 3, 64;",
    ]);
    vec![
        format!("st.shared.{n} [%slot], {a};"),
        barrier.to_owned(),
        format!(
            "and.b32 %t1, {from}, {}; mov.u32 %t2, slots;",
            BLOCK_THREADS - 1
        ),
        "mad.lo.u32 %t1, %t1, 16, %t2;".to_owned(),
        format!("ld.shared.{n} {d}, [%t1];"),
        "bar.sync 0;".to_owned(),
    ]
}

/// All threads perform the same atomic operation on random slots of their block. The result does not depend on the order of the threads.
fn histogram(g: &mut Generator<'_>) -> Vec<String> {
    let (op, kind) = *g.random.pick(&[
        ("add.u32", Kind::U32),
        ("add.u64", Kind::U64),
        ("and.b32", Kind::B32),
        ("or.b32", Kind::B32),
        ("xor.b64", Kind::B64),
        ("min.s32", Kind::S32),
        ("max.u32", Kind::U32),
        ("min.u64", Kind::U64),
        ("max.s64", Kind::S64),
    ]);
    let (n, start, value) = (bits(kind), g.register(kind), g.register(kind));
    let (to, d) = (g.register(Kind::U32), g.register(kind));
    vec![
        format!("st.shared.{n} [%slot], {start};"),
        "bar.sync 0;".to_owned(),
        format!(
            "and.b32 %t1, {to}, {}; mov.u32 %t2, slots;",
            BLOCK_THREADS - 1
        ),
        "mad.lo.u32 %t1, %t1, 16, %t2;".to_owned(),
        format!("red.shared.{op} [%t1], {value};"),
        "bar.sync 0;".to_owned(),
        format!("ld.shared.{n} {d}, [%slot];"),
    ]
}

/// A barrier that also counts or combines predicates.
fn count_at_barrier(g: &mut Generator<'_>) -> Vec<String> {
    let (p, q) = (g.register(Kind::Predicate), g.register(Kind::Predicate));
    let d = g.register(Kind::B32);
    let not = if g.random.once_in(3) { "!" } else { "" };
    vec![match g.random.below(3) {
        0 => format!("bar.red.popc.u32 {d}, 0, {not}{p};"),
        1 => format!("bar.red.and.pred {q}, 0, {not}{p};"),
        _ => format!("barrier.red.or.pred {q}, 1, {not}{p};"),
    }]
}

/// An asynchronous copy from the input. The thread that began the copy waits for it.
fn copy_to_shared(g: &mut Generator<'_>) -> Vec<String> {
    let (copy, bytes) = *g
        .random
        .pick(&[("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)]);
    let wait = *g.random.pick(&[
        "cp.async.wait_all;",
        "cp.async.commit_group; cp.async.wait_group 0;",
    ]);
    let (d, at) = (g.register(Kind::B32), 4 * g.random.below(bytes / 4));
    vec![
        format!("cp.async.{copy}.shared.global [%slot], [%in+{SLOT_OFFSET}], {bytes};"),
        wait.to_owned(),
        format!("ld.shared.b32 {d}, [%slot+{at}];"),
    ]
}

/// Makes a generic address, asks whether it is in a certain space, and writes and reads a word through it.
fn address_spaces(g: &mut Generator<'_>) -> Vec<String> {
    let (a, d, p) = (
        g.register(Kind::B32),
        g.register(Kind::B32),
        g.register(Kind::Predicate),
    );
    let asked = *g.random.pick(&["global", "shared", "local"]);
    let make = match g.random.below(3) {
        0 => "cvt.u64.u32 %q1, %slot; cvta.shared.u64 %q1, %q1;".to_owned(),
        1 => format!("add.u64 %q1, %out, {SLOT_OFFSET}; cvta.global.u64 %q1, %q1;"),
        _ => "mov.u64 %q1, stack; cvta.local.u64 %q1, %q1;".to_owned(),
    };
    vec![
        make,
        format!("st.b32 [%q1], {a}; isspacep.{asked} {p}, %q1; ld.b32 {d}, [%q1];"),
    ]
}
