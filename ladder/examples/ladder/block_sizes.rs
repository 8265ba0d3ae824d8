//! Document 2's experiment with block sizes, repeated with all three kernels of the document.
//!
//! With large blocks, the host has few results to add up afterwards. Small blocks may leave multiprocessors partly empty, since a
//! multiprocessor holds a limited number of blocks. The document measured 2^24 + 1 items on a GPU of compute capability 2.0. (The document
//! writes 2^14 + 1, but its grids are those of 2^24 + 1.)

use std::io::Write;
use std::path::Path;

use warpfold::Sum;
use warpfold::cust::device::{Device, DeviceAttribute};
use warpfold::cust::memory::DeviceBuffer;
use warpfold_ladder::Rung;

use crate::failure::Failure;
use crate::ladders::progress_bar;
use crate::measure::{Bench, Run};
use crate::problem::{check_reduction, items};
use crate::record::write_rows;

const BLOCK_SIZES: [u32; 4] = [128, 256, 512, 1024];

const KERNELS: [Rung; 3] = [
    Rung::DivergentNeighbours,
    Rung::PackedNeighbours,
    Rung::PackedInterleaved,
];

const COLUMNS: [&str; 8] = [
    "kernel",
    "block_size",
    "grid_size",
    "occupancy_percent",
    "blocks_per_multiprocessor",
    "kernel_ms",
    "post_kernel_ms",
    "total_ms",
];

/// Runs the experiment, prints its table, and writes the table to the folder if a folder is given.
pub fn run(bench: &Bench, folder: Option<&Path>, out: &mut dyn Write) -> Result<(), Failure> {
    let held =
        Device::get_device(0)?.get_attribute(DeviceAttribute::MaxThreadsPerMultiprocessor)?;
    let items = items::<i32>(bench.choose((1 << 24) + 1, (1 << 14) + 1));
    let input = DeviceBuffer::from_slice(&items)?;
    writeln!(
        out,
        "\ndocument 2: block sizes, {} items of i32",
        items.len()
    )?;
    writeln!(
        out,
        "{:<38} {:>6} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "kernel", "block", "grid", "occupancy", "blocks/SM", "kernel ms", "post ms", "total ms"
    )?;
    let mut rows = Vec::new();
    let bar = progress_bar(KERNELS.len() * BLOCK_SIZES.len(), 2);
    for rung in KERNELS {
        bar.set_message(rung.title());
        for block_size in BLOCK_SIZES {
            let run = bench.run(|| {
                bench
                    .ladder
                    .reduce_measured::<Sum, _>(rung, &input, block_size)
            })?;
            check_reduction::<Sum, _>(rung, run.value, &items)?;
            let row = row(rung, block_size, held, &run);
            bar.suspend(|| {
                writeln!(
                    out,
                    "{:<38} {:>6} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}",
                    row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
                )
            })?;
            rows.push(row);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if let Some(folder) = folder {
        write_rows(&folder.join("block_sizes.csv"), &COLUMNS, &rows)?;
    }
    Ok(())
}

/// A row of the table. A multiprocessor has room for `held` threads.
fn row<T>(rung: Rung, block_size: u32, held: i32, run: &Run<T>) -> [String; COLUMNS.len()] {
    let (grid, blocks) = run.launches.first().map_or((0, 0), |launch| {
        (launch.grid_blocks, launch.blocks_per_multiprocessor)
    });
    let occupancy = 100.0 * f64::from(blocks * block_size) / f64::from(held.max(1));
    let (kernel, post_kernel) = (run.kernel.as_secs_f64(), run.post_kernel.as_secs_f64());
    let millis = |seconds: f64| format!("{:.4}", 1e3 * seconds);
    [
        rung.title().to_owned(),
        block_size.to_string(),
        grid.to_string(),
        format!("{occupancy:.0}"),
        blocks.to_string(),
        millis(kernel),
        millis(post_kernel),
        millis(kernel + post_kernel),
    ]
}
