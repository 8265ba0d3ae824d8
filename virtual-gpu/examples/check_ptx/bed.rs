//! A virtual device with a loaded module. Kernels are launched by name.

use virtual_gpu::{DeviceConfig, Memory, Module, RunOptions, Shape};

/// Why a file or a kernel fails, as text.
pub type Trouble = String;

/// A device, and the module loaded on it.
pub struct Bed {
    device: DeviceConfig,
    memory: Memory,
    module: Module,
    options: RunOptions,
}

/// A value that is copied to and from the device as bytes.
pub trait Value: Copy + PartialEq + std::fmt::Debug {
    fn bytes(self) -> Vec<u8>;
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! values {
    ($($t:ty)*) => {$(
        impl Value for $t {
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn read(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$t>()];
                own.copy_from_slice(bytes);
                Self::from_le_bytes(own)
            }
        }
    )*};
}

values!(u8 u16 u32 i32 u64 f32 f64);

impl Bed {
    pub fn load(text: &str, options: RunOptions) -> Result<Self, Trouble> {
        let device = DeviceConfig::default();
        let memory = Memory::new(device.memory_bytes);
        let module = Module::load(text, &device, &memory).map_err(say)?;
        Ok(Self {
            device,
            memory,
            module,
            options,
        })
    }

    pub fn has(&self, kernel: &str) -> bool {
        self.module.kernel(kernel).is_some()
    }

    pub fn upload<T: Value>(&self, values: &[T]) -> Result<u64, Trouble> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.bytes()).collect();
        let address = self.memory.alloc(bytes.len() as u64).map_err(say)?;
        self.memory.write(address, &bytes).map_err(say)?;
        Ok(address)
    }

    pub fn download<T: Value>(&self, address: u64, count: usize) -> Result<Vec<T>, Trouble> {
        let mut bytes = vec![0; count * size_of::<T>()];
        self.memory.read(address, &mut bytes).map_err(say)?;
        Ok(bytes.chunks_exact(size_of::<T>()).map(T::read).collect())
    }

    /// Launches a kernel. Each argument has the bytes of one parameter.
    pub fn launch(
        &self,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_shared_bytes: u32,
        arguments: &[Vec<u8>],
    ) -> Result<(), Trouble> {
        let kernel = self.module.kernel(kernel).ok_or("no such kernel")?;
        let mut params = vec![0; kernel.parameter_bytes() as usize];
        if kernel.parameters().len() != arguments.len() {
            return Err(format!("it has {} parameters", kernel.parameters().len()));
        }
        for (parameter, argument) in kernel.parameters().iter().zip(arguments) {
            if parameter.bytes as usize != argument.len() {
                return Err(format!("a parameter has {} bytes", parameter.bytes));
            }
            params[parameter.offset as usize..][..argument.len()].copy_from_slice(argument);
        }
        let shape = Shape {
            grid,
            block,
            dynamic_shared_bytes,
        };
        let launched = kernel.launch(&shape, &params, &self.memory, &self.device, &self.options);
        launched.map(drop).map_err(say)
    }
}

fn say(error: impl std::fmt::Display) -> Trouble {
    error.to_string()
}

/// Fails if two results differ. The error names their lengths, or the first pair of different values.
pub fn expect<T: Value>(got: &[T], expected: &[T]) -> Result<(), Trouble> {
    if got.len() != expected.len() {
        return Err(format!("{} values and not {}", got.len(), expected.len()));
    }
    match got
        .iter()
        .zip(expected)
        .position(|(a, b)| a.bytes() != b.bytes())
    {
        None => Ok(()),
        Some(i) => Err(format!(
            "value {i} is {:?} and not {:?}",
            got[i], expected[i]
        )),
    }
}

/// Pseudo-random numbers: the upper halves of a linear congruential generator's states.
pub fn numbers(seed: u64, count: usize) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    (0..count).map(|_| next()).collect()
}
