//! The printed tables of the ladders, one for each problem.

use std::io::{self, Write};
use std::time::Duration;

use crate::record::{COUNTED, Record};

/// Prints the records of one problem.
pub fn print(records: &[Record], out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = records.first() else {
        return Ok(());
    };
    writeln!(out, "\n{}", first.problem())?;
    write!(
        out,
        "{:<38} {:>5} {:>9} {:>9} {:>8} {:>8} {:>7}",
        "rung", "block", "time", "after", "GB/s", "× before", "× ours"
    )?;
    if first.counts.is_some() {
        write!(out, "{}", columns(COUNTED))?;
    }
    writeln!(out)?;
    let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
    for record in records {
        write!(
            out,
            "{:<38} {:>5} {:>9} {:>9} {:>8.1} {:>8} {:>7}",
            record.rung,
            record.block_size,
            time(record.micros),
            time(record.post_micros),
            record.rate(),
            ratio(record.over_previous),
            ratio(record.over_ours),
        )?;
        if let Some(counts) = &record.counts {
            write!(out, "{}", columns(counts.numbers()))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn columns(values: [impl ToString; COUNTED.len()]) -> String {
    values
        .map(|value| format!(" {:>12}", value.to_string()))
        .concat()
}

/// A time with one decimal, in the unit that suits it.
fn time(micros: f64) -> String {
    format!("{:.1?}", Duration::from_secs_f64(micros / 1e6))
}
