//! The ladder's kernels that have been used. Each is compiled on its first use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cust::function::Function;
use cust::module::Module;
use warpfold::Gpu;
use warpfold_kernels::element::{Element, name};
use warpfold_kernels::op::Op;
use warpfold_ladder_kernels::{for_each_ladder_kernel, for_each_nested_kernel};

use crate::texts::{self, Text};
use crate::{Placement, Refusal, Result, Rung, device_runtime};

/// A row of a table of the ladder's kernels.
struct Row {
    kind: &'static str,
    family: &'static str,
    operator: &'static str,
    element: &'static str,
    /// The block size, if it is a constant of the kernel.
    block_size: Option<u32>,
    symbol: &'static str,
}

macro_rules! rows {
    ($($kind:ident $family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident;)*) => {
        &[$(Row {
            kind: stringify!($kind),
            family: stringify!($family),
            operator: stringify!($op),
            element: stringify!($t),
            block_size: { let none = None; $(let _: Option<u32> = none; let none = Some($block);)? none },
            symbol: stringify!($symbol),
        },)*]
    };
}

const ROWS: &[Row] = for_each_ladder_kernel!(rows);

/// The rows of the kernels that launch kernels.
const NESTED: &[Row] = for_each_nested_kernel!(rows);

/// The one kernel that launches kernels and has no row.
pub const NESTED_HELLO: &str = "ladder_nested_hello";

/// The symbol of the rung's kernel for this operator, element and block size.
pub fn symbol<O: Op<T>, T: Element>(rung: Rung, block_size: u32) -> Result<&'static str, Refusal> {
    find::<O, T>(rung, |row| {
        Some(row.family) == rung.family()
            && row.block_size.is_none_or(|constant| constant == block_size)
    })
}

/// The symbol of the rung's scan kernel for this placement, operator and element.
pub fn scan_symbol<O: Op<T>, T: Element>(
    rung: Rung,
    placement: Placement,
) -> Result<&'static str, Refusal> {
    let kinds = match placement {
        Placement::Inclusive => ["inclusive_whole", "inclusive_sections"],
        Placement::Exclusive => ["exclusive_whole", "exclusive_sections"],
    };
    find::<O, T>(rung, |row| {
        Some(row.family) == rung.family() && kinds.contains(&row.kind)
    })
}

/// The symbol of the kernel that finishes a scan in sections, for this operator and element.
pub fn prefixes_symbol<O: Op<T>, T: Element>(rung: Rung) -> Result<&'static str, Refusal> {
    find::<O, T>(rung, |row| row.kind == "prefixes")
}

/// The symbol of the first row that has this operator and element, and that `is_wanted` accepts.
fn find<O: Op<T>, T: Element>(
    rung: Rung,
    is_wanted: impl Fn(&Row) -> bool,
) -> Result<&'static str, Refusal> {
    let mut rows = ROWS.iter().chain(NESTED);
    let (operator, element) = (name::<O>(), name::<T>());
    let row = rows.find(|row| row.operator == operator && row.element == element && is_wanted(row));
    row.map(|row| row.symbol).ok_or(Refusal::NoKernel {
        rung,
        operator,
        element,
    })
}

/// The compiled kernels, by symbol.
#[derive(Debug, Default)]
pub struct Kernels {
    compiled: Mutex<HashMap<&'static str, Arc<Kernel>>>,
}

/// A kernel that is ready to be launched.
#[derive(Debug)]
pub struct Kernel {
    pub symbol: &'static str,
    module: Module,
}

impl Kernel {
    pub fn function(&self) -> Result<Function<'_>> {
        Ok(self.module.get_function(self.symbol)?)
    }
}

impl Kernels {
    /// The kernel of this symbol. It is compiled now, if it has not been compiled before.
    pub fn get(&self, gpu: &Gpu, symbol: &'static str) -> Result<Arc<Kernel>> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = compiled.get(symbol) {
            return Ok(Arc::clone(kernel));
        }
        let module = match texts::of(symbol) {
            Some(Text::Plain(text)) => gpu.load_ptx(symbol, &text)?,
            Some(Text::Nested(text)) => device_runtime::load_with(gpu, symbol, text)?,
            None => return Err(warpfold::Error::KernelMissing { symbol }.into()),
        };
        let kernel = Arc::new(Kernel { symbol, module });
        compiled.insert(symbol, Arc::clone(&kernel));
        Ok(kernel)
    }
}
