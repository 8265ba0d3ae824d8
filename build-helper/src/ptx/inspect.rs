//! What must hold of a finished kernel, whatever the compiler did: no call, no local memory, no memory but its arguments' and
//! the block's. And of a reduction or a scan: as many barriers as its source has; and, where launches may begin early, the
//! wait that this needs.

use std::collections::BTreeMap;

use warpfold_kernels::contract::{SCAN_LONG, SCAN_SHORT, ScanShape, WARP_LANES};
use warpfold_kernels::tuning;

use super::space::SHARED_ARRAY;
use super::statement::{Instruction, Statement};
use super::text::Function;
use crate::error::Problem;

/// The kinds of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A reduction.
    Reduce,
    /// A segmented reduction.
    SegmentedReduce,
    /// A segmented scan, inclusive or exclusive.
    SegmentedScan,
    /// A reduction of columns.
    ColumnsReduce,
    /// A scan of columns, inclusive or exclusive.
    ColumnsScan,
    /// A scan, inclusive or exclusive.
    Scan,
    /// A selection, by a predicate or of heads of runs.
    Selection,
    /// A kernel of the user's.
    Own,
}

impl Kind {
    /// The kind that a symbol says, and the row's name.
    pub fn of(symbol: &str) -> Option<(Self, &str)> {
        let reduce = symbol
            .strip_prefix("reduce_pairs_")
            .or_else(|| symbol.strip_prefix("reduce_"));
        let segmented = symbol.strip_prefix("segmented_reduce_");
        let segmented_scan = symbol.strip_prefix("segmented_scan_");
        let columns = symbol.strip_prefix("columns_reduce_");
        let columns_scan = symbol.strip_prefix("columns_scan_");
        let scan = symbol
            .strip_prefix("inclusive_scan_")
            .or_else(|| symbol.strip_prefix("exclusive_scan_"));
        let selection = symbol
            .strip_prefix("select_if_")
            .or_else(|| symbol.strip_prefix("runs_"));
        let own = symbol.strip_prefix("kernel_");
        reduce
            .map(|name| (Self::Reduce, name))
            .or_else(|| segmented.map(|name| (Self::SegmentedReduce, name)))
            .or_else(|| segmented_scan.map(|name| (Self::SegmentedScan, name)))
            .or_else(|| columns.map(|name| (Self::ColumnsReduce, name)))
            .or_else(|| columns_scan.map(|name| (Self::ColumnsScan, name)))
            .or_else(|| scan.map(|name| (Self::Scan, name)))
            .or_else(|| selection.map(|name| (Self::Selection, name)))
            .or_else(|| own.map(|name| (Self::Own, name)))
    }

    /// The barriers in the source, without the numbers of registers, where the source is this library's.
    fn barriers(self, operands: Operands) -> Option<BTreeMap<String, usize>> {
        let mut barriers = BTreeMap::new();
        let mut add = |barrier: String, count: usize| {
            *barriers.entry(operands.write(barrier)).or_default() += count;
        };
        match self {
            Self::Own => return None,
            // A chunk's combination, the reuse of its scratch, the combination of the partials.
            Self::Reduce => add("bar.sync 0".to_owned(), 3),
            // The ticket, the windows' borders, the works; a work's items, its slots, its leaves, its nodes; before the next work takes
            // the work's place, or other blocks hear of it; the last tag.
            Self::SegmentedReduce => add("bar.sync 0".to_owned(), 9),
            // The same; a chunk's total, what stands before the chunk, before nodes, before leaves; results.
            Self::SegmentedScan => add("bar.sync 0".to_owned(), 14),
            // The ticket, the leaves; what other blocks have told, before and after its reads; the last tag.
            Self::ColumnsReduce => add("bar.sync 0".to_owned(), 5),
            // The same, and twice more for what stands before the chunks, which is told the block.
            Self::ColumnsScan => add("bar.sync 0".to_owned(), 8),
            Self::Selection => selection_barriers(&mut add),
            // Once for short scans, once for long ones.
            Self::Scan => {
                for shape in [SCAN_SHORT, SCAN_LONG] {
                    scan_barriers(shape, &mut add);
                }
                // Long scans look back later, and so hear of a tile before or after.
                add("bar.sync %r, 64".to_owned(), 1);
            }
        }
        Some(barriers)
    }
}

/// Where a compiler has the numbers of a barrier and of its threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// In the instruction, where it knows them.
    Known,
    /// In registers, save the number of the block's own barrier.
    #[cfg_attr(not(feature = "cuda_builder"), allow(dead_code))]
    InRegisters,
}

impl Operands {
    /// How the compiler writes a barrier.
    fn write(self, barrier: String) -> String {
        match (self, barrier.split_once(' ')) {
            (Self::InRegisters, Some((operation, numbers))) if numbers.contains(',') => {
                format!("{operation} %r, %r")
            }
            _ => barrier,
        }
    }
}

/// The barriers of a scan with tiles of one shape.
fn scan_barriers(shape: ScanShape, add: &mut impl FnMut(String, usize)) {
    let sharing = shape.warps * WARP_LANES;
    let all = sharing + WARP_LANES;
    // The first ticket; the warps' totals.
    add("bar.sync 0".to_owned(), 1);
    add(format!("bar.sync 1, {sharing}"), 1);
    // Tiles told, and that there is no more.
    add("bar.arrive 2, 64".to_owned(), 1);
    add("bar.arrive %r, 64".to_owned(), 2);
    add("bar.sync 2, 64".to_owned(), 1);
    add("bar.sync %r, 64".to_owned(), 1);
    // Prefixes told.
    add(format!("bar.arrive %r, {all}"), 1);
    add(format!("bar.sync %r, {all}"), 1);
}

/// The barriers of a selection: as those of a scan, of which each tile leaves with the next one or at once.
fn selection_barriers(add: &mut impl FnMut(String, usize)) {
    let sharing = tuning::selection::WARPS * WARP_LANES;
    let all = sharing + WARP_LANES;
    // The first ticket; the warps' shares.
    add("bar.sync 0".to_owned(), 1);
    add(format!("bar.sync 1, {sharing}"), 1);
    // Tiles told, and that there is no more.
    add("bar.arrive %r, 64".to_owned(), 2);
    add("bar.sync 2, 64".to_owned(), 1);
    add("bar.sync %r, 64".to_owned(), 1);
    // Prefixes told.
    add(format!("bar.arrive %r, {all}"), 1);
    add(format!("bar.sync %r, {all}"), 1);
}

/// Checks a kernel of this kind. Whether it may begin before the work before it on its stream has ended depends on what it is
/// compiled for.
pub fn inspect(
    kernel: &Function,
    kind: Kind,
    operands: Operands,
    may_begin_early: bool,
) -> Result<(), Problem> {
    let problem = |what: String| Problem::unexpected(format!("{} {what}", kernel.name));
    let mut barriers = BTreeMap::new();
    for instruction in instructions(kernel) {
        let is_barrier = instruction.operation().starts_with("bar");
        if is_barrier && !instruction.has_part("warp") {
            *barriers.entry(without_registers(instruction)).or_default() += 1;
        }
        if let Some(what) = forbidden(instruction, kind) {
            return Err(problem(format!("has {what}: {instruction}")));
        }
    }
    // How a kernel of the user's is launched, and whether it may fuse, is the user's affair.
    let Some(expected) = kind.barriers(operands) else {
        return Ok(());
    };
    if barriers != expected {
        return Err(problem(format!(
            "has {barriers:?}, its source {expected:?}"
        )));
    }
    if waits_first(kernel) != may_begin_early {
        return Err(problem(format!(
            "and the work before it: begins early {may_begin_early}, waits first {}",
            waits_first(kernel)
        )));
    }
    Ok(())
}

fn instructions<'a>(kernel: &'a Function) -> impl Iterator<Item = &'a Instruction> {
    kernel.body.iter().filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    })
}

/// An instruction with `%r` in the place of each register.
fn without_registers(instruction: &Instruction) -> String {
    let operands = instruction.operands.iter().map(|operand| {
        let is_register = operand.starts_with('%');
        if is_register { "%r" } else { operand }
    });
    let operands: Vec<&str> = operands.collect();
    format!("{} {}", instruction.opcode, operands.join(", "))
}

/// What an instruction is that no kernel of this kind may have.
fn forbidden(instruction: &Instruction, kind: Kind) -> Option<&'static str> {
    let names_variable = |operand: &String| {
        let name = operand.trim_matches(['[', ']']);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !name.contains("_param_")
            && !name.starts_with(SHARED_ARRAY)
    };
    match instruction.operation() {
        "call" => Some("a call"),
        "trap" | "exit" => Some("a panic"),
        "fma" if kind != Kind::Own => Some("a fused operation"),
        _ if instruction.has_part("local") => Some("local memory"),
        _ if instruction.has_part("ftz") => Some("flushed arithmetic"),
        _ if instruction.operands.iter().any(names_variable) => Some("a variable"),
        _ => None,
    }
}

/// Whether a kernel waits for the work before its launch, on every path and before it accesses memory.
fn waits_first(kernel: &Function) -> bool {
    for instruction in instructions(kernel) {
        let accesses = instruction
            .operands
            .iter()
            .any(|operand| operand.starts_with("[%"));
        match instruction.operation() {
            "griddepcontrol" => return true,
            "bra" => return false,
            _ if accesses => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::statement::parse;
    use super::*;

    const REDUCE: &str =
        "griddepcontrol.wait; bar.sync 0; ld.global.b32 %r1, [%rd1]; bar.sync 0; bar.sync 0; ret;";

    fn inspected(body: &str) -> Result<(), Problem> {
        let kernel = Function {
            name: "reduce_x",
            parameters: Vec::new(),
            body: parse(body).unwrap(),
        };
        inspect(&kernel, Kind::Reduce, Operands::Known, true)
    }

    #[test]
    fn a_good_kernel_passes() {
        inspected(REDUCE).unwrap();
    }

    #[test]
    fn what_must_not_be_there_is_found() {
        for spoilt in [
            REDUCE.replacen("bar.sync 0;", "", 1),
            REDUCE.replacen("bar.sync 0;", "bar.sync 0; bar.sync 0;", 1),
            REDUCE.replacen("bar.sync", "bar.arrive", 1),
            REDUCE.replace("ret;", "call.uni f, (); ret;"),
            REDUCE.replace("ret;", "st.local.b32 [%rd1], %r1; ret;"),
            REDUCE.replace("ret;", "mov.b64 %rd1, TABLE; ret;"),
            REDUCE.replace("ret;", "trap; ret;"),
            REDUCE.replace("ret;", "add.ftz.f32 %f1, %f1, %f1; ret;"),
            REDUCE.replace("griddepcontrol.wait;", ""),
            format!("ld.global.b32 %r1, [%rd1]; {REDUCE}"),
            format!("@%p1 bra $L_1; {REDUCE} $L_1: ret;"),
        ] {
            assert!(inspected(&spoilt).is_err(), "{spoilt}");
        }
    }

    #[test]
    fn a_symbol_says_the_kind() {
        assert_eq!(Kind::of("reduce_gcd"), Some((Kind::Reduce, "gcd")));
        assert_eq!(Kind::of("reduce_pairs_dot"), Some((Kind::Reduce, "dot")));
        assert_eq!(Kind::of("exclusive_scan_gcd"), Some((Kind::Scan, "gcd")));
        assert_eq!(Kind::of("kernel_gcd"), Some((Kind::Own, "gcd")));
        assert_eq!(Kind::of("scan_gcd"), None);
    }
}
