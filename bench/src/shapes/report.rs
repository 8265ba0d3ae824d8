//! Reports measurements: each row as soon as it is measured, and all rows at the end (CSV, table and charts).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use warpfold::Gpu;

use super::chart;
use crate::cli;
use crate::record::Side;
use crate::timing::Timing;

/// A call's time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    #[serde(rename = "impl")]
    side: Side,
    shape: String,
    n: usize,
    us_median: f64,
    us_min: f64,
    us_q1: f64,
    us_q3: f64,
    #[serde(rename = "GBps")]
    rate: f64,
    run: u32,
    right: bool,
}

impl Row {
    /// The row of a call that moves at least `bytes` bytes.
    pub fn new(
        side: Side,
        shape: &str,
        n: usize,
        bytes: u64,
        timing: Timing,
        run: u32,
        right: bool,
    ) -> Self {
        let rounded = |number: f64| (number * 1e3).round() / 1e3;
        Self {
            side,
            shape: shape.to_owned(),
            n,
            us_median: rounded(timing.median),
            us_min: rounded(timing.least),
            us_q1: rounded(timing.lower_quartile),
            us_q3: rounded(timing.upper_quartile),
            rate: (bytes as f64 / timing.median / 1e2).round() / 1e1,
            run,
            right,
        }
    }
}

impl Row {
    /// The name of the measurement.
    pub fn shape(&self) -> &str {
        &self.shape
    }

    /// How many items there were.
    pub fn item_count(&self) -> usize {
        self.n
    }
}

/// The median rate of a side over all runs. `None` if there are no runs.
pub fn median_rate(rows: &[Row], side: Side, shape: &str, n: usize) -> Option<f64> {
    let of_call = |row: &&Row| row.side == side && row.shape == shape && row.n == n;
    let rates: Vec<f64> = rows.iter().filter(of_call).map(|row| row.rate).collect();
    (!rates.is_empty()).then(|| spread(&rates)[1])
}

/// Whether a file has rows of shapes.
pub fn is_of_shapes(csv: &Path) -> Result<bool> {
    let text = fs::read_to_string(csv)?;
    let names = text.lines().find(|line| !line.starts_with('#'));
    Ok(names.is_some_and(|names| names.starts_with("impl,shape,")))
}

/// Draws the charts of a file's rows.
pub fn draw(csv: &Path, folder: &Path) -> Result<ExitCode> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_path(csv)?;
    let rows: Vec<Row> = reader.deserialize().collect::<Result<_, _>>()?;
    fs::create_dir_all(folder)?;
    chart::draw_all(&rows, folder)?;
    Ok(ExitCode::SUCCESS)
}

/// All rows, and the folder to write them to.
pub struct Report {
    header: Vec<String>,
    rows: Vec<Row>,
    folder: Option<PathBuf>,
}

impl Report {
    pub fn new(gpu: &Gpu, cub: Option<String>, options: &cli::Shapes) -> Result<Self> {
        let (major, minor) = gpu.compute_capability();
        let header = vec![
            format!(
                "device: {} (compute capability {major}.{minor})",
                gpu.name()
            ),
            format!("cub: {}", cub.as_deref().unwrap_or("not measured")),
            format!("date: {}", OffsetDateTime::now_utc().date()),
            format!(
                "a time is the median of {} batches, in microseconds a call; a rate counts the fewest bytes that have to move",
                options.repeats
            ),
        ];
        if let Some(folder) = &options.out {
            fs::create_dir_all(folder)?;
        }
        Ok(Self {
            header,
            rows: Vec::new(),
            folder: options.out.clone(),
        })
    }

    /// Prints a row, and stores it.
    pub fn put(&mut self, row: Row) -> Result<()> {
        let verdict = if row.right { "" } else { " WRONG" };
        println!(
            "{:<9} {:<36} n {:>10} {:>10.2} µs {:>7.1} GB/s{verdict}",
            row.side.to_string(),
            row.shape,
            row.n,
            row.us_median,
            row.rate,
        );
        self.rows.push(row);
        Ok(())
    }

    /// Writes `shapes.csv`, `shapes.md` and the charts, if there is a folder for them. The exit code is a failure if a result of warpfold
    /// was wrong.
    pub fn finish(self) -> Result<ExitCode> {
        if let Some(folder) = &self.folder {
            let mut csv: Vec<u8> = Vec::new();
            for line in &self.header {
                csv.extend(format!("# {line}\n").bytes());
            }
            let mut writer = csv::Writer::from_writer(csv);
            for row in &self.rows {
                writer.serialize(row)?;
            }
            fs::write(folder.join("shapes.csv"), writer.into_inner()?)?;
            fs::write(folder.join("shapes.md"), self.markdown())?;
            chart::draw_all(&self.rows, folder)?;
        }
        let wrong = |row: &Row| row.side == Side::Warpfold && !row.right;
        Ok(match self.rows.iter().any(wrong) {
            true => ExitCode::FAILURE,
            false => ExitCode::SUCCESS,
        })
    }

    /// A table with a line for each shape and size: each side's median over all runs, and its least and largest value.
    fn markdown(&self) -> String {
        let mut shapes: Vec<(&str, usize)> = Vec::new();
        let mut micros: BTreeMap<(&str, usize, bool), Vec<f64>> = BTreeMap::new();
        for row in &self.rows {
            let key = (row.shape.as_str(), row.n);
            if !shapes.contains(&key) {
                shapes.push(key);
            }
            let is_ours = row.side == Side::Warpfold;
            let runs = micros.entry((key.0, key.1, is_ours)).or_default();
            runs.push(row.us_median);
        }
        let mut text = String::from("# Shapes, `f32`\n\n");
        for line in &self.header {
            let _ = writeln!(text, "- {line}");
        }
        text +=
            "\n| shape | items | warpfold µs | CUB µs | times as fast |\n|---|---|---|---|---|\n";
        for (shape, n) in shapes {
            let of = |is_ours| micros.get(&(shape, n, is_ours)).map(|runs| spread(runs));
            let (ours, theirs) = (of(true), of(false));
            let cell = |side: Option<[f64; 3]>| match side {
                Some([least, median, most]) => format!("{median:.1} ({least:.1} to {most:.1})"),
                None => String::new(),
            };
            let ratio = match (ours, theirs) {
                (Some(ours), Some(theirs)) => format!("{:.2}", theirs[1] / ours[1]),
                _ => String::new(),
            };
            let _ = writeln!(
                text,
                "| {shape} | 2^{} | {} | {} | {ratio} |",
                n.ilog2(),
                cell(ours),
                cell(theirs)
            );
        }
        text
    }
}

/// The least, the median and the largest value.
fn spread(runs: &[f64]) -> [f64; 3] {
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    [
        sorted[0],
        sorted[sorted.len() / 2],
        sorted[sorted.len() - 1],
    ]
}
