//! Measures reductions and scans on the GPU of this machine, beside a plain copy.
//!
//! ```text
//! cargo run --release -p bench [LOG2 …]
//! ```
//!
//! Prints CSV: who, what, type, number of items (2 to the power of each `LOG2`), median and least time in
//! microseconds, and GB/s, where a reduction counts the bytes it reads, a scan and a copy those they read and
//! write. Each result is checked. Without a real GPU there is nothing to measure, and it says so.

mod cases;
mod timing;

use anyhow::{Context, Result, ensure};
use virtual_gpu::Mode;
use warpfold::Gpu;

/// The sizes that are measured where none are named, as powers of two.
const SIZES: [u32; 11] = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

/// The largest power of two that can be asked for: 32 GiB of 8-byte items.
const LARGEST: u32 = 32;

fn main() -> Result<()> {
    if virtual_gpu::mode()? == Mode::Virtual {
        println!("There is no GPU on this machine, and the virtual one's times mean nothing.");
        return Ok(());
    }
    let sizes = sizes(std::env::args().skip(1))?;
    let gpu = Gpu::new()?;
    gpu.make_current()?;
    let (major, minor) = gpu.compute_capability();
    eprintln!("{} (compute capability {major}.{minor})", gpu.name());
    println!("impl,what,type,n,us_median,us_min,GBps");
    cases::measure::<f32>(&gpu, &sizes)?;
    cases::measure::<f64>(&gpu, &sizes)?;
    cases::measure::<i32>(&gpu, &sizes)?;
    cases::measure::<u64>(&gpu, &sizes)
}

/// The sizes that the arguments name.
fn sizes(arguments: impl Iterator<Item = String>) -> Result<Vec<u32>> {
    let mut sizes = Vec::new();
    for argument in arguments {
        let size = argument
            .parse()
            .with_context(|| format!("`{argument}` is no power of two's exponent"))?;
        ensure!(size <= LARGEST, "2^{size} is more than 2^{LARGEST}");
        sizes.push(size);
    }
    if sizes.is_empty() {
        sizes.extend(SIZES);
    }
    Ok(sizes)
}
