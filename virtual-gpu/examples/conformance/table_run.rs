//! Compares the results of the table's kernels on two machines, and prints the first operands whose results differ.

use crate::compare::{Difference, Side, Tally, Verdict, compare};
use crate::suite::case::{Case, Failure, Machine};
use crate::suite::table::{self, OUTPUT_BYTES};
use crate::suite::virtual_machine::VirtualMachine;
use std::time::{Duration, Instant};

/// This many kernels are loaded together, as one module.
const BATCH: usize = 32;
/// For each kernel, at most this many items with different results are printed.
const SHOWN: usize = 5;

/// Compares the results of these kernels on both machines.
pub fn run(
    here: &mut VirtualMachine,
    there: &mut dyn Machine,
    cases: &[Case],
    limit: Duration,
) -> Tally {
    let start = Instant::now();
    let mut tally = Tally::default();
    for batch in cases.chunks(BATCH) {
        if start.elapsed() > limit {
            println!("the time is over");
            break;
        }
        let verdicts = compare(here, there, batch);
        for (case, verdict) in batch.iter().zip(&verdicts) {
            tally.add(case, verdict);
            match verdict {
                Verdict::Same { .. } => {}
                Verdict::Different(difference) => print_items(case, difference),
                Verdict::Failed { side, failure } => {
                    println!("{}: {side:?}: {failure}", case.name);
                    if *side == Side::There && matches!(failure, Failure::Run(_)) {
                        println!("the device is lost");
                        return tally;
                    }
                }
            }
        }
    }
    tally
}

pub fn print_items(case: &Case, difference: &Difference) {
    let Difference { here, there, .. } = difference;
    let items = here.chunks(OUTPUT_BYTES).zip(there.chunks(OUTPUT_BYTES));
    let differ: Vec<usize> = items
        .enumerate()
        .filter(|(_, (a, b))| a != b)
        .map(|(index, _)| index)
        .collect();
    let all = here.len() / OUTPUT_BYTES;
    println!("{}: {} of {all} items differ", case.name, differ.len());
    for item in differ.iter().take(SHOWN) {
        println!(
            "    {}",
            table::describe(case, item * OUTPUT_BYTES, here, there)
        );
    }
}
