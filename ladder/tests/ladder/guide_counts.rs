//! The counts in the guide's tables are those of the virtual GPU.
//!
//! The line above a table names the counted problem. The head of the table names the counters, and the first cell of a row names the rung.

use virtual_gpu::driver::run_with;
use virtual_gpu::{Checks, Class, Counters, Mode, RunOptions};
use warpfold::{Max, Sum};
use warpfold_ladder::{Placement, Rung};

use crate::common::mode;
use crate::data::ordinary;
use crate::guide::GUIDE;
use crate::launches::reduction;
use crate::scan_counts;

/// The counters of each launch of a rung, for one table.
type Count = fn(Rung) -> Vec<Counters>;

const REDUCED_ITEMS: usize = 16_385;

/// For each table, the line above it, and the function that counts for it.
const TABLES: [(&str, Count); 5] = [
    ("sum of 16,385 `f32`, blocks of 256", |rung| {
        let items = ordinary::<Sum, f32>(REDUCED_ITEMS);
        reduction::<Sum, _>(rung, &items, block(rung, 256)).1
    }),
    ("sum of 16,385 `i32`, blocks of 256", |rung| {
        let items = ordinary::<Sum, i32>(REDUCED_ITEMS);
        reduction::<Sum, _>(rung, &items, block(rung, 256)).1
    }),
    ("maximum of 16,385 `u32`, blocks of 128", |rung| {
        let items = ordinary::<Max, u32>(REDUCED_ITEMS);
        reduction::<Max, _>(rung, &items, block(rung, 128)).1
    }),
    ("inclusive scan of 2,048 `f32`, blocks of 256", |rung| {
        scan_counts::launches(rung, Placement::Inclusive, 2048, block(rung, 256))
    }),
    ("sum of 16,385 `i32`, blocks of 512", |rung| {
        let items = ordinary::<Sum, i32>(REDUCED_ITEMS);
        reduction::<Sum, _>(rung, &items, block(rung, 512)).1
    }),
];

/// The block size of a table, if the rung supports it. Otherwise the rung's first block size.
fn block(rung: Rung, of_table: u32) -> u32 {
    let mut all = rung.block_sizes().iter();
    match rung.block_sizes().contains(of_table) {
        true => of_table,
        false => all.next().expect("a size"),
    }
}

/// Adds up the count that the column's head names, over all launches.
fn number(column: &str, launches: &[Counters]) -> u64 {
    let of_launch: fn(&Counters) -> u64 = match column {
        "launches" => |_| 1,
        "instructions" => Counters::lane_instructions,
        "additions" => |counters| counters.of_class(Class::Float),
        "sectors" => |counters| counters.global_sectors_read + counters.global_sectors_written,
        "shared accesses" => |counters| counters.shared_accesses,
        "conflicts" => |counters| counters.bank_conflicts,
        "divergent" => |counters| counters.divergent_branches,
        "barriers" => |counters| counters.barriers,
        "atomics" => |counters| counters.atomics,
        other => panic!("a column `{other}`"),
    };
    launches.iter().map(of_launch).sum()
}

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

#[test]
fn the_guides_counts_match_measured_counts() {
    // The counts are those of the committed text. Another compiler's text has other counts.
    if mode() == Mode::Real || cfg!(feature = "cuda_builder") {
        return;
    }
    let mut wrong = Vec::new();
    for (above, count) in TABLES {
        let (_, table) = GUIDE
            .split_once(&format!("Counted, {above}:\n\n"))
            .unwrap_or_else(|| panic!("no table of {above}"));
        let mut rows = table.lines().take_while(|line| line.starts_with('|'));
        let columns = cells(rows.next().expect("a head"));
        for row in rows.skip(1) {
            let cells = cells(row);
            let rung = Rung::ALL.iter().find(|rung| rung.title() == cells[0]);
            let rung = *rung.unwrap_or_else(|| panic!("a rung `{}`", cells[0]));
            let unwatched = RunOptions {
                checks: Checks::none(),
                ..RunOptions::default()
            };
            let launches = run_with(unwatched, || count(rung));
            for (column, cell) in columns.iter().zip(cells).skip(1) {
                let given: u64 = cell.replace(',', "").parse().expect("a number");
                let counted = number(column, &launches);
                if given != counted {
                    wrong.push(format!("{above}: {rung}, {column}: {counted}, not {given}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(GUIDE.matches("\nCounted, ").count(), TABLES.len());
}
