//! A device for tests: memory, and PTX to run on it.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod instruction;

use virtual_gpu::{
    Counters, DeviceConfig, Fault, LaunchError, LoadError, Memory, Module, Problem, RunOptions,
    Shape,
};

/// One virtual device.
pub struct Device {
    pub config: DeviceConfig,
    pub memory: Memory,
    pub options: RunOptions,
}

/// The value of one parameter of a kernel.
pub enum Arg {
    U32(u32),
    U64(u64),
}

impl Device {
    pub fn new() -> Self {
        let config = DeviceConfig::default();
        Self {
            memory: Memory::new(config.memory_bytes),
            config,
            options: RunOptions::default(),
        }
    }

    pub fn load(&self, ptx: &str) -> Module {
        match Module::load(ptx, &self.config, &self.memory) {
            Ok(module) => module,
            Err(error) => panic!("{error}"),
        }
    }

    pub fn problems(&self, ptx: &str) -> Vec<Problem> {
        match Module::load(ptx, &self.config, &self.memory) {
            Err(LoadError::Invalid(problems)) => problems,
            other => panic!("expected problems, got {other:?}"),
        }
    }

    pub fn upload<T: bytemuck::NoUninit>(&self, values: &[T]) -> u64 {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let address = self.memory.alloc(bytes.len() as u64).unwrap();
        self.memory.write(address, bytes).unwrap();
        address
    }

    pub fn zeros(&self, bytes: u64) -> u64 {
        let address = self.memory.alloc(bytes).unwrap();
        self.memory.fill(address, bytes, &[0]).unwrap();
        address
    }

    pub fn download<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
        &self,
        address: u64,
        count: usize,
    ) -> Vec<T> {
        let mut values = vec![T::zeroed(); count];
        let bytes = bytemuck::cast_slice_mut(&mut values);
        self.memory.read(address, bytes).unwrap();
        values
    }

    pub fn launch(
        &self,
        module: &Module,
        name: &str,
        grid: u32,
        block: u32,
        args: &[Arg],
    ) -> Result<Counters, LaunchError> {
        let shape = Shape {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared_bytes: 4096,
        };
        let kernel = module.kernel(name).expect("a kernel of that name");
        let mut params = vec![0; kernel.parameter_bytes() as usize];
        for (arg, parameter) in args.iter().zip(kernel.parameters()) {
            let to = &mut params[parameter.offset as usize..][..parameter.bytes as usize];
            match arg {
                Arg::U32(value) => to.copy_from_slice(&value.to_le_bytes()),
                Arg::U64(value) => to.copy_from_slice(&value.to_le_bytes()),
            }
        }
        kernel.launch(&shape, &params, &self.memory, &self.config, &self.options)
    }

    pub fn run(&self, ptx: &str, grid: u32, block: u32, args: &[Arg]) -> Counters {
        let module = self.load(ptx);
        match self.launch(&module, "k", grid, block, args) {
            Ok(counters) => counters,
            Err(error) => panic!("{error}"),
        }
    }

    pub fn fault(&self, ptx: &str, grid: u32, block: u32, args: &[Arg]) -> Fault {
        let module = self.load(ptx);
        match self.launch(&module, "k", grid, block, args) {
            Err(LaunchError::Fault(fault)) => *fault,
            other => panic!("expected a fault, got {other:?}"),
        }
    }
}

/// A text with one kernel `k`. Its parameters are 64 bits wide and named `p0`, `p1` and so on. The first line of the body is in line 1 of
/// the text.
pub fn kernel(parameters: usize, body: &str) -> String {
    let names: Vec<String> = (0..parameters)
        .map(|i| format!(".param .u64 p{i}"))
        .collect();
    format!(
        ".version 8.0 .target sm_80 .address_size 64 .extern .shared .align 16 .b8 dynamic[]; \
         .visible .entry k({}) {{ .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<40>; \
         .reg .f32 %f<9>; .reg .b64 %d<20>; .reg .f64 %e<9>; {body}\n}}",
        names.join(", ")
    )
}
