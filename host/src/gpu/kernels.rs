//! The kernels that calls have requested. Each [form](Form) of a kernel is compiled once, on its first use.

use std::ffi::CString;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use warpfold_kernels::launch::Start;
use warpfold_ptx::direction::{backward, forward};
use warpfold_ptx::indices;
use warpfold_ptx::keys::keyed;

use super::Properties;
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
    /// See [`key`].
    key: usize,
    kernel: OnceLock<LoadedKernel>,
    /// Held while the kernel is compiled, so that it is compiled once.
    compiling: Mutex<()>,
    next: Link,
}

/// The form of a kernel's text. A form decides the values of the constants that the host writes into the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A scan goes forward.
    Plain,
    /// A scan goes backward.
    Backward,
    /// For scans by key and reductions by key that go forward in one launch: the kernel compares the keys itself. In the other forms, a
    /// kernel that scans or reduces by key compares no keys: it reads the marks of an earlier launch, which say where the runs begin.
    Keyed,
}

impl Form {
    /// The form of a scan in one of the two directions.
    pub fn of_direction(is_reversed: bool) -> Self {
        match is_reversed {
            true => Self::Backward,
            false => Self::Plain,
        }
    }
}

/// A kernel that is ready to be launched.
#[derive(Debug)]
pub(crate) struct LoadedKernel {
    pub function: Function,
    /// Whether its launches may begin before the previous launch has ended.
    pub start: Start,
    /// The grid of short scans of a whole input, and of some reductions of rows. If there is at most one window for each resident block,
    /// also the grid of launches over segments and of calls by key.
    pub short: Grid,
    /// The grid of all other launches.
    pub long: Grid,
    /// Keeps the function loaded.
    _module: Module,
}

impl LoadedKernel {
    /// The grid of a launch over windows. If the device can work on all windows at once, this is the short grid, whose blocks have more
    /// threads than those of the long grid.
    pub fn grid_of(&self, windows: u64) -> Grid {
        match windows <= self.short.resident_blocks as u64 {
            true => self.short,
            false => self.long,
        }
    }
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
        let slot = self.slot(key(entry, form));
        match slot.kernel.get() {
            Some(kernel) => Ok(kernel),
            None => slot.compile(entry, form, device),
        }
    }

    /// The slot of this key. If the key's list has no such slot, a new slot is appended.
    fn slot(&self, key: usize) -> &Slot {
        let mut link = &self.lists[list_of(key)];
        loop {
            let slot = link.get_or_init(|| Box::new(Slot::new(key)));
            if slot.key == key {
                return slot;
            }
            link = &slot.next;
        }
    }
}

impl Slot {
    fn new(key: usize) -> Self {
        Self {
            key,
            kernel: OnceLock::new(),
            compiling: Mutex::new(()),
            next: Link::new(),
        }
    }

    /// Compiles the kernel, unless another call has just done so.
    #[cold]
    fn compile(
        &self,
        entry: &'static Entry,
        form: Form,
        device: &Properties,
    ) -> Result<&LoadedKernel> {
        let _compiling = self
            .compiling
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = self.kernel.get() {
            return Ok(kernel);
        }
        let kernel = compile(entry, form, device)?;
        Ok(self.kernel.get_or_init(|| kernel))
    }
}

/// The address of the kernel's entry, plus a number for the form. An entry is a static, so its address identifies it. An entry contains
/// pointers, so its address is a multiple of a pointer's size. There are fewer forms than a pointer has bytes, so no other entry and form
/// have the same key.
fn key(entry: &'static Entry, form: Form) -> usize {
    const { assert!((Form::Keyed as usize) < align_of::<Entry>()) };
    ptr::from_ref(entry).addr() + form as usize
}

/// The list that a key is in. The product's upper bits depend on all bits of the key.
fn list_of(key: usize) -> usize {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    ((key as u64).wrapping_mul(GOLDEN) >> (u64::BITS - LISTS.ilog2())) as usize
}

/// Loads the best text that the driver accepts. If the driver does not know a text's PTX version, this tries the next older text.
fn compile(entry: &'static Entry, form: Form, device: &Properties) -> Result<LoadedKernel> {
    let mut refused = None;
    let candidates = ptx::candidates(entry.symbol(), entry.texts(), device.compute_capability);
    for candidate in candidates {
        // The constant for comparing keys is set first, since the next step may fold constants.
        let text = match form {
            Form::Keyed => keyed(&candidate.text),
            Form::Plain | Form::Backward => Some(candidate.text),
        };
        let text = text.and_then(|text| match (form, entry.has_short_indices()) {
            (Form::Backward, _) => backward(&text),
            (Form::Plain | Form::Keyed, true) => indices::short(&text),
            (Form::Plain | Form::Keyed, false) => Some(forward(text)),
        });
        let text = text.ok_or_else(|| missing(entry))?;
        let blocks = entry.blocks(candidate.capability, device.shared_bytes_per_block);
        let text = match blocks.bounds {
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
