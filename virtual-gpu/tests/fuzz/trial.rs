//! The trial of any text: it is loaded, and its kernels are launched.

#![allow(dead_code, reason = "a target that only loads launches nothing")]

use virtual_gpu::{DeviceConfig, LoadError, Memory, Module, RunOptions, Shape};

/// The most bytes that the variables of a text may take.
const CAPACITY: u64 = 1 << 20;

/// A device with a little memory.
pub struct Bed {
    device: DeviceConfig,
    memory: Memory,
}

impl Bed {
    pub fn new() -> Self {
        Self {
            device: DeviceConfig::default(),
            memory: Memory::new(CAPACITY),
        }
    }

    /// Loads a text. If that succeeds, calls `then` with the module and unloads it. Returns whether the text loaded.
    pub fn load(&self, text: &str, then: impl FnOnce(&Module)) -> bool {
        let loaded = Module::load(text, &self.device, &self.memory);
        let is_loaded = loaded.is_ok();
        match loaded {
            Ok(module) => {
                then(&module);
                assert!(module.unload(&self.memory).is_ok());
            }
            Err(LoadError::Invalid(problems)) => assert!(!problems.is_empty()),
            Err(_) => {}
        }
        assert_eq!(self.memory.live_bytes(), 0, "allocations are left over");
        is_loaded
    }

    /// Launches every kernel of a module with a small budget of steps. The outcome does not matter.
    pub fn launch(&self, module: &Module) {
        let options = RunOptions {
            step_budget: 2000,
            ..RunOptions::default()
        };
        for kernel in module.kernels() {
            let shape = Shape {
                grid: [1; 3],
                block: kernel.required_block_dim().unwrap_or([40, 1, 1]),
                dynamic_shared_bytes: 64,
            };
            let params = vec![0; kernel.parameter_bytes() as usize];
            let _ = kernel.launch(&shape, &params, &self.memory, &self.device, &options);
        }
    }
}
