//! A copy of the kernels' sources that has few kernels.
//!
//! The library has macros that make its rows from a table. The copy has macros with a few written-out rows instead. In the ladder's source,
//! the rows are already written out.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::build::write as write_file;
use crate::kernel_set::KernelSet;

/// The folders of the crates of kernels.
const SOURCES: [&str; 2] = [KernelSet::Library.source(), KernelSet::Ladder.source()];

/// The file with the rows of kernels, in each crate's folder.
const TABLE: &str = "src/entries.rs";

/// The kernels for a build with few kernels. The first twenty are kernels of the library, of different kinds, operators or item types.
/// The other five are kernels of the ladder.
pub const FEW: [&str; 25] = [
    "reduce_sum_f32",
    "reduce_sum_u8",
    "reduce_max_f64",
    "reduce_log_sum_exp_f32",
    "inclusive_scan_sum_f32",
    "inclusive_scan_sum_u8",
    "exclusive_scan_sum_f32",
    "exclusive_scan_sum_u8",
    "inclusive_scan_sum_f64",
    "exclusive_scan_sum_u64",
    "segmented_reduce_sum_f32",
    "segmented_scan_sum_f32",
    "by_key_reduce_sum_f32",
    "by_key_scan_sum_f32",
    "by_key_scan_and_i8",
    "columns_reduce_sum_f32",
    "columns_scan_sum_f32",
    "select_if_non_zero_f32",
    "runs_equal_u32",
    "heads_equal_u32",
    "ladder_warp_sync_tree_sum_f32",
    "ladder_shared_atomics_max_f32",
    "ladder_inclusive_kogge_stone_sum_f32",
    "ladder_recursive_waiting_sum_f32",
    "ladder_nested_hello",
];

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        &[$((stringify!($symbol), stringify!($kind $op $t => $symbol;))),*]
    };
}

macro_rules! tables {
    ($($table:ident)*) => { &[$((stringify!($table), warpfold_kernels::$table!(rows))),*] };
}

/// The macros that pass the library's rows to another macro: the name of each, and its rows with their symbols.
type Tables = &'static [(&'static str, &'static [(&'static str, &'static str)])];
const TABLES: Tables = tables! {
    for_each_row
    for_each_whole_array_reduction
    for_each_kernel
    for_each_pair_kernel
    for_each_segmented_kernel
    for_each_segmented_scan_kernel
    for_each_by_key_reduce_kernel
    for_each_columns_kernel
    for_each_columns_scan_kernel
    for_each_selection_kernel
    for_each_whole_kernel
};

/// Writes copies of the kernel crates with only a few rows, and returns the folder of the copied crate that has the kernels of `part`.
pub fn write(root: &Path, folder: &Path, part: KernelSet) -> Result<PathBuf> {
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
    let ladder = fs::read_to_string(root.join(KernelSet::Ladder.source()).join(TABLE))?;
    for (part, rows) in [
        (KernelSet::Library, library_rows(&FEW)),
        (KernelSet::Ladder, rows(&ladder, &FEW)),
    ] {
        write_file(&few.join(part.source()).join(TABLE), &rows)?;
    }
    Ok(few.join(part.source()))
}

/// Copies a folder of sources, except the file [`TABLE`].
fn copy(from: &Path, to: &Path) -> Result<()> {
    remove_others(from, to)?;
    for item in fs::read_dir(from)? {
        let item = item?;
        let (from, to) = (item.path(), to.join(item.file_name()));
        if from.is_dir() {
            copy(&from, &to)?;
        } else if !from.ends_with(TABLE) {
            write_file(&to, &fs::read_to_string(&from)?)?;
        }
    }
    Ok(())
}

/// Removes files of an earlier copy that the sources no longer have.
fn remove_others(from: &Path, to: &Path) -> Result<()> {
    if !to.exists() {
        return Ok(());
    }
    for item in fs::read_dir(to)? {
        let item = item?;
        match item.path() {
            _ if from.join(item.file_name()).exists() => {}
            folder if folder.is_dir() => fs::remove_dir_all(folder)?,
            file => fs::remove_file(file)?,
        }
    }
    Ok(())
}

/// The library's macros with only these rows, written out.
pub fn library_rows(symbols: &[&str]) -> String {
    let wanted = |table: &[(&str, &str)]| {
        let rows = table.iter().filter(|(symbol, _)| symbols.contains(symbol));
        // `stringify!` breaks long lines, so white space is normalised.
        rows.map(|(_, row)| row.split_whitespace().collect::<Vec<_>>().join(" ") + "\n")
            .collect::<String>()
    };
    let tables = TABLES.iter().map(|(name, table)| {
        let rows = wanted(table);
        format!(
            "#[macro_export]\nmacro_rules! {name} {{\n($callback:ident) => {{ $callback! {{\n{rows}}} }};\n}}\n"
        )
    });
    tables.collect()
}

/// The table's text with only these rows.
pub fn rows(table: &str, symbols: &[&str]) -> String {
    let is_wanted = |line: &&str| {
        let row = line.trim().strip_suffix(';');
        let symbol = row.and_then(|row| row.split_once(" => "));
        symbol.is_none_or(|(_, symbol)| symbols.contains(&symbol))
    };
    let lines = table.lines().filter(is_wanted);
    lines.flat_map(|line| [line, "\n"]).collect()
}
