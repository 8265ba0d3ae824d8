//! A kernel, the same kernel with a mistake, and the report: `cargo run -p virtual-gpu --example hello`
//!
//! The kernel doubles 100 numbers in a block of 128 threads. The last 28 threads exit at once. In the faulty
//! version they continue, and read past the end of the numbers.

use virtual_gpu::{Counters, DeviceConfig, LaunchError, Memory, Module, RunOptions, Shape};

const DOUBLE: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry double(.param .u64 numbers)
{
    .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 100;
    @%p1 ret;
    ld.param.u64 %d1, [numbers];
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d3, %d1, %d2;
    ld.global.u32 %r2, [%d3];
    add.u32 %r3, %r2, %r2;
    st.global.u32 [%d3], %r3;
    ret;
}
";

const COUNT: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", report()?);
    Ok(())
}

/// Runs both kernels and describes their outcomes.
pub fn report() -> Result<String, Box<dyn std::error::Error>> {
    let device = DeviceConfig::default();
    let memory = Memory::new(device.memory_bytes);
    let numbers = memory.alloc(4 * COUNT as u64)?;
    let items: Vec<u8> = (0..COUNT as u32).flat_map(u32::to_le_bytes).collect();
    memory.write(numbers, &items)?;

    let counters = run(DOUBLE, numbers, &memory, &device)??;
    let mut last = [0; 4];
    memory.read(numbers + 4 * (COUNT as u64 - 1), &mut last)?;

    let faulty = DOUBLE.replace("@%p1 ret;", "");
    let Err(LaunchError::Fault(fault)) = run(&faulty, numbers, &memory, &device)? else {
        return Err("the faulty kernel was not stopped".into());
    };
    Ok(format!(
        "double: the last number is {}\n\
         double: {} warp instructions, {} bytes read\n\
         \n\
         without its guard:\n{fault}\n",
        u32::from_le_bytes(last),
        counters.warp_instructions,
        counters.global_bytes_read
    ))
}

/// Loads a text and launches its kernel in one block of 128 threads.
fn run(
    text: &str,
    numbers: u64,
    memory: &Memory,
    device: &DeviceConfig,
) -> Result<Result<Counters, LaunchError>, Box<dyn std::error::Error>> {
    let module = Module::load(text, device, memory)?;
    let kernel = module.kernel("double").ok_or("there is no such kernel")?;
    let shape = Shape {
        grid: [1, 1, 1],
        block: [128, 1, 1],
        dynamic_shared_bytes: 0,
    };
    let parameters = numbers.to_le_bytes();
    let options = RunOptions::default();
    Ok(kernel.launch(&shape, &parameters, memory, device, &options))
}
