//! What must hold of the PTX, whatever the compiler did: the table's entries and no others, no local memory,
//! no panic path, wide loads and stores, and as many barriers as the source has.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use half::{bf16, f16};
use warpfold_kernels::contract::{ScanTiles, THREAD_VECTORS};
use warpfold_kernels::op::*;
use warpfold_kernels::tuning;

use crate::bounds::SELECTIONS;
use crate::finish::entry_name;
use crate::narrow::narrow_store_of_float;
use crate::part::Part;
use crate::without_early::{FOR_8_0, without_early};

/// The compiler that made a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// rustc with its own NVPTX back end.
    Rustc,
    /// rust-cuda's. It puts the numbers of barriers and of threads in registers, save those of the block's own barrier.
    RustCuda,
}

/// Barriers, and how many of each there are: without spaces, and without the numbers of registers.
type Barriers = BTreeMap<String, usize>;

/// Barriers in the source of a reduction: block combine of a chunk, reuse of its scratch, block combine of the partials.
const REDUCE_BARRIERS: [(&str, usize); 1] = [("bar.sync0;", 3)];

/// Barriers in the source of a scan, for short ones and for long ones: the first ticket; the warps' totals; tiles told,
/// and that there is no more, which the warp that looks back hears before the first look-back, and after one or, where scans
/// are long, before it; prefixes told.
const SCAN_BARRIERS: [(&str, usize); 11] = [
    ("bar.sync0;", 2),
    ("bar.sync1,256;", 1),
    ("bar.sync1,512;", 1),
    ("bar.arrive2,64;", 2),
    ("bar.arrive%r,64;", 4),
    ("bar.sync2,64;", 2),
    ("bar.sync%r,64;", 3),
    ("bar.arrive%r,288;", 1),
    ("bar.sync%r,288;", 1),
    ("bar.arrive%r,544;", 1),
    ("bar.sync%r,544;", 1),
];

/// Barriers in the source of a segmented reduction: the ticket, the windows' borders, the works; a work's items, its slots, its leaves,
/// its nodes; before the next work takes the work's place, or other blocks hear of it; the last tag.
const SEGMENTED_REDUCE_BARRIERS: usize = 9;

/// Barriers in the source of a segmented scan: the same; a chunk's total, what stands before the
/// chunk, before nodes, before leaves; results.
const SEGMENTED_SCAN_BARRIERS: usize = 14;

/// Barriers in the source of a reduction of columns: the ticket, the leaves; what other blocks have told, before and after its reads;
/// the last tag.
const COLUMNS_REDUCE_BARRIERS: usize = 5;

/// Barriers in the source of a scan of columns: the same, and twice more for what stands before the chunks, which is told the block.
const COLUMNS_SCAN_BARRIERS: usize = 8;

/// Barriers in the source of a selection: the first ticket; the warps' shares; tiles told, and that there is no more, which the
/// warp that looks back hears before its first look-back and after each; prefixes told.
const SELECTION_BARRIERS: [(&str, usize); 7] = [
    ("bar.sync0;", 1),
    ("bar.sync1,512;", 1),
    ("bar.arrive%r,64;", 2),
    ("bar.sync2,64;", 1),
    ("bar.sync%r,64;", 1),
    ("bar.arrive%r,544;", 1),
    ("bar.sync%r,544;", 1),
];

/// What a kernel loads to registers, past the caches or not, copies to shared memory and stores, 16 bytes each.
#[derive(Debug, PartialEq)]
struct Accesses {
    streams: usize,
    loads: usize,
    copies: usize,
    stores: usize,
}

/// A reduction loads a thread's vectors of a whole tile at once, in either way, and those of a ragged one in a loop; where
/// missing items are left out, of a ragged and of a misaligned one in two loops.
const REDUCTIONS: [Accesses; 2] = [reduction(1), reduction(2)];

const fn reduction(loops: usize) -> Accesses {
    Accesses {
        streams: THREAD_VECTORS,
        loads: THREAD_VECTORS + loops,
        copies: 0,
        stores: 0,
    }
}

/// Vectors of a thread in a tile of a short scan and in one of a long scan, of a row of the table.
fn scan_rows(symbol: &str) -> Option<usize> {
    macro_rules! tiles {
        ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
            &[$((stringify!($symbol), tuning::scan::tiles::<$op, $t>())),*]
        };
    }
    const TILES: &[(&str, ScanTiles)] = warpfold_kernels::for_each_kernel!(tiles);
    let (_, tiles) = TILES.iter().find(|(name, _)| *name == symbol)?;
    Some(tiles.short.rows + tiles.long.rows)
}

/// Stores of a scan, for short ones and for long ones: of a whole tile at once, and of one that is not, in a loop.
fn scan_stores(rows: usize) -> usize {
    rows + 2
}

/// So does a scan load where copies are not asynchronous, for short ones and for long ones; and it stores.
///
/// Else it copies: a block's first tile, and its next, before or after another has left. A ragged tile's vectors are copied
/// in a loop, or, where items are too narrow to be copied themselves, loaded.
fn scans(rows: usize) -> [Accesses; 3] {
    let accesses = |streams, loads, copies| Accesses {
        streams,
        loads,
        copies,
        stores: scan_stores(rows),
    };
    [
        accesses(rows, 2, 0),
        accesses(0, 0, 3 * (rows + 2)),
        accesses(0, 3 * 2, 3 * rows),
    ]
}

/// Checks a whole text of the library that ships, and, if it is for 9.0, what the library makes of it for 8.0.
pub fn inspect_library(text: &str) -> Result<()> {
    inspect(text, Part::Library)?;
    match without_early(text, &FOR_8_0) {
        Some(text) => inspect(&text, Part::Library),
        None => Ok(()),
    }
}

/// Checks a whole text that ships.
pub fn inspect(text: &str, part: Part) -> Result<()> {
    inspect_kernels(text, part, Compiler::Rustc, &part.symbols())
}

/// Checks a whole text, of some kernels of the part.
pub fn inspect_kernels(text: &str, part: Part, compiler: Compiler, symbols: &[&str]) -> Result<()> {
    let may_begin_early = text.contains("\n.target sm_90\n");
    ensure!(
        part == Part::Nested || !text.lines().any(|line| line.starts_with(".global")),
        "a table is in global memory: a choice of values that the compiler has made one"
    );
    let mut found = BTreeSet::new();
    let mut rest = text;
    while let Some(start) = rest.find(".visible .entry ") {
        let end = rest[start..].find("\n}").map(|end| start + end);
        let entry = &rest[start..end.unwrap_or(rest.len())];
        let name = entry.lines().next().and_then(entry_name).unwrap_or("");
        forbid(name, entry, part.forbidden(compiler))?;
        let store = narrow_store_of_float(entry);
        ensure!(
            store.is_none(),
            "{name} stores low bits of a float: {store:?}"
        );
        if part == Part::Library {
            inspect_entry(name, entry, compiler)?;
            ensure!(
                waits_first(entry) == may_begin_early,
                "{name} and the work before it: begins early {may_begin_early}, waits first {}",
                waits_first(entry)
            );
        }
        found.insert(name);
        rest = &rest[start + entry.len()..];
    }
    let expected: BTreeSet<&str> = symbols.iter().copied().collect();
    ensure!(
        found == expected,
        "entries differ from the table: missing {:?}, extra {:?}",
        expected.difference(&found).collect::<Vec<_>>(),
        found.difference(&expected).collect::<Vec<_>>()
    );
    Ok(())
}

/// What no kernel may contain.
fn forbid(name: &str, entry: &str, forbidden: &[&str]) -> Result<()> {
    for forbidden in forbidden {
        ensure!(!entry.contains(*forbidden), "{name} contains `{forbidden}`");
    }
    Ok(())
}

/// What a kernel of the library has to be.
fn inspect_entry(name: &str, entry: &str, compiler: Compiler) -> Result<()> {
    let count = |needle: &str| entry.matches(needle).count();
    let found = Accesses {
        streams: count("ld.global.L1::no_allocate.v4.b32"),
        loads: count("ld.global.v4.b32"),
        copies: count("cp.async.cg.shared.global"),
        stores: count("st.global.v4.b32"),
    };
    if name.starts_with("segmented_") {
        let count = match name.starts_with("segmented_scan_") {
            true => SEGMENTED_SCAN_BARRIERS,
            false => SEGMENTED_REDUCE_BARRIERS,
        };
        let barriers = [("bar.sync0;", count)];
        return inspect_barriers(name, entry, compiler, &barriers);
    }
    if name.starts_with("columns_") {
        let barriers = match name.starts_with("columns_scan_") {
            true => COLUMNS_SCAN_BARRIERS,
            false => COLUMNS_REDUCE_BARRIERS,
        };
        return inspect_barriers(name, entry, compiler, &[("bar.sync0;", barriers)]);
    }
    if SELECTIONS.iter().any(|begin| name.starts_with(begin)) {
        return inspect_barriers(name, entry, compiler, &SELECTION_BARRIERS);
    }
    if name.contains("_scan_") {
        let rows = scan_rows(name).with_context(|| format!("{name} is no row of the table"))?;
        let is_as_expected = match widens(name) {
            // The items of 16 bytes of results are fewer bytes.
            true => found.stores == scan_stores(rows),
            false => scans(rows).contains(&found),
        };
        ensure!(is_as_expected, "{name} has {found:?}");
        return inspect_barriers(name, entry, compiler, &SCAN_BARRIERS);
    }
    let is_as_expected = match name.starts_with("reduce_pairs_") {
        // Of each input come 8 bytes of a vector. rust-cuda's compiler loads items of 2 bytes one by one.
        true => {
            let comes_whole = count("ld.global.b64") >= 2 * THREAD_VECTORS;
            (comes_whole || compiler == Compiler::RustCuda) && found.stores == 0
        }
        false => REDUCTIONS.contains(&found),
    };
    ensure!(is_as_expected, "{name} has {found:?}");
    inspect_barriers(name, entry, compiler, &REDUCE_BARRIERS)
}

/// Whether a kernel has as many barriers as its source.
fn inspect_barriers(
    name: &str,
    entry: &str,
    compiler: Compiler,
    expected_barriers: &[(&str, usize)],
) -> Result<()> {
    let barriers = barriers(entry);
    let mut expected = Barriers::new();
    for &(kind, count) in expected_barriers {
        *expected.entry(compiler.writes(kind)).or_default() += count;
    }
    ensure!(
        barriers == expected,
        "{name} has {barriers:?}, its source {expected:?}"
    );
    Ok(())
}

/// Whether a kernel is a scan whose results are wider than its items.
fn widens(name: &str) -> bool {
    name.contains("_scan_wide_sum_")
}

/// Whether a kernel waits for the work before its launch, on every path and before it accesses memory.
fn waits_first(entry: &str) -> bool {
    entry
        .split_once("\tgriddepcontrol.wait;")
        .is_some_and(|(before, _)| !before.contains("bra") && !before.contains("[%"))
}

impl Compiler {
    /// What the compiler makes of a barrier that rustc writes so.
    fn writes(self, barrier: &str) -> String {
        let number = barrier.find(|c: char| c.is_ascii_digit() || c == '%');
        match (self, number) {
            (Compiler::RustCuda, Some(at)) if barrier.contains(',') => {
                format!("{}%r,%r;", &barrier[..at])
            }
            _ => barrier.to_owned(),
        }
    }
}

/// The barriers in the text of a kernel.
fn barriers(entry: &str) -> Barriers {
    let mut found = Barriers::new();
    for line in entry.lines().map(str::trim) {
        if line.starts_with("bar.sync")
            || line.starts_with("bar.arrive")
            || line.starts_with("barrier")
        {
            let mut parts = line.split("%r");
            let mut kind = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                kind += "%r";
                kind += part.trim_start_matches(|c: char| c.is_ascii_digit());
            }
            *found
                .entry(kind.replace(char::is_whitespace, ""))
                .or_default() += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::ptx;

    const GENERATIONS: [&str; 2] = ["sm_70", "sm_90"];

    const LADDER: &str = include_str!("../../ladder/ptx/ladder.ptx");
    const NESTED: &str = include_str!("../../ladder/ptx/ladder_nested.ptx");

    /// The library's kernels for a generation of devices, as they ship.
    fn library(name: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        ptx::committed_kernels(&root, name).unwrap()
    }

    #[test]
    fn the_committed_ptx_passes() {
        for name in GENERATIONS {
            inspect_library(&library(name)).unwrap();
        }
        inspect(LADDER, Part::Ladder).unwrap();
        inspect(NESTED, Part::Nested).unwrap();
    }

    #[test]
    fn what_must_not_be_there_is_found() {
        let good = library("sm_90");
        let spoilt = [
            good.replacen("\tbar.sync", "\tcall panic;\n\tbar.sync", 1),
            good.replacen("\tbar.sync", "\tbar.sync \t0;\n\tbar.sync", 1),
            good.replacen("\tbar.arrive", "\tbar.sync", 1),
            good.replacen("\tbar.sync", "\tld.local.b32 %r1, [%rd1];\n\tbar.sync", 1),
            good.replacen("ld.global.L1::no_allocate.v4.b32", "ld.global.v4.b32", 1),
            good.replacen("ld.global.v4.b32", "ld.global.b32", 1),
            good.replacen("\tgriddepcontrol.wait;\n", "", 1),
            good.replacen(
                "\tgriddepcontrol.wait;\n",
                "\tst.global.b32 [%rd1], %r1;\n\tgriddepcontrol.wait;\n",
                1,
            ),
            good.replacen("st.global.v4.b32", "st.global.b32", 1),
            good.replacen(
                "\tret;",
                "\tadd.rn.f32 %r1, %r1, %r1;\n\tst.shared.b8 [%rd1], %r1;\n\tret;",
                1,
            ),
            good.replacen("entry reduce_sum_f32", "entry reduce_some_f32", 1),
        ];
        for text in spoilt {
            assert!(text != good && inspect(&text, Part::Library).is_err());
        }
    }

    #[test]
    fn barriers_may_be_numbered_by_registers_where_the_compiler_does_so() {
        let numbered = |line: &str| match line.split_once(' ') {
            Some((barrier, numbers)) if barrier.contains("bar.") && numbers.contains(',') => {
                format!("{barrier} %r7, %r31;\n")
            }
            _ => format!("{line}\n"),
        };
        let text: String = library("sm_70").lines().map(numbered).collect();
        let symbols = Part::Library.symbols();
        let inspect =
            |text: &str, compiler| inspect_kernels(text, Part::Library, compiler, &symbols);
        inspect(&text, Compiler::RustCuda).unwrap();
        assert!(inspect(&text, Compiler::Rustc).is_err());
        for barrier in [
            "\tbar.sync \t0;\n",
            "\tbar.sync %r7, %r31;\n",
            "\tbar.arrive",
        ] {
            let more = text.replacen(barrier, &format!("\tbar.sync %r7, %r31;\n{barrier}"), 1);
            assert!(more != text && inspect(&more, Compiler::RustCuda).is_err());
        }
        assert!(inspect_kernels(&text, Part::Library, Compiler::RustCuda, &symbols[1..]).is_err());
    }
}
