//! Document 3's sweep over sizes and block sizes: the document's kernels, ours, and the CPU.
//!
//! The document begins with 1,024 items and blocks of 128 to 1,024 threads, on an RTX 2070 and a GTX TITAN X.

use std::io::{self, Write};
use std::path::Path;

use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Max, Op};
use warpfold_ladder::{Document, Rung};

use crate::common::timed;
use crate::failure::Failure;
use crate::ladders::progress_bar;
use crate::measure::Bench;
use crate::problem::{check_reduction, items};
use crate::record::write_rows;

const BLOCK_SIZES: [u32; 4] = [128, 256, 512, 1024];

const COLUMNS: [&str; 5] = [
    "items",
    "block_size",
    "kernel",
    "microseconds",
    "least_microseconds",
];

/// Runs the sweep, prints its table, and writes the table to the folder if a folder is given.
pub fn run(bench: &Bench, folder: Option<&Path>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for &item_count in bench.choose(&[1 << 10, 1 << 15, 1 << 20, 1 << 25][..], &[1 << 10]) {
        rows.extend(size(bench, item_count)?);
    }
    writeln!(out, "\ndocument 3: sweep, maximum of u32")?;
    print(&COLUMNS.map(str::to_owned), out)?;
    for row in &rows {
        print(row, out)?;
    }
    if let Some(folder) = folder {
        write_rows(&folder.join("sweep.csv"), &COLUMNS, &rows)?;
    }
    Ok(())
}

type Row = [String; COLUMNS.len()];

/// The rows for this many items: the CPU, then each kernel of the sweep with every size of [`BLOCK_SIZES`] that it supports.
fn size(bench: &Bench, item_count: usize) -> Result<Vec<Row>, Failure> {
    let row = |block_size: String, kernel: &str, [median, least]: [f64; 2]| {
        let micros = |seconds: f64| format!("{:.3}", 1e6 * seconds);
        [
            item_count.to_string(),
            block_size,
            kernel.to_owned(),
            micros(median),
            micros(least),
        ]
    };
    let items = items::<u32>(item_count);
    let mut rows = vec![row(String::new(), "CPU", on_cpu(&items))];
    let input = DeviceBuffer::from_slice(&items)?;
    let rungs = Rung::ALL.iter().copied();
    let rungs: Vec<Rung> = rungs
        .filter(|&rung| rung.document() == Document::Third || rung == Rung::Ours)
        .collect();
    let bar = progress_bar(rungs.len(), 3);
    for rung in rungs {
        bar.set_message(rung.title());
        let of_rung = BLOCK_SIZES
            .into_iter()
            .filter(|&block_size| rung.block_sizes().contains(block_size));
        for block_size in of_rung {
            let run = bench.run(|| {
                bench
                    .ladder
                    .reduce_measured::<Max, _>(rung, &input, block_size)
            })?;
            check_reduction::<Max, _>(rung, run.value, &items)?;
            let times = [run.kernel, run.least].map(|time| time.as_secs_f64());
            rows.push(row(block_size.to_string(), rung.title(), times));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// Seconds of a loop on the CPU: the median of ten runs, and the least.
fn on_cpu(items: &[u32]) -> [f64; 2] {
    let mut times = [(); 10].map(|()| {
        let fold = || {
            items
                .iter()
                .fold(<Max as Op<u32>>::identity(), |a, &b| a.max(b))
        };
        let (maximum, time) = timed(fold);
        std::hint::black_box(maximum);
        time.as_secs_f64()
    });
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[0]]
}

fn print([items, block_size, kernel, micros, least]: &Row, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{items:>10} {block_size:>11} {kernel:<38} {micros:>14} {least:>19}"
    )
}
