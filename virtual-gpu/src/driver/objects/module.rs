//! Modules and the functions in them.

use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::Context;
use crate::driver::objects::lock;
use crate::driver::objects::machine::Machine;
use crate::{DeviceConfig, Kernel, LoadError, Variable};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// The setting that leaves the split between shared memory and cache to the driver.
const DEFAULT_CARVEOUT: i32 = -1;

/// A loaded module. It is shared by the table of handles, the module's functions, queued launches and graphs. When the last of these lets
/// go of the module, the module's variables are freed.
pub(crate) struct Module {
    pub(crate) context: Arc<Context>,
    loaded: Option<crate::Module>,
    functions: Mutex<BTreeMap<String, Handle<Function>>>,
}

/// A kernel of a module, with its settings.
pub(crate) struct Function {
    pub(crate) module: Arc<Module>,
    pub(crate) handle: Handle<Module>,
    pub(crate) kernel: Kernel,
    /// The most bytes of dynamic shared memory that a launch may ask for.
    pub(crate) max_dynamic_shared_bytes: AtomicU32,
    pub(crate) carveout: AtomicI32,
    pub(crate) setup: Mutex<Setup>,
}

/// The settings for launches by calls such as `cuLaunchGrid`: the shape of a block, the dynamic shared memory and the parameters.
#[derive(Clone, Default)]
pub(crate) struct Setup {
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) parameters: Vec<u8>,
    /// The number of bytes that a launch passes to the kernel, at most the length of `parameters`.
    pub(crate) parameter_bytes: usize,
}

impl Module {
    pub(crate) fn load(context: Arc<Context>, text: &str) -> Result<Self, LoadError> {
        let device = context.device;
        let loaded = crate::Module::load(text, &device.config, &device.memory)?;
        Ok(Self {
            context,
            loaded: Some(loaded),
            functions: Mutex::default(),
        })
    }

    /// The names of the module's kernels, in alphabetical order.
    pub(crate) fn kernel_names(&self) -> Vec<String> {
        let kernels = self.loaded.iter().flat_map(crate::Module::kernels);
        kernels.map(|kernel| kernel.name().to_owned()).collect()
    }

    pub(crate) fn variable(&self, name: &str) -> Outcome<Variable> {
        let variable = self
            .loaded
            .as_ref()
            .and_then(|loaded| loaded.variable(name));
        variable.ok_or(Code::NOT_FOUND)
    }

    /// The handle of a kernel. Each lookup of the same name returns the same handle.
    pub(crate) fn function(
        self: &Arc<Self>,
        machine: &Machine,
        handle: Handle<Module>,
        name: &str,
    ) -> Outcome<Handle<Function>> {
        let kernel = self.loaded.as_ref().and_then(|loaded| loaded.kernel(name));
        let kernel = kernel.ok_or(Code::NOT_FOUND)?;
        let mut functions = lock(&self.functions);
        if let Some(known) = functions.get(name) {
            return Ok(*known);
        }
        let config = &self.context.device.config;
        let made = machine.functions.insert(Function {
            module: Arc::clone(self),
            handle,
            kernel: kernel.clone(),
            max_dynamic_shared_bytes: AtomicU32::new(default_dynamic_shared_bytes(kernel, config)),
            carveout: AtomicI32::new(DEFAULT_CARVEOUT),
            setup: Mutex::default(),
        });
        functions.insert(name.to_owned(), made);
        Ok(made)
    }
}

/// The default of `max_dynamic_shared_bytes`.
fn default_dynamic_shared_bytes(kernel: &Kernel, config: &DeviceConfig) -> u32 {
    config
        .shared_bytes_per_block
        .saturating_sub(kernel.static_shared_bytes())
}

impl Function {
    /// The most threads that a block of this kernel may have.
    pub(crate) fn max_threads_per_block(&self) -> u32 {
        let config = &self.module.context.device.config;
        let declared = self
            .kernel
            .required_block_dim()
            .or(self.kernel.max_block_dim());
        let declared = declared.map(|dim| {
            dim.iter()
                .fold(1_u32, |threads, n| threads.saturating_mul(*n))
        });
        let of_device = config.max_threads_per_block;
        declared.map_or(of_device, |threads| threads.min(of_device))
    }

    /// How many blocks one multiprocessor holds at once, if each block has `threads` threads and `dynamic_shared_bytes` bytes of dynamic
    /// shared memory. Like the real driver, this query accepts more threads than a block of the kernel may have, although such a block
    /// cannot be launched.
    pub(crate) fn blocks_per_multiprocessor(
        &self,
        threads: u32,
        dynamic_shared_bytes: usize,
    ) -> u32 {
        let dynamic = u32::try_from(dynamic_shared_bytes).unwrap_or(u32::MAX);
        let shared = self.kernel.static_shared_bytes().saturating_add(dynamic);
        let allowed = self.max_dynamic_shared_bytes.load(Ordering::Relaxed);
        let config = &self.module.context.device.config;
        if threads > config.max_threads_per_block || dynamic > allowed {
            return 0;
        }
        config.blocks_per_multiprocessor(threads, shared)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if let Some(loaded) = self.loaded.take() {
            // Unloading cannot fail, because nothing else frees the module's variables.
            let _ = loaded.unload(&self.context.device.memory);
        }
    }
}
