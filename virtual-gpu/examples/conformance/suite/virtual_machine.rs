//! The virtual GPU, used through its Rust API and not through the driver API.

use super::case::{Case, FILL, Failure, Machine, Outcome, module_text};
use virtual_gpu::{DeviceConfig, Memory, Module, RunOptions, Shape};

/// A virtual device.
#[derive(Debug)]
pub struct VirtualMachine {
    device: DeviceConfig,
    memory: Memory,
    options: RunOptions,
}

impl VirtualMachine {
    pub fn new(options: RunOptions) -> Self {
        let device = DeviceConfig::default();
        Self {
            memory: Memory::new(device.memory_bytes),
            device,
            options,
        }
    }

    fn run_one(&self, module: &Module, case: &Case) -> Outcome {
        let missing = || Failure::Load(format!("there is no kernel {}", case.entry));
        let kernel = module.kernel(&case.entry).ok_or_else(missing)?;
        let memory = &self.memory;
        let say = |error: virtual_gpu::MemoryError| Failure::Run(error.to_string());
        let input = memory.alloc(case.input.len() as u64).map_err(say)?;
        let output = memory.alloc(case.output_bytes as u64).map_err(say)?;
        let mut bytes = vec![FILL; case.output_bytes];
        memory.write(input, &case.input).map_err(say)?;
        memory.write(output, &bytes).map_err(say)?;
        let params: Vec<u8> = [input, output].map(u64::to_le_bytes).concat();
        let shape = Shape {
            grid: [case.blocks, 1, 1],
            block: [case.threads, 1, 1],
            dynamic_shared_bytes: 0,
        };
        let launched = kernel.launch(&shape, &params, memory, &self.device, &self.options);
        memory.read(output, &mut bytes).map_err(say)?;
        memory.free(input).map_err(say)?;
        memory.free(output).map_err(say)?;
        match launched {
            Ok(_) => Ok(bytes),
            Err(error) => Err(Failure::Run(error.to_string())),
        }
    }
}

impl Machine for VirtualMachine {
    fn run(&mut self, cases: &[Case]) -> Vec<Outcome> {
        match Module::load(&module_text(cases), &self.device, &self.memory) {
            Ok(module) => cases.iter().map(|c| self.run_one(&module, c)).collect(),
            Err(error) => match cases {
                [_] => vec![Err(Failure::Load(error.to_string()))],
                // At least one case does not load. So each case is loaded and run as a separate module.
                _ => cases.chunks(1).flat_map(|case| self.run(case)).collect(),
            },
        }
    }
    fn load(&mut self, text: &str) -> Result<(), String> {
        let module = Module::load(text, &self.device, &self.memory);
        module.map(drop).map_err(|error| error.to_string())
    }
}
