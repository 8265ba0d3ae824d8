//! The targets for the host's time of a call, compared with the output of `host`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// A line that `host` prints.
#[derive(Debug, Deserialize)]
struct Line {
    what: String,
    of: String,
    value: f64,
    unit: String,
}

/// An upper limit for the worst value of some lines.
struct Target {
    what: &'static str,
    covers: fn(&Line) -> bool,
    most_micros: f64,
}

const TARGETS: [Target; 2] = [
    Target {
        what: "the first `gpu_sum` of a process, the context's creation apart",
        covers: |line| line.what == "first_gpu_sum" && line.of == "all",
        most_micros: 60_000.0,
    },
    Target {
        what: "an asynchronous call, of the host's time",
        covers: |line| line.what.starts_with("queue_") && line.of == "median call",
        most_micros: 2.0,
    },
];

/// The targets as a table. Each target has a line, with the worst value that the file has for this target.
pub fn markdown(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    of_lines(&text).with_context(|| path.display().to_string())
}

fn of_lines(text: &str) -> Result<String> {
    let lines: Vec<Line> = csv::Reader::from_reader(text.as_bytes())
        .deserialize()
        .collect::<Result<_, csv::Error>>()?;
    let mut table = String::from("| of the host | target | reached | by |\n|---|---|---|---|\n");
    for target in &TARGETS {
        let covered = lines.iter().filter(|line| (target.covers)(line));
        let worst = covered.max_by(|a, b| a.micros().total_cmp(&b.micros()));
        let (reached, by) = match worst {
            Some(line) => (format!("{:.1} µs", line.micros()), line.what.as_str()),
            None => ("not measured".to_owned(), ""),
        };
        let (what, most) = (target.what, target.most_micros);
        table += &format!("| {what} | ≤ {most} µs | {reached} | {by} |\n");
    }
    Ok(table)
}

impl Line {
    fn micros(&self) -> f64 {
        match self.unit.as_str() {
            "ns" => self.value / 1e3,
            _ => self.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_line_decides() {
        let text = "\
what,of,value,unit
first_gpu_sum,all,3581.4,us
queue_reduce,median call,3820,ns
queue_scan,median call,4283,ns
queue_scan,least call,9999,ns
";
        let table = of_lines(text).unwrap();
        assert!(
            table.contains("≤ 60000 µs | 3581.4 µs | first_gpu_sum |"),
            "{table}"
        );
        assert!(table.contains("≤ 2 µs | 4.3 µs | queue_scan |"), "{table}");
    }
}
