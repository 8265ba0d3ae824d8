//! Statements that the catalogue lacks: exchanges and barriers within a warp, carry chains, calls, packing, special registers. Each
//! statement is one instruction, or several instructions that belong together.

use super::generate::{Extent, Generator};
use super::kernel::MEMBERS;
use super::kind::Kind;

/// One of the statements of this file, chosen at random.
pub fn lines(g: &mut Generator<'_>, extent: Extent) -> Vec<String> {
    match g.random.below(11) {
        0 | 1 if extent == Extent::Block => shuffle(g),
        0..=2 => shuffle_from_member(g),
        3 => vote(g),
        4 => find_equal(g),
        5 => reduce(g),
        6 => carry_chain(g),
        7 => call(g),
        8 => pack(g),
        9 => special_register(g),
        _ => vec![format!("bar.warp.sync {MEMBERS};")],
    }
}

/// A shuffle by a random distance, within groups of lanes. The size of the groups is random too. All lanes of the warp take part.
fn shuffle(g: &mut Generator<'_>) -> Vec<String> {
    let mode = *g.random.pick(&["up", "down", "bfly", "idx"]);
    let segment = *g.random.pick(&[0, 16, 24, 28, 30, 31]) << 8;
    let end = match g.random.once_in(5) {
        true => g.random.below(32),
        false if mode == "up" => 0,
        false => 31,
    };
    let distance = match g.random.once_in(2) {
        true => g.random.below(32).to_string(),
        false => g.register(Kind::U32).to_owned(),
    };
    let (d, p, a) = (
        g.register(Kind::B32),
        g.register(Kind::Predicate),
        g.register(Kind::B32),
    );
    let c = segment | end;
    vec![format!(
        "shfl.sync.{mode}.b32 {d}|{p}, {a}, {distance}, {c}, {MEMBERS};"
    )]
}

/// A shuffle in which each lane chooses a lane at random. If the chosen lane takes part, the choosing lane gets the chosen lane's value.
/// Otherwise, the choosing lane gets its own value.
fn shuffle_from_member(g: &mut Generator<'_>) -> Vec<String> {
    let (d, a, from) = (
        g.register(Kind::B32),
        g.register(Kind::B32),
        g.register(Kind::U32),
    );
    vec![
        format!("and.b32 %t1, {from}, 31; shr.u32 %t2, {MEMBERS}, %t1; and.b32 %t2, %t2, 1;"),
        "setp.ne.u32 %s1, %t2, 0; mov.u32 %t2, %laneid; selp.u32 %t1, %t1, %t2, %s1;".to_owned(),
        format!("shfl.sync.idx.b32 {d}, {a}, %t1, 31, {MEMBERS};"),
    ]
}

fn vote(g: &mut Generator<'_>) -> Vec<String> {
    let p = g.register(Kind::Predicate);
    let not = if g.random.once_in(3) { "!" } else { "" };
    let (op, d) = match g.random.below(4) {
        0 => ("all.pred", g.register(Kind::Predicate)),
        1 => ("any.pred", g.register(Kind::Predicate)),
        2 => ("uni.pred", g.register(Kind::Predicate)),
        _ => ("ballot.b32", g.register(Kind::B32)),
    };
    vec![format!("vote.sync.{op} {d}, {not}{p}, {MEMBERS};")]
}

/// `match.sync`, on few or on many distinct values.
fn find_equal(g: &mut Generator<'_>) -> Vec<String> {
    let kind = *g.random.pick(&[Kind::B32, Kind::B64]);
    let (n, a, d) = (kind.suffix(), g.register(kind), g.register(Kind::B32));
    let few = match kind {
        Kind::B32 => "%t1",
        _ => "%q1",
    };
    let few_line = format!("and.{n} {few}, {a}, 3;");
    match g.random.below(4) {
        0 => vec![format!("match.any.sync.{n} {d}, {a}, {MEMBERS};")],
        1 => vec![
            few_line,
            format!("match.any.sync.{n} {d}, {few}, {MEMBERS};"),
        ],
        2 => {
            let p = g.register(Kind::Predicate);
            vec![format!("match.all.sync.{n} {d}|{p}, {a}, {MEMBERS};")]
        }
        _ => {
            let p = g.register(Kind::Predicate);
            let line = format!("match.all.sync.{n} {d}|{p}, {few}, {MEMBERS};");
            vec![few_line, line]
        }
    }
}

fn reduce(g: &mut Generator<'_>) -> Vec<String> {
    let op = *g.random.pick(&[
        "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32",
        "xor.b32",
    ]);
    let (d, a) = (g.register(Kind::B32), g.register(Kind::B32));
    vec![format!("redux.sync.{op} {d}, {a}, {MEMBERS};")]
}

/// A chain of additions, subtractions or products with carry.
fn carry_chain(g: &mut Generator<'_>) -> Vec<String> {
    let kind = *g.random.pick(&[Kind::U32, Kind::U64]);
    let (n, part) = (kind.suffix(), *g.random.pick(&["lo", "hi"]));
    let (first, middle, last) = match g.random.below(3) {
        0 => ("add.cc".to_owned(), "addc.cc".to_owned(), "addc".to_owned()),
        1 => ("sub.cc".to_owned(), "subc.cc".to_owned(), "subc".to_owned()),
        _ => (
            format!("mad.{part}.cc"),
            format!("madc.{part}.cc"),
            format!("madc.{part}"),
        ),
    };
    let count = if first.starts_with("mad") { 3 } else { 2 };
    [first, middle, last]
        .into_iter()
        .map(|opcode| {
            let d = g.register(kind);
            let sources: Vec<_> = (0..count).map(|_| g.register(kind)).collect();
            format!("{opcode}.{n} {d}, {};", sources.join(", "))
        })
        .collect()
}

/// A call of one of the module's functions.
fn call(g: &mut Generator<'_>) -> Vec<String> {
    let (name, first, result) = match g.random.once_in(2) {
        true => ("mix", Kind::B32, Kind::B32),
        false => ("choose", Kind::B64, Kind::B64),
    };
    let (a, b, d) = (g.register(first), g.register(Kind::B64), g.register(result));
    let (n, m) = (first.suffix(), result.suffix());
    vec![
        format!("{{ .param .{n} a; .param .b64 b; .param .{m} result;"),
        format!("st.param.{n} [a], {a}; st.param.b64 [b], {b};"),
        format!("call (result), {name}, (a, b);"),
        format!("ld.param.{m} {d}, [result]; }}"),
    ]
}

/// Packs registers, or parts of registers, into a wider register, or swaps the parts of a register.
fn pack(g: &mut Generator<'_>) -> Vec<String> {
    let (h, i) = (g.register(Kind::B16), g.register(Kind::B16));
    let (r, s, d) = (
        g.register(Kind::B32),
        g.register(Kind::B32),
        g.register(Kind::B64),
    );
    vec![match g.random.below(4) {
        0 => format!("mov.b32 {r}, {{{h}, {i}}};"),
        1 => format!("mov.b64 {d}, {{{r}, {s}}};"),
        2 => format!(
            "mov.b32 {{%g0, %g1}}, {r}; mov.b16 {h}, %g1; mov.b64 {d}, {{%g1, {h}, {i}, %g0}};"
        ),
        _ => format!("mov.b64 {{%t1, %t2}}, {d}; mov.b32 {r}, %t2; mov.b64 {d}, {{%t2, %t1}};"),
    }]
}

fn special_register(g: &mut Generator<'_>) -> Vec<String> {
    let name = *g.random.pick(&[
        "laneid",
        "tid.x",
        "tid.y",
        "ntid.x",
        "ctaid.x",
        "nctaid.x",
        "lanemask_eq",
        "lanemask_lt",
        "lanemask_le",
        "lanemask_gt",
        "lanemask_ge",
    ]);
    vec![format!("mov.u32 {}, %{name};", g.register(Kind::B32))]
}
