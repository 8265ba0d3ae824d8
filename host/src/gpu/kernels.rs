//! The kernels that calls have requested. Each [form](Form) of a kernel is compiled once, on its first use.

use std::ffi::CString;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use warpfold_kernels::launch::Start;

use super::Properties;
use super::form::Form;
use crate::driver::{self, Failure, Function, Module};
use crate::error::{DriverCode, Error, Result};
use crate::kernel::{Block, Entry};
use crate::ptx;

/// Bytes of dynamic shared memory that a kernel may use without opting in.
const DEFAULT_SHARED_BYTES: u32 = 48 * 1024;

/// The number of lists that kernels are hashed into. Most programs use fewer kernels than there are lists.
const LISTS: usize = 32;

/// The kernels that calls have requested. Kernels are never removed one by one, so a look-up takes no lock.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    /// [`list_of`] says which list a kernel is in.
    lists: [Link; LISTS],
}

/// The end of a list, or its next kernel.
type Link = OnceLock<Box<Slot>>;

#[derive(Debug)]
struct Slot {
    entry: &'static Entry,
    form: Form,
    kernel: OnceLock<LoadedKernel>,
    /// Held while the kernel is compiled, so that it is compiled once.
    compiling: Mutex<()>,
    next: Link,
}

/// A kernel that is ready to be launched.
#[derive(Debug)]
pub(crate) struct LoadedKernel {
    pub function: Function,
    /// Whether its launches may begin before the previous launch has ended.
    pub start: Start,
    /// The grid of short scans of a whole input, and of some reductions of rows. If there is at most one window for each resident block,
    /// also the grid of launches over segments and of calls by key. A form for launches with long blocks has no such launch.
    pub short: Grid,
    /// The grid of all other launches. A form for launches with short blocks has no such launch.
    pub long: Grid,
    /// Keeps the function loaded.
    _module: Module,
}

/// A kernel's blocks, and how many of them run at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub block: Block,
    /// The number of blocks that the whole device holds at a time. It is at least 1.
    pub resident_blocks: u32,
}

impl Kernels {
    /// The kernel, for the device of the current context. Compiles it on its first use.
    pub fn get(
        &self,
        entry: &'static Entry,
        form: Form,
        device: &Properties,
    ) -> Result<&LoadedKernel> {
        let slot = self.slot(entry, form);
        match slot.kernel.get() {
            Some(kernel) => Ok(kernel),
            None => slot.compile(device),
        }
    }

    /// The slot of this form of the kernel. If its list has no such slot, a new slot is appended.
    fn slot(&self, entry: &'static Entry, form: Form) -> &Slot {
        let mut link = &self.lists[list_of(entry)];
        loop {
            let slot = link.get_or_init(|| Box::new(Slot::new(entry, form)));
            if ptr::eq(slot.entry, entry) && slot.form == form {
                return slot;
            }
            link = &slot.next;
        }
    }
}

impl Slot {
    fn new(entry: &'static Entry, form: Form) -> Self {
        Self {
            entry,
            form,
            kernel: OnceLock::new(),
            compiling: Mutex::new(()),
            next: Link::new(),
        }
    }

    /// Compiles the kernel, unless another call has just done so.
    #[cold]
    fn compile(&self, device: &Properties) -> Result<&LoadedKernel> {
        let _compiling = self
            .compiling
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let kernel = compile(self.entry, self.form, device)?;
        Ok(self.kernel.get_or_init(|| kernel))
    }
}

/// The list that a kernel is in. An entry is a static, so its address identifies it. The product's upper bits depend on all bits of the
/// address.
fn list_of(entry: &'static Entry) -> usize {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let address = ptr::from_ref(entry).addr() as u64;
    (address.wrapping_mul(GOLDEN) >> (u64::BITS - LISTS.ilog2())) as usize
}

/// Loads the best text that the driver accepts. If the driver does not know a text's PTX version, this tries the next older text.
fn compile(entry: &'static Entry, form: Form, device: &Properties) -> Result<LoadedKernel> {
    let mut refused = None;
    let candidates = ptx::candidates(entry.symbol(), entry.texts(), device.compute_capability);
    for candidate in candidates {
        let blocks = entry.blocks(candidate.capability, device.shared_bytes_per_block);
        let text = form.written(candidate.text, entry, &blocks);
        let text = text.ok_or_else(|| missing(entry))?;
        let text = match form.bounds(&blocks) {
            Some(bounds) => with_bounds(&text, bounds),
            None => text,
        };
        let text = CString::new(text).map_err(|_| missing(entry))?;
        match driver::load_module(&text) {
            Ok(module) => {
                return prepare(entry, module, candidate.capability, device);
            }
            Err((failure, log)) if failure.code == DriverCode::UNSUPPORTED_PTX_VERSION => {
                refused.get_or_insert((failure, log));
            }
            Err((failure, log)) => return Err(rejected(entry, failure, log)),
        }
    }
    Err(match refused {
        Some((failure, log)) => rejected(entry, failure, log),
        None => missing(entry),
    })
}

/// The text with these launch bounds.
fn with_bounds(text: &str, (threads, blocks): (u32, u32)) -> String {
    let line = |line: &str| {
        if line.starts_with(".maxntid ") {
            format!(".maxntid {threads}, 1, 1\n")
        } else if line.starts_with(".minnctapersm ") {
            format!(".minnctapersm {blocks}\n")
        } else {
            line.to_owned()
        }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Looks up the kernel in its module, which was compiled for `capability`, and queries its occupancy.
fn prepare(
    entry: &'static Entry,
    module: Module,
    capability: (u32, u32),
    device: &Properties,
) -> Result<LoadedKernel> {
    let blocks = entry.blocks(capability, device.shared_bytes_per_block);
    let symbol = CString::new(entry.symbol()).map_err(|_| missing(entry))?;
    let function = module.function(&symbol)?;
    let most = blocks.short.shared_bytes.max(blocks.long.shared_bytes);
    if most > DEFAULT_SHARED_BYTES {
        function.allow_shared_bytes(most)?;
    }
    let grid = |block: Block| -> Result<Grid> {
        let each = function.blocks_per_multiprocessor(block.threads, block.shared_bytes)?;
        Ok(Grid {
            block,
            resident_blocks: each.saturating_mul(device.multiprocessors).max(1),
        })
    };
    let short = grid(blocks.short)?;
    let long = match blocks.long == blocks.short {
        true => short,
        false => grid(blocks.long)?,
    };
    Ok(LoadedKernel {
        function,
        start: Start::of_capability(capability.0),
        short,
        long,
        _module: module,
    })
}

fn missing(entry: &Entry) -> Error {
    Error::KernelMissing {
        symbol: entry.symbol(),
    }
}

/// The error for a text that could not be loaded. For invalid PTX or an unknown PTX version, it is [`Error::KernelRejected`]. For any other
/// failure, it is the error of a failed driver call.
fn rejected(entry: &'static Entry, failure: Failure, log: String) -> Error {
    match failure.code {
        code @ (DriverCode::INVALID_PTX | DriverCode::UNSUPPORTED_PTX_VERSION) => {
            Error::KernelRejected {
                symbol: entry.symbol(),
                code,
                log,
            }
        }
        _ => failure.into(),
    }
}
