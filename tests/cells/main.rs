//! A table of requests (verb, shape and options) and of the places where they run. Every cell runs with the right result, or has a reason
//! why it does not run. The table in the documentation is made from these outcomes.
//!
//! After a change of these outcomes, `WARPFOLD_WRITE=1 cargo test -p warpfold --test cells` writes the table in the documentation.

#[path = "../common/mod.rs"]
mod common;
mod memory;
mod probe;
mod reasons;
mod rows;

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use probe::IsNot;
use reasons::{REASONS, Reason};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Sum, reduce};

/// Where requests run, and on which memory.
const PLACES: [&str; 6] = [
    "slices, `.wait(&gpu)`",
    "device memory, `.wait(&gpu)`",
    "device memory, `.queue(&gpu, &stream)`",
    "slices, `.wait(Cpu)`",
    "slices, `.wait(&gpus)`",
    "device memory, `.wait(&mut member)`",
];

/// A request, and its outcome at each place.
struct Row {
    request: &'static str,
    cells: [Cell; PLACES.len()],
}

enum Cell {
    /// The request ran, with the right result.
    Ran,
    Refused(&'static Reason),
}

#[test]
fn each_cell_runs_or_has_a_reason_and_is_in_the_documentation() {
    let table = table(&rows::rows());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/request/cells.md");
    if env::var_os("WARPFOLD_WRITE").is_some() {
        fs::write(&path, &table).unwrap();
    }
    let documented = fs::read_to_string(&path).unwrap();
    assert!(documented == table, "{} is out of date", path.display());
}

#[test]
fn a_probe_tells_whether_a_call_is_possible() {
    let (gpu, items) = (common::gpu(), [1u32, 2]);
    assert!(probe::wait(&gpu, &reduce::<Sum, _>(&items)).is_possible());
    assert!(!probe::wait(gpu, &reduce::<Sum, _>(&items)).is_possible());
    let items = DeviceBuffer::from_slice(&items).unwrap();
    let mut sum = DeviceBuffer::from_slice(&[0u32]).unwrap();
    assert!(!probe::queue(&gpu, &reduce::<Sum, _>(&items)).is_possible());
    assert!(probe::queue(&gpu, &reduce::<Sum, _>(&items).to(&mut sum)).is_possible());
}

#[test]
fn each_reason_is_shown_by_a_test_of_messages() {
    let messages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/messages/refused");
    for reason in REASONS {
        let path = messages.join(reason.message).with_extension("stderr");
        assert!(path.is_file(), "{}", path.display());
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = format!("| request | {} |\n", PLACES.join(" | "));
    text += &format!("|---|{}\n", "---|".repeat(PLACES.len()));
    for Row { request, cells } in rows {
        write!(text, "| `{request}` |").unwrap();
        for cell in cells {
            match cell {
                Cell::Ran => text += " yes |",
                Cell::Refused(reason) => write!(text, " {} |", number(reason)).unwrap(),
            }
        }
        text += "\n";
    }
    text += "\n";
    for reason in REASONS {
        writeln!(text, "{}. {}", number(reason), reason.text).unwrap();
    }
    text
}

/// The number of a reason, counted from 1.
fn number(reason: &Reason) -> usize {
    let of = |other: &&Reason| std::ptr::eq(*other, reason);
    1 + REASONS.iter().position(of).expect("a reason of the list")
}
