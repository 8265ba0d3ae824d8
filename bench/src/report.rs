//! Reports of the rows: a table, charts, and the targets with the measured values.

mod chart;
mod host_targets;
mod summary;
mod table;
mod targets;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::record::Record;
pub use chart::COLOURS;
use summary::Summary;

/// Writes `table.md` and the charts to a folder.
pub fn write(record: &Record, folder: &Path) -> Result<()> {
    let summary = Summary::of(record);
    let text = [
        table::markdown(&record.header, &summary),
        targets::markdown(&summary),
    ];
    fs::create_dir_all(folder)?;
    fs::write(folder.join("table.md"), text.join("\n"))?;
    chart::draw_all(&summary, folder)
}

/// The same as [`write()`], for the rows of a file.
pub fn draw(csv: &Path, folder: &Path) -> Result<ExitCode> {
    write(&Record::read(csv)?, folder)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints each target, with the worst value that the rows of a file have for it. If the output of `host` is given, also prints the targets
/// for the host's time of a call.
pub fn print_targets(csv: &Path, host: Option<&Path>) -> Result<ExitCode> {
    let record = Record::read(csv)?;
    print!("{}", targets::markdown(&Summary::of(&record)));
    if let Some(host) = host {
        print!("\n{}", host_targets::markdown(host)?);
    }
    Ok(ExitCode::SUCCESS)
}
