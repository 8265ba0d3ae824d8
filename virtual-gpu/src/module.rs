//! Modules: PTX texts. When a text is loaded, all its kernels are lowered, so that unsupported features are found before a kernel runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::DeviceConfig;
use crate::lower::{self, LoadError};
use crate::memory::{Memory, MemoryError};
use crate::program::{Parameter, Program};
use crate::ptx::{self, ast::Limits};

/// A loaded module.
///
/// ```
/// use virtual_gpu::{DeviceConfig, Memory, Module};
///
/// let text = ".version 8.0 .target sm_80 .address_size 64
///     .global .u32 seen;
///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
/// let device = DeviceConfig::default();
/// let memory = Memory::new(device.memory_bytes);
/// let module = Module::load(text, &device, &memory)?;
/// assert_eq!(module.kernels().count(), 1);
/// # Ok::<(), virtual_gpu::LoadError>(())
/// ```
#[derive(Debug)]
pub struct Module {
    kernels: BTreeMap<String, Kernel>,
    variables: BTreeMap<String, Variable>,
}

/// A variable of a module, in global memory (`.const` variables too).
///
/// ```
/// use virtual_gpu::{DeviceConfig, Memory, Module};
///
/// let text = ".version 8.0 .target sm_80 .address_size 64
///     .global .u32 seen;
///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
/// let device = DeviceConfig::default();
/// let memory = Memory::new(device.memory_bytes);
/// let module = Module::load(text, &device, &memory)?;
/// let seen = module.variable("seen").expect("it is in the text");
/// assert_eq!((seen.bytes, memory.find(seen.address).is_some()), (4, true));
/// # Ok::<(), virtual_gpu::LoadError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// The variable's address.
    pub address: u64,
    /// The variable's size in bytes.
    pub bytes: u64,
}

/// A kernel of a loaded module.
///
/// ```
/// use virtual_gpu::{DeviceConfig, Memory, Module, RunOptions, Shape};
///
/// let text = ".version 8.0 .target sm_80 .address_size 64
///     .global .u32 seen;
///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
/// let device = DeviceConfig::default();
/// let memory = Memory::new(device.memory_bytes);
/// let module = Module::load(text, &device, &memory)?;
/// let kernel = module.kernel("k").expect("it is in the text");
/// let shape = Shape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
/// let counters = kernel.launch(&shape, &[0; 12], &memory, &device, &RunOptions::default())?;
/// assert_eq!(counters.warp_instructions, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Kernel {
    /// All kernels of its module. A kernel may launch any of them.
    siblings: Arc<[Compiled]>,
    index: usize,
}

/// A lowered kernel and its launch limits.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) program: Arc<Program>,
    limits: Limits,
}

impl Module {
    /// Reads and lowers a PTX text, and places and initialises its variables.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, LoadError, Memory, Module};
    ///
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .entry k() { .reg .pred %p<2>;
    ///     vote.all.pred %p1, %p1; }";
    /// let Err(LoadError::Invalid(problems)) = Module::load(text, &device, &memory) else {
    ///     panic!("a vote needs `.sync`");
    /// };
    /// assert_eq!((problems.len(), problems[0].line), (1, 3));
    /// ```
    ///
    /// # Errors
    ///
    /// The call fails if the text is malformed, if it uses unsupported features ([`LIMITS`](crate::LIMITS)), if it is not for this device,
    /// or if its variables do not fit into the memory. After an error, nothing stays allocated.
    pub fn load(text: &str, device: &DeviceConfig, memory: &Memory) -> Result<Self, LoadError> {
        let mut problems = Vec::new();
        let text = ptx::with_grid_barrier(text);
        let tree = ptx::parse(&text, &mut problems);
        let lowered = lower::lower(&tree, problems, device, memory)?;
        let compiled = |(program, limits): (Program, Limits)| Compiled {
            program: Arc::new(program),
            limits,
        };
        let siblings: Arc<[Compiled]> = lowered.kernels.into_iter().map(compiled).collect();
        let kernels = siblings.iter().enumerate().map(|(index, compiled)| {
            let siblings = Arc::clone(&siblings);
            (compiled.program.name.clone(), Kernel { siblings, index })
        });
        let variable = |(name, address, bytes)| (name, Variable { address, bytes });
        Ok(Self {
            kernels: kernels.collect(),
            variables: lowered.variables.into_iter().map(variable).collect(),
        })
    }

    /// Frees the module's variables.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// assert_eq!(memory.live_allocations(), 1);
    /// module.unload(&memory)?;
    /// assert_eq!(memory.live_allocations(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The call fails if a variable is not in this memory, or was freed before. All other variables are freed nevertheless. If several
    /// variables fail, the error is that of the first in the order of names.
    pub fn unload(self, memory: &Memory) -> Result<(), MemoryError> {
        let variables = self.variables.values();
        let freed = variables.map(|variable| memory.free(variable.address));
        freed.fold(Ok(()), Result::and)
    }

    /// The kernel of that name.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// assert!(module.kernel("k").is_some() && module.kernel("l").is_none());
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.get(name)
    }

    /// All kernels, sorted by name.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let names: Vec<_> = module.kernels().map(|kernel| kernel.name()).collect();
    /// assert_eq!(names, ["k"]);
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels.values()
    }

    /// The variable of that name.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// assert!(module.variable("seen").is_some() && module.variable("k").is_none());
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn variable(&self, name: &str) -> Option<Variable> {
        self.variables.get(name).copied()
    }
}

impl Kernel {
    pub(crate) fn compiled(&self) -> &Compiled {
        &self.siblings[self.index]
    }

    pub(crate) fn program(&self) -> &Program {
        &self.compiled().program
    }

    fn limits(&self) -> &Limits {
        &self.compiled().limits
    }

    /// All kernels of this kernel's module, in the order of the text.
    pub(crate) fn siblings(&self) -> &[Compiled] {
        &self.siblings
    }

    /// The kernel with this index in the order of the text.
    pub(crate) fn sibling(&self, index: usize) -> Option<Kernel> {
        let siblings = Arc::clone(&self.siblings);
        (index < siblings.len()).then_some(Kernel { siblings, index })
    }

    /// The kernel's name.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// assert_eq!(kernel.name(), "k");
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.program().name
    }

    /// The kernel's parameters, in order.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// let bytes: Vec<_> = kernel.parameters().iter().map(|parameter| parameter.bytes).collect();
    /// assert_eq!(bytes, [8, 4]);
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn parameters(&self) -> &[Parameter] {
        &self.program().parameters
    }

    /// The size of all parameters in bytes, with the gaps between them.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// assert_eq!(kernel.parameter_bytes(), 12);
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn parameter_bytes(&self) -> u32 {
        self.parameters().last().map_or(0, |p| p.offset + p.bytes)
    }

    /// Bytes of static shared memory of each block.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// assert_eq!(kernel.static_shared_bytes(), 64);
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn static_shared_bytes(&self) -> u32 {
        self.program().static_shared_bytes
    }

    /// Bytes of local memory that each thread has.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// assert_eq!(kernel.local_bytes(), 0);
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn local_bytes(&self) -> u32 {
        self.program().local_bytes
    }

    /// Registers that the interpreter uses for the kernel, or 255 if there are more. A compiler for real hardware uses a different number.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// assert_eq!(kernel.registers(), 0);
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn registers(&self) -> u32 {
        self.program().register_count.min(255)
    }

    /// `.maxntid`: the extents of the largest block. A launch may choose other extents with as many threads, or fewer.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// assert_eq!(kernel.max_block_dim(), Some([256, 1, 1]));
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn max_block_dim(&self) -> Option<[u32; 3]> {
        self.limits().max_block_dim
    }

    /// `.reqntid`: the extents that the kernel's blocks must have.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// assert_eq!(kernel.required_block_dim(), None);
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn required_block_dim(&self) -> Option<[u32; 3]> {
        self.limits().required_block_dim
    }

    /// `.minnctapersm`: how many of the kernel's blocks one multiprocessor should hold.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// assert_eq!(kernel.min_blocks_per_multiprocessor(), None);
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    pub fn min_blocks_per_multiprocessor(&self) -> Option<u32> {
        self.limits().min_blocks_per_multiprocessor
    }
}
