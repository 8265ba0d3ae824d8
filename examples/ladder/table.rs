//! The tables as they are printed, one for each document and size.

use std::time::Duration;

use crate::record::{COUNTED, Record};

/// Prints the rungs of a document at one size.
pub fn print(records: &[Record]) {
    let Some(first) = records.first() else {
        return;
    };
    println!("\n{}", first.problem());
    print!(
        "{:<38} {:>5} {:>9} {:>9} {:>8} {:>8} {:>7}",
        "rung", "block", "time", "after", "GB/s", "× before", "× ours"
    );
    if first.counts.is_some() {
        print!("{}", columns(COUNTED));
    }
    println!();
    let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
    for record in records {
        print!(
            "{:<38} {:>5} {:>9} {:>9} {:>8.1} {:>8} {:>7}",
            record.rung,
            record.block_size,
            time(record.micros),
            time(record.post_micros),
            record.rate(),
            ratio(record.over_previous),
            ratio(record.over_ours),
        );
        if let Some(counts) = &record.counts {
            print!("{}", columns(counts.numbers()));
        }
        println!();
    }
}

fn columns(values: [impl ToString; COUNTED.len()]) -> String {
    values
        .map(|value| format!(" {:>12}", value.to_string()))
        .concat()
}

/// A time with as many digits as mean something.
fn time(micros: f64) -> String {
    format!("{:.1?}", Duration::from_secs_f64(micros / 1e6))
}
