//! Writes the header, and rows as they are measured, to a file or to the standard output.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;
use time::OffsetDateTime;
use warpfold::Gpu;
use warpfold::cust::CudaApiVersion;

use crate::cli::Measure;
use crate::cub::Cub;
use crate::record::{Record, Row};
use crate::timing::Queueing;

/// Takes rows one by one, and stores them. If the program ends early, the file has all rows until then.
pub struct Sink {
    record: Record,
    writer: csv::Writer<Box<dyn Write>>,
}

impl Sink {
    /// Writes to `results.csv` in a folder, or to the standard output. Creates the folder.
    pub fn new(header: Vec<String>, folder: Option<&Path>) -> Result<Self> {
        let mut output: Box<dyn Write> = match folder {
            Some(folder) => {
                fs::create_dir_all(folder)?;
                Box::new(File::create(folder.join("results.csv"))?)
            }
            None => Box::new(io::stdout()),
        };
        for line in &header {
            writeln!(output, "# {line}")?;
        }
        Ok(Self {
            record: Record {
                header,
                rows: Vec::new(),
            },
            writer: csv::Writer::from_writer(output),
        })
    }

    pub fn put(&mut self, row: Row) -> Result<()> {
        self.writer.serialize(&row)?;
        self.writer.flush()?;
        self.record.rows.push(row);
        Ok(())
    }

    /// All rows.
    pub fn finish(mut self) -> Result<Record> {
        self.writer.flush()?;
        Ok(self.record)
    }
}

/// The header: machine, date and settings.
pub fn header(gpu: &Gpu, cub: &Cub, options: &Measure, seed: u64) -> Result<Vec<String>> {
    let (major, minor) = gpu.compute_capability();
    let version = CudaApiVersion::get()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let queueing = match options.queueing {
        Queueing::Launches => "launched by the host one by one",
        Queueing::Graph => "replayed from a graph, where several make a batch",
    };
    let mut header = vec![
        format!(
            "device: {} (compute capability {major}.{minor}, {} multiprocessors)",
            gpu.name(),
            gpu.multiprocessors()
        ),
        format!("driver: {}", driver(version)),
        format!(
            "cub: {}",
            cub.version().as_deref().unwrap_or("not measured")
        ),
        format!("date: {}", OffsetDateTime::now_utc().date()),
        format!("command: warpfold-bench {}", arguments.join(" ")),
        format!("seed: {seed}"),
    ];
    header.push(format!(
        "a time is the median of {} batches (of fewer, where a call's took more than {} ms), in microseconds a call; \
         calls are {queueing}; reductions count the bytes that they read, scans and copies those that they read and \
         write",
        options.repeats, options.call_millis
    ));
    Ok(header)
}

/// The driver's own version, if the system reports it, and the CUDA version that the driver supports.
fn driver(version: CudaApiVersion) -> String {
    let cuda = format!("CUDA {}.{}", version.major(), version.minor());
    let told = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let number = told
        .split_whitespace()
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()));
    match number {
        Some(number) => format!("{number}, {cuda}"),
        None => cuda,
    }
}
