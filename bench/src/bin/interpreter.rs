//! The speed at which the virtual GPU interprets the library's own kernels:
//! `cargo run --release -p warpfold-bench --bin interpreter`.
//!
//! Prints how many million lane instructions one core interprets per second, in a column for each set of checks. The checks of memory
//! accesses are always on. Each number is from the fastest of several runs. The numbers say nothing about the speed of a GPU.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use virtual_gpu::driver::{Choice, run_with, watch_launches};
use virtual_gpu::{Checks, RunOptions, Settings};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Gpu, Sum, reduce, scan};

const ITEMS: usize = 1 << 18;
const RUNS: u32 = 5;
const CHECKS: [&str; 5] = ["none", "sync", "sync,init", "sync,race", "all"];

fn main() -> Result<()> {
    virtual_gpu::start(Settings {
        choice: Choice::On,
        ..Settings::default()
    })?;
    let gpu = Gpu::global()?;
    gpu.make_current()?;
    let items: Vec<f32> = (0..ITEMS).map(|i| (i % 97) as f32).collect();
    let input = DeviceBuffer::from_slice(&items)?;
    let mut output = DeviceBuffer::from_slice(&items)?;
    println!("M lane instructions/s, {ITEMS} items of f32, with checks:");
    println!(
        "{:8}{}",
        "",
        CHECKS.map(|checks| format!("{checks:>11}")).concat()
    );
    row("reduce", || {
        reduce::<Sum, _>(&input).wait(gpu)?;
        Ok(())
    })?;
    row("scan", || {
        Ok(scan::<Sum, _>(&input).to(&mut output).wait(gpu)?)
    })
}

/// Measures a call with each set of checks.
fn row(name: &str, mut call: impl FnMut() -> Result<()>) -> Result<()> {
    print!("{name:8}");
    for checks in CHECKS {
        let options = RunOptions {
            checks: Checks::parse(checks).context("no such checks")?,
            ..RunOptions::default()
        };
        let mut fastest = 0.0_f64;
        for _ in 0..RUNS {
            let watch = watch_launches();
            let start = Instant::now();
            run_with(options.clone(), &mut call)?;
            let seconds = start.elapsed().as_secs_f64();
            let mut lane_instructions = 0;
            for launch in watch.take() {
                let counters = launch.outcome.map_err(|error| anyhow::anyhow!("{error}"))?;
                lane_instructions += counters.lane_instructions();
            }
            ensure!(lane_instructions > 0, "nothing was launched");
            fastest = fastest.max(lane_instructions as f64 / seconds / 1e6);
        }
        print!("{fastest:>11.0}");
    }
    println!();
    Ok(())
}
