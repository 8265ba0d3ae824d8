//! The record of a rung in a ladder, and the CSV file of all records.

use std::path::Path;

use virtual_gpu::driver::Launch;
use virtual_gpu::{Class, Counters};

use crate::failure::Failure;

/// A rung, run at one size.
#[derive(Debug, Clone)]
pub struct Record {
    /// The document's number.
    pub document: u32,
    /// The task.
    pub what: &'static str,
    /// The rung's title.
    pub rung: &'static str,
    /// Whether the rung is warpfold's own.
    pub is_ours: bool,
    /// The operator's name.
    pub operator: &'static str,
    /// The element type's name.
    pub element: &'static str,
    /// Items of the input.
    pub item_count: usize,
    /// The requested block size. Some rungs launch blocks of half this size.
    pub block_size: u32,
    /// Bytes that any kernel for this task has to move: the input, and for a scan also the output.
    pub bytes: usize,
    /// Median time on the device.
    pub micros: f64,
    /// Median time of the host's work after the launches.
    pub post_micros: f64,
    /// The time of the rung before, if there is one, divided by this rung's time.
    pub over_previous: Option<f64>,
    /// The time of warpfold's own rung, divided by this rung's time.
    pub over_ours: Option<f64>,
    /// The virtual GPU's counts; `None` on a real GPU.
    pub counts: Option<Counts>,
}

/// The virtual GPU's counts of one run: sums over its launches.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// The number of launches by the host.
    pub launches: usize,
    /// The other counts.
    pub counters: Counters,
}

impl Counts {
    /// The sums; `None` if nothing was counted.
    pub fn of(launches: &[Launch]) -> Option<Self> {
        let mut counts = Self::default();
        for counters in launches.iter().flat_map(|launch| &launch.outcome) {
            counts.launches += 1;
            counts.counters.add(counters);
        }
        (counts.launches > 0).then_some(counts)
    }

    /// Floating-point instructions, counted once for each lane. For a sum of floats, this is the number of applications of the operator.
    pub fn float_instructions(&self) -> u64 {
        self.counters.of_class(Class::Float)
    }

    /// 32-byte sectors of global memory, read and written.
    pub fn sectors(&self) -> u64 {
        self.counters.global_sectors_read + self.counters.global_sectors_written
    }

    /// The numbers, in the order of [`COUNTED`].
    pub fn numbers(&self) -> [u64; COUNTED.len()] {
        let counters = &self.counters;
        [
            self.launches as u64,
            counters.lane_instructions(),
            self.float_instructions(),
            self.sectors(),
            counters.shared_accesses,
            counters.bank_conflicts,
            counters.divergent_branches,
            counters.barriers,
            counters.atomics,
        ]
    }
}

/// The names of the virtual GPU's counts.
pub const COUNTED: [&str; 9] = [
    "launches",
    "instructions",
    "float_ops",
    "sectors",
    "shared",
    "conflicts",
    "divergent",
    "barriers",
    "atomics",
];

impl Record {
    /// Billions of bytes a second.
    pub fn rate(&self) -> f64 {
        self.bytes as f64 / self.micros / 1e3
    }

    /// The document, the task, the operator, and the number and type of the items.
    pub fn problem(&self) -> String {
        format!(
            "document {}: {} ({}) of {} {}",
            self.document, self.what, self.operator, self.item_count, self.element
        )
    }
}

const COLUMNS: [&str; 12] = [
    "document",
    "what",
    "rung",
    "operator",
    "element",
    "items",
    "block_size",
    "microseconds",
    "post_kernel_microseconds",
    "gigabytes_per_second",
    "times_the_one_before",
    "times_ours",
];

/// Writes the records to a file.
pub fn write_csv(path: &Path, records: &[Record]) -> Result<(), Failure> {
    let columns: Vec<&str> = COLUMNS.iter().chain(&COUNTED).copied().collect();
    let rows: Vec<Vec<String>> = records.iter().map(fields).collect();
    write_rows(path, &columns, &rows)
}

/// Writes a table to a file.
pub fn write_rows<R: AsRef<[String]>>(
    path: &Path,
    columns: &[&str],
    rows: &[R],
) -> Result<(), Failure> {
    let write = || -> csv::Result<()> {
        let mut file = csv::Writer::from_path(path)?;
        file.write_record(columns)?;
        for row in rows {
            file.write_record(row.as_ref())?;
        }
        Ok(file.flush()?)
    };
    write().map_err(|error| Failure::Table {
        path: path.to_owned(),
        error,
    })
}

/// The fields of a record, in the order of the columns.
fn fields(record: &Record) -> Vec<String> {
    let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.4}"));
    let mut fields = vec![
        record.document.to_string(),
        record.what.to_owned(),
        record.rung.to_owned(),
        record.operator.to_owned(),
        record.element.to_owned(),
        record.item_count.to_string(),
        record.block_size.to_string(),
        format!("{:.3}", record.micros),
        format!("{:.3}", record.post_micros),
        format!("{:.3}", record.rate()),
        ratio(record.over_previous),
        ratio(record.over_ours),
    ];
    match &record.counts {
        Some(counts) => fields.extend(counts.numbers().map(|number| number.to_string())),
        None => fields.extend(COUNTED.map(|_| String::new())),
    }
    fields
}
