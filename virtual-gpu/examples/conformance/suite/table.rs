//! One kernel for each form of an instruction. Each *item* of its input is one set of operands. The items depend on the operands of the
//! instruction:
//!
//! - One operand of 16 bits: an item for each of the 65,536 values, and random items.
//! - One operand of another width: an item for each special value, and random items.
//! - Two operands: an item for each pair of special values, and random items.
//! - More operands: random items only.
//!
//! Operands with unspecified results are included, to learn the hardware's results.

use super::case::Case;
use super::catalogue::{Catalogue, Row};
use super::kind::{Kind, Width};
use super::memory_ops::Atomic;
use super::random::{Random, hash};

const THREADS: u32 = 128;
/// Bytes of an item's operands.
pub const INPUT_BYTES: usize = 32;
/// Bytes of an item's results.
pub const OUTPUT_BYTES: usize = 16;
/// At least this many random items are added for an instruction with one or two operands.
const RANDOM_ITEMS: usize = 2048;
/// An instruction with more than two operands gets at least this many random items.
const SAMPLED_ITEMS: usize = 8192;

/// The kernel for a form of an instruction.
pub fn row_case(row: &Row) -> Case {
    let mut body = String::new();
    let mut names = Names::default();
    let mut sources = Vec::new();
    for (i, &kind) in row.sources.iter().enumerate() {
        let register = names.next(kind.width());
        body.push_str(&load(&register, kind, 8 * i));
        sources.push(register);
    }
    let targets: Vec<_> = row.targets.iter().map(|t| names.next(t.width())).collect();
    body.push_str(&row.text(&targets, &sources));
    body.push('\n');
    for (i, (register, kind)) in targets.iter().zip(&row.targets).enumerate() {
        body.push_str(&store(register, *kind, 8 * i));
    }
    case(row.name(), &body, &row.sources)
}

/// The kernel for an atomic operation in an address space. Its results are the returned value and the stored value.
pub fn atomic_case(atomic: &Atomic, space: &str) -> Case {
    let mut names = Names::default();
    let kinds = vec![atomic.kind; atomic.operands + 1];
    let mut body = String::new();
    let mut sources = Vec::new();
    for (i, &kind) in kinds.iter().enumerate() {
        let register = names.next(kind.width());
        body.push_str(&load(&register, kind, 8 * i));
        sources.push(register);
    }
    let d = names.next(atomic.kind.width());
    let n = atomic.bits();
    let cell = match space {
        ".shared" => {
            body.push_str(
                "mov.u32 %t0, %tid.x; mov.u32 %t1, cells; mad.lo.u32 %t0, %t0, 8, %t1;\n",
            );
            "%t0"
        }
        _ => {
            body.push_str("add.u64 %q0, %out, 8; mov.u64 %q1, 0; st.global.u64 [%q0], %q1;\n");
            "%q0"
        }
    };
    let operands: Vec<&str> = sources.iter().map(String::as_str).collect();
    body.push_str(&format!("st{space}.{n} [{cell}], {};\n", operands[0]));
    body.push_str(&atomic.text(space, &d, cell, &operands[1..]));
    body.push_str(&format!("\nld{space}.{n} {}, [{cell}];\n", operands[0]));
    body.push_str(&store(&d, atomic.kind, 0));
    body.push_str(&store(operands[0], atomic.kind, 8));
    case(atomic_name(atomic, space), &body, &kinds)
}

fn atomic_name(atomic: &Atomic, space: &str) -> String {
    format!("atom{space}.{}.{}", atomic.operation, atomic.kind.suffix())
}

/// Every kernel of the table whose name contains `filter`.
pub fn cases(catalogue: &Catalogue, filter: &str) -> Vec<Case> {
    let Catalogue { rows, atomics } = catalogue;
    let rows = rows.iter().filter(|row| row.name().contains(filter));
    let spaces = [".global", ".shared"].into_iter();
    let atomics = spaces.flat_map(|space| atomics.iter().map(move |atomic| (atomic, space)));
    let atomics = atomics.filter(|(atomic, space)| atomic_name(atomic, space).contains(filter));
    let of_atomics = atomics.map(|(atomic, space)| atomic_case(atomic, space));
    rows.map(row_case).chain(of_atomics).collect()
}

/// Describes the operands and results of the item at an offset of the output.
pub fn describe(case: &Case, offset: usize, expected: &[u8], got: &[u8]) -> String {
    let item = offset / OUTPUT_BYTES;
    let words = |bytes: &[u8]| -> String {
        let word = |bytes: &[u8]| {
            format!(
                "{:x}",
                u64::from_le_bytes(bytes.try_into().unwrap_or_default())
            )
        };
        bytes.chunks(8).map(word).collect::<Vec<_>>().join(" ")
    };
    let sources = words(&case.input[item * INPUT_BYTES..][..INPUT_BYTES]);
    let results = |output: &[u8]| words(&output[item * OUTPUT_BYTES..][..OUTPUT_BYTES]);
    format!(
        "operands {sources}: {} here, {} there",
        results(expected),
        results(got)
    )
}

fn case(name: String, body: &str, kinds: &[Kind]) -> Case {
    let entry = format!("form_{:016x}", hash(name.as_bytes()));
    let input = items(kinds, &mut Random::new(hash(name.as_bytes())));
    let count = input.len() / INPUT_BYTES;
    let text = format!(
        ".visible .entry {entry}(.param .u64 input, .param .u64 output)\n{{\n\
         .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>, %t<4>; .reg .b64 %d<8>, %q<4>;\n\
         .reg .b64 %in, %out; .shared .align 8 .b8 cells[{}];\n\
         ld.param.u64 %in, [input]; ld.param.u64 %out, [output];\n\
         mov.u32 %t0, %ctaid.x; mov.u32 %t1, %tid.x; mad.lo.u32 %t0, %t0, {THREADS}, %t1;\n\
         mad.wide.u32 %in, %t0, {INPUT_BYTES}, %in; mad.wide.u32 %out, %t0, {OUTPUT_BYTES}, %out;\n\
         {body}ret;\n}}\n",
        8 * THREADS
    );
    Case {
        name,
        entry,
        text,
        output_bytes: count * OUTPUT_BYTES,
        input,
        blocks: count as u32 / THREADS,
        threads: THREADS,
    }
}

/// Gives names of registers, each name only once.
#[derive(Default)]
struct Names(usize);

impl Names {
    fn next(&mut self, width: Width) -> String {
        let letter = match width {
            Width::Predicate => 'p',
            Width::Half => 'h',
            Width::Word => 'r',
            Width::Double => 'd',
        };
        self.0 += 1;
        format!("%{letter}{}", self.0)
    }
}

fn load(register: &str, kind: Kind, offset: usize) -> String {
    match kind.width() {
        Width::Predicate => {
            format!("ld.global.u32 %t2, [%in+{offset}]; setp.ne.u32 {register}, %t2, 0;\n")
        }
        Width::Half => format!("ld.global.b16 {register}, [%in+{offset}];\n"),
        Width::Word => format!("ld.global.b32 {register}, [%in+{offset}];\n"),
        Width::Double => format!("ld.global.b64 {register}, [%in+{offset}];\n"),
    }
}

fn store(register: &str, kind: Kind, offset: usize) -> String {
    let widen = match kind.width() {
        Width::Predicate => format!("selp.u64 %q3, 1, 0, {register};"),
        Width::Half => format!("cvt.u64.u16 %q3, {register};"),
        Width::Word => format!("cvt.u64.u32 %q3, {register};"),
        Width::Double => format!("mov.b64 %q3, {register};"),
    };
    format!("{widen} st.global.b64 [%out+{offset}], %q3;\n")
}

/// The operands of all items. With one or two operands, at least [`RANDOM_ITEMS`] items are random. With more operands, all items are
/// random, and there are at least [`SAMPLED_ITEMS`]. The number of items is a multiple of the number of threads in a block.
fn items(kinds: &[Kind], random: &mut Random) -> Vec<u8> {
    let mut items: Vec<Vec<u64>> = Vec::new();
    match kinds {
        [kind] if kind.width() == Width::Half => items.extend((0..=0xffff).map(|v| vec![v])),
        [kind] => items.extend(kind.special_values().into_iter().map(|v| vec![v])),
        [a, b] => {
            let second = b.special_values();
            for v in a.special_values() {
                items.extend(second.iter().map(|&w| vec![v, w]));
            }
        }
        _ => {}
    }
    let missing = match kinds.len() {
        1 | 2 => RANDOM_ITEMS,
        _ => SAMPLED_ITEMS,
    };
    let whole = (items.len() + missing).next_multiple_of(THREADS as usize);
    let special: Vec<_> = kinds.iter().map(|kind| kind.special_values()).collect();
    while items.len() < whole {
        let mut value = |(kind, special): (&Kind, &Vec<u64>)| kind.random_among(special, random);
        items.push(kinds.iter().zip(&special).map(&mut value).collect());
    }
    let mut bytes = vec![0; items.len() * INPUT_BYTES];
    for (record, item) in bytes.chunks_exact_mut(INPUT_BYTES).zip(&items) {
        for (place, value) in record.chunks_exact_mut(8).zip(item) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }
    bytes
}
