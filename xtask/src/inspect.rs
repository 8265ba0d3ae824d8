//! Checks the compiled PTX. A text must have exactly the kernels of its part (a [`KernelSet`]), and the kernels must contain nothing
//! forbidden. A kernel of the library must also have the wide loads and stores of its kind, and the barriers of its source. In a text for
//! `sm_90`, a kernel of the library must first wait for preceding work. In any other text, it must not.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use half::{bf16, f16};
use rayon::prelude::*;
use warpfold_kernels::contract::{ScanTiles, THREAD_VECTORS};
use warpfold_kernels::element::Element;
use warpfold_kernels::kind::{Definition, Kind, Vectors};
use warpfold_kernels::op::*;
use warpfold_kernels::scan::tuning;
use warpfold_kernels::segments::{self, rings::has_rings};
use warpfold_ptx::cut::{cut, kernels};
use warpfold_ptx::inspect::{self as kernel, Operands, Rules, count};
use warpfold_ptx::older::{FOR_7_0, FOR_8_0, Older};
use warpfold_ptx::statement::instructions;
use warpfold_ptx::synchronous::lacks;
use warpfold_ptx::text::{Function, Text};

use crate::kernel_set::KernelSet;

/// The names of the block's shared memory in texts of rustc and of rust-cuda's `cuda_std`.
const SHARED_ARRAYS: [&str; 2] = ["gpu_launch_sized_workgroup_mem", "_Zcuda_std_dyn_shared"];

/// The accesses of 16 bytes in a kernel: loads to registers without and with L1, copies to shared memory, and stores.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Accesses {
    streams: usize,
    loads: usize,
    copies: usize,
    stores: usize,
}

/// A reduction loads a thread's vectors of a whole tile at once. The text has code for this twice, with L1 and without. The reduction loads
/// the vectors of a ragged (not full) tile in a loop. A reduction that skips missing items has two loops: one for ragged tiles and one for
/// misaligned tiles.
const REDUCTIONS: [Accesses; 2] = [reduction(1), reduction(2)];

const fn reduction(loops: usize) -> Accesses {
    Accesses {
        streams: THREAD_VECTORS,
        loads: THREAD_VECTORS + loops,
        copies: 0,
        stores: 0,
    }
}

/// A scan in the table of kernels.
struct ScanRow {
    symbol: &'static str,
    tiles: ScanTiles,
    item_bytes: usize,
    result_bytes: usize,
}

impl ScanRow {
    const fn of<O: Op<T>, T: Element>(symbol: &'static str) -> Self {
        Self {
            symbol,
            tiles: tuning::tiles::<O, T>(),
            item_bytes: size_of::<T>(),
            result_bytes: size_of::<O::Output>(),
        }
    }

    /// The scan of this name.
    fn called(symbol: &str) -> Option<&'static Self> {
        macro_rules! rows {
            ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
                &[$(ScanRow::of::<$op, $t>(stringify!($symbol))),*]
            };
        }
        const ROWS: &[ScanRow] = warpfold_kernels::for_each_kernel!(rows);
        ROWS.iter().find(|row| row.symbol == symbol)
    }

    /// Whether the scan's vector accesses are as expected. If items and results differ in size, only the larger of the two are accessed
    /// 16 bytes at a time. Accesses to the smaller ones are narrower, and not counted.
    fn is_as_expected(&self, found: &Accesses) -> bool {
        let rows = self.tiles.short.rows + self.tiles.long.rows;
        let has_stores = found.stores == scan_stores(rows);
        let narrow_stores = Accesses {
            stores: scan_stores(rows),
            ..*found
        };
        match self.item_bytes.cmp(&self.result_bytes) {
            Ordering::Less => has_stores,
            Ordering::Equal => scans(rows).contains(found),
            Ordering::Greater => found.stores == 0 && scans(rows).contains(&narrow_stores),
        }
    }
}

/// The number of stores in the text of a scan. The text has code for short scans and code for long scans. Each of them stores the rows of a
/// whole tile at once, and has one more store in a loop for a ragged tile. `rows` is the sum of the rows of a short scan's tile and of a
/// long scan's tile.
fn scan_stores(rows: usize) -> usize {
    rows + 2
}

/// The sets of accesses that a scan may have, for short and long scans together. The code copies tiles at three points. The first point
/// copies the first tile of a block. The second point copies the next tile if shared memory has room for several tiles. The third point
/// copies the next tile if shared memory has room for only one tile, and that tile has been stored. The vectors of a ragged tile are copied
/// in a loop. If items are too narrow to be copied one by one, these vectors are loaded instead.
///
/// Devices below compute capability 8.0 have no asynchronous copies. In a text that the library makes for them, each copy is replaced by a
/// load. A text that a compiler makes for them loads tiles at only one point.
fn scans(rows: usize) -> [Accesses; 5] {
    let accesses = |streams, loads, copies| Accesses {
        streams,
        loads,
        copies,
        stores: scan_stores(rows),
    };
    [
        accesses(0, 0, 3 * (rows + 2)),
        accesses(0, 3 * 2, 3 * rows),
        accesses(3 * (rows + 2), 0, 0),
        accesses(3 * rows, 3 * 2, 0),
        accesses(rows, 2, 0),
    ]
}

/// Checks a whole text that ships, and the texts that the library makes from it for older devices.
pub fn inspect_library(text: &str) -> Result<()> {
    inspect(text, KernelSet::Library)?;
    for older in [&FOR_8_0, &FOR_7_0] {
        let (major, minor) = older.capability;
        let made = made_for(text, older).and_then(|made| inspect(&made, KernelSet::Library));
        made.with_context(|| format!("made for {major}.{minor}"))?;
    }
    Ok(())
}

/// Makes the kernels for older devices from a text, as the library does.
fn made_for(text: &str, older: &Older) -> Result<String> {
    let made = kernels(text)?.into_par_iter().map(|(symbol, kernel)| {
        let made = older.made_of(&kernel);
        let made = made.with_context(|| format!("there is a rule too few for {symbol}"))?;
        if older.capability == FOR_7_0.capability {
            ensure_has_all(&made).with_context(|| symbol)?;
        }
        Ok(made)
    });
    Ok(made.collect::<Result<Vec<String>>>()?.concat())
}

/// Checks that compute capability 7.0 has all instructions of a text.
fn ensure_has_all(text: &str) -> Result<()> {
    for function in Text::parse(text)?.functions {
        let lacked = instructions(&function.body).find(|instruction| lacks(&instruction.opcode));
        ensure!(lacked.is_none(), "it has {lacked:?}");
    }
    Ok(())
}

/// Checks a whole text of rustc, which must have all kernels of the part.
pub fn inspect(text: &str, part: KernelSet) -> Result<()> {
    inspect_kernels(text, part, Operands::Known, &part.symbols())
}

/// Checks a whole text, which must have exactly the kernels `symbols` of the part.
pub fn inspect_kernels(
    text: &str,
    part: KernelSet,
    operands: Operands,
    symbols: &[&str],
) -> Result<()> {
    let may_begin_early = text.contains("\n.target sm_90\n");
    ensure!(
        part == KernelSet::Nested || !text.lines().any(|line| line.starts_with(".global")),
        "a table is in global memory: a choice of values that the compiler has made one"
    );
    let cut = cut(text)?;
    let found: BTreeSet<&str> = cut.entries.iter().map(|(name, _)| *name).collect();
    let expected: BTreeSet<&str> = symbols.iter().copied().collect();
    ensure!(
        found == expected,
        "entries differ from the table: missing {:?}, extra {:?}",
        expected.difference(&found).collect::<Vec<_>>(),
        found.difference(&expected).collect::<Vec<_>>()
    );
    for (name, entry) in cut.entries {
        inspect_entry(entry, part, operands, may_begin_early)
            .with_context(|| format!("the kernel {name}"))?;
    }
    Ok(())
}

/// Checks a kernel of the part.
fn inspect_entry(
    entry: &str,
    part: KernelSet,
    operands: Operands,
    may_begin_early: bool,
) -> Result<()> {
    let text = Text::parse(entry)?;
    let function = text.functions.first().context("it has no body")?;
    let mut rules = Rules {
        forbidden: part.forbidden(operands),
        shared_array: match operands {
            Operands::Known => SHARED_ARRAYS[0],
            Operands::InRegisters => SHARED_ARRAYS[1],
        },
        barriers: None,
        waits_first: None,
    };
    if part == KernelSet::Library {
        let (kind, _) = Kind::of(function.name).context("it is of no kind")?;
        let kind = kind.definition();
        let barriers = sort_of(function.name).and_then(|sort| kind.other_barriers.get(sort));
        let barriers = barriers.unwrap_or(&kind.barriers);
        let barriers = barriers
            .iter()
            .map(|barrier| (barrier.to_string(), barrier.count));
        rules.barriers = Some(operands.barriers(barriers));
        rules.waits_first = Some(may_begin_early);
        inspect_vectors(function, kind, operands)?;
    }
    Ok(kernel::inspect(function, &rules)?)
}

/// The index of a kernel's list of barriers in its kind's `other_barriers`. A segmented reduction has the first list if it streams rows,
/// and the second list if it has rings. A scan by key has the first list if each of its threads may hold 16 consecutive items
/// ([`segments::goes_by_sixteens`]). `None` for all other symbols.
fn sort_of(symbol: &str) -> Option<usize> {
    macro_rules! sorts {
        (by_key_scan $op:ident $t:ident) => {
            [segments::goes_by_sixteens::<$op, $t>(), false]
        };
        (segmented_reduce $op:ident $t:ident) => {
            [segments::streams_rows::<$op, $t>(), has_rings::<$op, $t>()]
        };
        ($kind:ident $op:ident $t:ident) => {
            [false, false]
        };
    }
    macro_rules! rows {
        ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
            &[$((stringify!($symbol), sorts!($kind $op $t))),*]
        };
    }
    const ROWS: &[(&str, [bool; 2])] = warpfold_kernels::for_each_row!(rows);
    let (_, sorts) = ROWS.iter().find(|(row, _)| *row == symbol)?;
    sorts.iter().position(|is_sort| *is_sort)
}

/// Checks how a kernel of the library reads and writes vectors.
fn inspect_vectors(function: &Function, kind: &Definition, operands: Operands) -> Result<()> {
    let name = function.name;
    let count = |opcode| count(function, opcode);
    let found = Accesses {
        streams: count("ld.global.L1::no_allocate.v4.b32"),
        loads: count("ld.global.v4.b32"),
        copies: count("cp.async.cg.shared.global"),
        stores: count("st.global.v4.b32"),
    };
    let is_as_expected = match kind.vectors {
        Vectors::Any => true,
        Vectors::Tile => REDUCTIONS.contains(&found),
        // A vector has 8 bytes of each of the two inputs. rust-cuda's compiler loads items of 2 bytes one by one.
        Vectors::TileOfPairs => {
            let comes_whole = count("ld.global.b64") >= 2 * THREAD_VECTORS;
            (comes_whole || operands == Operands::InRegisters) && found.stores == 0
        }
        Vectors::ShortAndLongTile => {
            let row = ScanRow::called(name).context("it is no row of the table")?;
            row.is_as_expected(&found)
        }
    };
    ensure!(is_as_expected, "it has {found:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::ptx;

    const LADDER: &str = include_str!("../../ladder/ptx/ladder.ptx");
    const NESTED: &str = include_str!("../../ladder/ptx/ladder_nested.ptx");

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    /// A few of the library's kernels, in the order of their text.
    const FEW: [&str; 3] = [
        "reduce_sum_f32",
        "inclusive_scan_sum_f32",
        "segmented_reduce_sum_f32",
    ];

    /// The few kernels, as they ship. It would take long to inspect all kernels many times.
    fn few() -> String {
        ptx::committed_kernels_called(&root(), &FEW).unwrap()
    }

    fn inspect_few(text: &str) -> Result<()> {
        inspect_kernels(text, KernelSet::Library, Operands::Known, &FEW)
    }

    #[test]
    fn the_committed_ptx_passes() {
        inspect_library(&ptx::committed_kernels(&root()).unwrap()).unwrap();
        inspect(LADDER, KernelSet::Ladder).unwrap();
        inspect(NESTED, KernelSet::Nested).unwrap();
    }

    #[test]
    fn forbidden_instructions_are_found() {
        let good = few();
        inspect_few(&good).unwrap();
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
            assert!(text != good && inspect_few(&text).is_err());
        }
    }

    #[test]
    fn barriers_may_have_their_operands_in_registers() {
        let numbered = |line: &str| match line.split_once(' ') {
            Some((barrier, numbers)) if barrier.contains("bar.") && numbers.contains(',') => {
                format!("{barrier} %r7, %r31;\n")
            }
            _ => format!("{line}\n"),
        };
        let text: String = few().lines().map(numbered).collect();
        let text = text.replace(SHARED_ARRAYS[0], SHARED_ARRAYS[1]);
        let inspect =
            |text: &str, operands| inspect_kernels(text, KernelSet::Library, operands, &FEW);
        inspect(&text, Operands::InRegisters).unwrap();
        assert!(inspect(&text, Operands::Known).is_err());
        for barrier in [
            "\tbar.sync \t0;\n",
            "\tbar.sync %r7, %r31;\n",
            "\tbar.arrive",
        ] {
            let more = text.replacen(barrier, &format!("\tbar.sync %r7, %r31;\n{barrier}"), 1);
            assert!(more != text && inspect(&more, Operands::InRegisters).is_err());
        }
        assert!(
            inspect_kernels(&text, KernelSet::Library, Operands::InRegisters, &FEW[1..]).is_err()
        );
    }
}
