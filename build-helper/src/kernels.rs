//! From the compiler's text to the kernels of all operators: refused, finished, inspected.

use warpfold_kernels::columns;
use warpfold_kernels::contract::BLOCK_THREADS;
use warpfold_kernels::launch;
use warpfold_kernels::selection;
use warpfold_kernels::tuning;

use crate::error::{Error, Problem, Refusal};
use crate::pack::canonical::canonical;
use crate::ptx::finish::{self, Bounds};
use crate::ptx::hook::hooks;
use crate::ptx::inspect::{Kind, Operands, inspect};
use crate::ptx::refuse::{self, Reason};
use crate::ptx::splice::splice;
use crate::ptx::text::{Function, Text};
use crate::variant::Variant;

/// A kernel's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Its symbol.
    pub symbol: String,
    /// A whole PTX text, with this one entry.
    pub text: String,
}

/// The kernels for a compute capability and all later ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The compute capability, major and minor.
    pub capability: (u32, u32),
    /// The kernels, in the order of their symbols.
    pub kernels: Vec<Kernel>,
}

/// What a function of an operator's, compiled by itself, is called: `warpfold_combine_of_gcd`.
const FUNCTION: &str = "warpfold_";

/// The kernels that the compiler emitted for a variant, in the order of their symbols.
pub fn kernels(emitted: &str, variant: &Variant) -> Result<Vec<Kernel>, Error> {
    let text = Text::parse(emitted)?;
    let hooks = hooks(&text)?;
    let mut refusals = Vec::new();
    // A function by itself may keep an argument in local memory that a kernel has in registers: only the kernels tell.
    let mut suspects = Vec::new();
    for function in &text.functions {
        if let Some((part, operator)) = operator_function(function.name)
            && let Some(reason) = refuse::reason(function, &hooks)?
        {
            let to = match reason {
                Reason::LocalMemory => &mut suspects,
                _ => &mut refusals,
            };
            to.push(Refusal {
                function: part.to_owned(),
                operator: operator.to_owned(),
                reason,
            });
        }
    }
    let mut kernels = Vec::new();
    for function in &text.functions {
        let Some((kind, operator)) = Kind::of(function.name) else {
            continue;
        };
        // One kernel of an operator tells what all of them would.
        if refusals.iter().any(|refusal| refusal.operator == operator) {
            continue;
        }
        let body = splice(&function.body, &hooks)?;
        if let Some(reason) = refuse::reason_of_kernel(&body) {
            let suspect = suspects.iter().find(|suspect| suspect.operator == operator);
            refusals.push(match (&reason, suspect) {
                (Reason::LocalMemory, Some(suspect)) => suspect.clone(),
                _ => refusal_of_kernel(function.name, operator, reason),
            });
            continue;
        }
        let kernel = finish::kernel(function, body)?;
        kernels.push(finished(&kernel, kind, Operands::Known, variant)?);
    }
    sorted(kernels, refusals)
}

/// The refusal of a kernel, whose operator's functions may be without fault by themselves.
pub fn refusal_of_kernel(symbol: &str, operator: &str, reason: Reason) -> Refusal {
    Refusal {
        function: kernel_kind(symbol, operator).to_owned(),
        operator: operator.to_owned(),
        reason,
    }
}

/// A kernel, inspected, as a text of its own.
pub fn finished(
    kernel: &Function,
    kind: Kind,
    operands: Operands,
    variant: &Variant,
) -> Result<Kernel, Problem> {
    inspect(kernel, kind, operands, variant.may_begin_early())?;
    let preamble = finish::preamble(variant.ptx_version, variant.target_cpu);
    let text = preamble + &finish::entry(kernel, bounds(kind));
    Ok(Kernel {
        symbol: kernel.name.to_owned(),
        text: canonical(&text),
    })
}

/// The kernels in the order of their symbols, if none was refused.
pub fn sorted(mut kernels: Vec<Kernel>, refusals: Vec<Refusal>) -> Result<Vec<Kernel>, Error> {
    if !refusals.is_empty() {
        return Err(Error::Refused(refusals));
    }
    if kernels.is_empty() {
        return Err(Problem::unexpected("there are no kernels").into());
    }
    kernels.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    Ok(kernels)
}

/// The kind of a kernel, in its symbol.
fn kernel_kind<'a>(symbol: &'a str, operator: &str) -> &'a str {
    let kind = symbol.strip_suffix(operator).unwrap_or_default();
    kind.trim_end_matches('_')
}

/// The row that a kernel is of, by its symbol.
pub fn row_of(symbol: &str) -> Option<&str> {
    Kind::of(symbol).map(|(_, row)| row)
}

/// The function and the row, in the symbol of an operator's function.
fn operator_function(symbol: &str) -> Option<(&str, &str)> {
    symbol.strip_prefix(FUNCTION)?.split_once("_of_")
}

/// How kernels of a kind are launched.
fn bounds(kind: Kind) -> Bounds {
    match kind {
        Kind::Reduce => Bounds {
            threads: BLOCK_THREADS,
            blocks: tuning::reduce::BLOCKS_PER_MULTIPROCESSOR,
        },
        Kind::SegmentedReduce | Kind::SegmentedScan => Bounds {
            threads: tuning::segments::SHORT_BLOCK_THREADS,
            blocks: tuning::segments::BLOCKS_PER_MULTIPROCESSOR,
        },
        Kind::ColumnsReduce | Kind::ColumnsScan => Bounds {
            threads: columns::BLOCK_THREADS,
            blocks: tuning::columns::BLOCKS_PER_MULTIPROCESSOR,
        },
        Kind::Scan => Bounds {
            threads: launch::SCAN_MAX_BLOCK_THREADS,
            blocks: tuning::scan::BLOCKS_PER_MULTIPROCESSOR,
        },
        Kind::Selection => Bounds {
            threads: selection::BLOCK_THREADS,
            blocks: tuning::selection::BLOCKS_PER_MULTIPROCESSOR,
        },
        Kind::Own => Bounds {
            threads: BLOCK_THREADS,
            blocks: 1,
        },
    }
}
