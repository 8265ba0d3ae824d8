//! Modules: PTX text, read and lowered as a whole, so that unsupported features are found before a
//! kernel runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::DeviceConfig;
use crate::lower::{self, LoadError};
use crate::memory::{Memory, MemoryError};
use crate::program::{Parameter, Program};
use crate::ptx::{self, ast::Limits};

/// A loaded module.
#[derive(Debug)]
pub struct Module {
    kernels: BTreeMap<String, Kernel>,
    variables: BTreeMap<String, Variable>,
}

/// A variable of a module, in global memory (`.const` variables too).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its address.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
}

/// A kernel of a loaded module.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// All kernels of its module. A kernel may launch any of them.
    siblings: Arc<[Compiled]>,
    index: usize,
}

/// A kernel as its module keeps it.
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
    /// The text is malformed, uses unsupported features ([`LIMITS`](crate::LIMITS)) or is for a newer
    /// device, or its variables do not fit into the memory. Then nothing stays allocated.
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
    /// # Errors
    ///
    /// A variable is not in this memory, or was freed before.
    pub fn unload(self, memory: &Memory) -> Result<(), MemoryError> {
        for variable in self.variables.values() {
            memory.free(variable.address)?;
        }
        Ok(())
    }

    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.get(name)
    }

    /// All kernels, by name.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.kernels.values()
    }

    /// The variable of that name.
    pub fn variable(&self, name: &str) -> Option<Variable> {
        self.variables.get(name).copied()
    }
}

impl Kernel {
    pub(crate) fn compiled(&self) -> &Compiled {
        &self.siblings[self.index]
    }

    fn program(&self) -> &Program {
        &self.compiled().program
    }

    fn limits(&self) -> &Limits {
        &self.compiled().limits
    }

    /// All kernels of its module, in the order of the text.
    pub(crate) fn siblings(&self) -> &[Compiled] {
        &self.siblings
    }

    /// The kernel with this index in the order of the text.
    pub(crate) fn sibling(&self, index: usize) -> Option<Kernel> {
        let siblings = Arc::clone(&self.siblings);
        (index < siblings.len()).then_some(Kernel { siblings, index })
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.program().name
    }

    /// Its parameters, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.program().parameters
    }

    /// Bytes of all its parameters.
    pub fn parameter_bytes(&self) -> u32 {
        self.parameters().last().map_or(0, |p| p.offset + p.bytes)
    }

    /// Bytes of shared memory that every launch of it has.
    pub fn static_shared_bytes(&self) -> u32 {
        self.program().static_shared_bytes
    }

    /// Bytes of local memory that each thread has.
    pub fn local_bytes(&self) -> u32 {
        self.program().local_bytes
    }

    /// Registers of the PTX text, at most 255. A compiler for real hardware would use another number.
    pub fn registers(&self) -> u32 {
        self.program().register_count.min(255)
    }

    /// `.maxntid`: the largest block it may be launched with.
    pub fn max_block_dim(&self) -> Option<[u32; 3]> {
        self.limits().max_block_dim
    }

    /// `.reqntid`: the only block it may be launched with.
    pub fn required_block_dim(&self) -> Option<[u32; 3]> {
        self.limits().required_block_dim
    }

    /// `.minnctapersm`: how many blocks of it one multiprocessor should hold.
    pub fn min_blocks_per_multiprocessor(&self) -> Option<u32> {
        self.limits().min_blocks_per_multiprocessor
    }
}
