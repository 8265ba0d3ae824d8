//! A copy of the kernels' sources whose tables have few rows.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::build::write as write_file;
use crate::part::Part;

/// The folders of the crates of kernels.
const SOURCES: [&str; 2] = [Part::Library.source(), Part::Ladder.source()];

/// The files that have the tables of kernels.
const TABLE: &str = "entries.rs";

/// The kernels that stand for all others where few are wanted: rounding and exact, of whole words and of parts of one, with
/// and without NaN; and some of the ladder's.
pub const FEW: [&str; 18] = [
    "reduce_sum_f32",
    "reduce_sum_u8",
    "reduce_max_f64",
    "inclusive_scan_sum_f32",
    "inclusive_scan_sum_u8",
    "exclusive_scan_sum_f32",
    "exclusive_scan_sum_u8",
    "segmented_reduce_sum_f32",
    "segmented_scan_sum_f32",
    "columns_reduce_sum_f32",
    "columns_scan_sum_f32",
    "select_if_non_zero_f32",
    "runs_equal_u32",
    "ladder_warp_sync_tree_sum_f32",
    "ladder_shared_atomics_max_f32",
    "ladder_inclusive_kogge_stone_sum_f32",
    "ladder_recursive_waiting_sum_f32",
    "ladder_nested_hello",
];

/// Writes copies of the crates of kernels with few rows of the tables alone, and gives the folder of those of the part.
pub fn write(root: &Path, folder: &Path, part: Part) -> Result<PathBuf> {
    let workspace = fs::read_to_string(root.join("Cargo.toml"))?;
    let workspace = workspace
        .lines()
        .map(|line| match line.starts_with("members = ") {
            true => format!("members = {SOURCES:?}\n"),
            false => format!("{line}\n"),
        });
    write_file(
        &folder.join("few/Cargo.toml"),
        &workspace.collect::<String>(),
    )?;
    let few = folder.join("few");
    for source in SOURCES {
        copy(&root.join(source), &few.join(source))?;
    }
    Ok(few.join(part.source()))
}

/// Copies a folder of sources, of the tables few rows.
fn copy(from: &Path, to: &Path) -> Result<()> {
    for item in fs::read_dir(from)? {
        let item = item?;
        let (from, to) = (item.path(), to.join(item.file_name()));
        if from.is_dir() {
            copy(&from, &to)?;
            continue;
        }
        let text = fs::read_to_string(&from)?;
        match item.file_name() == TABLE {
            true => write_file(&to, &rows(&text, &FEW))?,
            false => write_file(&to, &text)?,
        }
    }
    Ok(())
}

/// The table with these rows alone.
pub fn rows(table: &str, symbols: &[&str]) -> String {
    let is_wanted = |line: &&str| {
        let row = line.trim().strip_suffix(';');
        let symbol = row.and_then(|row| row.split_once(" => "));
        symbol.is_none_or(|(_, symbol)| symbols.contains(&symbol))
    };
    let lines = table.lines().filter(is_wanted);
    lines.flat_map(|line| [line, "\n"]).collect()
}
