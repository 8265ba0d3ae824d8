//! A sparse matrix times a vector: rows of any length are segments, and a row's result is the sum of its products.
//!
//! ```text
//! values    5 1 | 2 | | 4 3 7        rows begin at 0, 2, 3, 3 (an empty one), and the last ends at 6
//! columns   0 2 | 1 | | 0 1 2
//! result    5·x₀ + 1·x₂,  2·x₁,  0,  4·x₀ + 3·x₁ + 7·x₂
//! ```
//!
//! The time depends mostly on the number of entries, and less on their spread over the rows. Here the host computes the products. A program
//! with a kernel for them could compute them on the device.
//!
//! Exit code: 0 if all went well or the reader of the output is gone, 2 if an argument is wrong, 1 for every other error.

mod common;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use approx::relative_eq;
use clap::Parser;
use warpfold::{Gpu, Sum, reduce};

use common::program;

/// Multiplies a made-up sparse matrix with a vector. The GPU adds the products of each row.
///
/// The result is checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "sparse")]
struct Arguments {}

/// A matrix as compressed sparse rows.
struct Matrix {
    /// The index of each row's first entry; the last element is the number of all entries.
    row_starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

fn main() -> ExitCode {
    program::run(run)
}

fn run(Arguments {}: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let rows = common::item_count(1 << 20, 4000);
    let matrix = Matrix::made_up(rows);
    let vector: Vec<f64> = (0..rows).map(|row| 1.0 / (1 + row) as f64).collect();
    let gpu = Gpu::global()?;
    common::print_device(gpu, out)?;
    let (entries, longest) = (matrix.values.len(), matrix.longest_row());
    writeln!(
        out,
        "matrix     {rows} rows and columns, {entries} entries, up to {longest} in a row"
    )?;

    let products = matrix.products(&vector);
    let (result, time) = common::timed(|| {
        reduce::<Sum, _>(&products)
            .segments(&matrix.row_starts)
            .wait(Gpu::global())
    });
    let result = result?;

    writeln!(out, "time       {time:.1?} for the sums, copies included")?;
    matrix.check(&products, &result)?;
    let norm = result.iter().map(|value| value * value).sum::<f64>().sqrt();
    writeln!(out, "result     {} numbers of norm {norm:.6}", result.len())?;
    writeln!(out, "check      the CPU agrees")?;
    Ok(())
}

impl Matrix {
    /// Rows whose lengths follow a power law: many are empty or short, a few are long.
    fn made_up(rows: usize) -> Self {
        let mut random = common::Random::new(1);
        let mut matrix = Matrix {
            row_starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
        };
        for _ in 0..rows {
            let share = 1.0 + (random.bits() >> 11) as f64;
            let length = ((1_u64 << 53) as f64 / share) as usize % rows;
            for _ in 0..length / 2 {
                matrix.columns.push(random.bits() as usize % rows);
                matrix
                    .values
                    .push(random.bits() as i64 as f64 / 2_f64.powi(63));
            }
            matrix.row_starts.push(matrix.values.len());
        }
        matrix
    }

    fn longest_row(&self) -> usize {
        let ends = self.row_starts.windows(2);
        ends.map(|ends| ends[1] - ends[0]).max().unwrap_or(0)
    }

    /// The products: each entry times the component of `vector` at the index of the entry's column.
    fn products(&self, vector: &[f64]) -> Vec<f64> {
        let entries = self.values.iter().zip(&self.columns);
        entries
            .map(|(value, &column)| value * vector[column])
            .collect()
    }

    /// Checks the sums of products against plain loops, which add in another order.
    fn check(&self, products: &[f64], result: &[f64]) -> Result<(), Box<dyn Error>> {
        for (row, (ends, &device)) in self.row_starts.windows(2).zip(result).enumerate() {
            let cpu: f64 = products[ends[0]..ends[1]].iter().sum();
            if !relative_eq!(device, cpu, epsilon = 1e-12, max_relative = 1e-9) {
                return Err(format!("row {row}: the device gives {device}, the CPU {cpu}").into());
            }
        }
        Ok(())
    }
}
