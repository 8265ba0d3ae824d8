//! The ladder of each document: at two sizes on a real GPU, and at one small size on the virtual GPU.

use std::io::Write;

use indicatif::{ProgressBar, ProgressStyle};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Max, Sum};
use warpfold_kernels::element::name;
use warpfold_ladder::{BlockSizes, Document, Error, Kind, Placement, Rung};

use crate::failure::Failure;
use crate::measure::{Bench, Run};
use crate::problem::{Operator, Problem, check_reduction, check_scan, items};
use crate::record::Record;
use crate::table;

/// A document's ladder at one size.
struct Ladder {
    number: u32,
    document: Document,
    item_count: usize,
    block_size: u32,
}

/// Runs the ladder of the document with this number, at each of the ladder's sizes, and prints the tables.
pub fn run(bench: &Bench, number: u32, out: &mut dyn Write) -> Result<Vec<Record>, Failure> {
    let (document, block_size, sizes) = match number {
        // The document takes any number of items, and has blocks of 256 threads.
        1 => (Document::First, 256, [1 << 24, 1 << 28]),
        // The document's grid of 8,193 blocks of 1,024 threads fits 2^24 + 1 items, since each thread has two items.
        2 => (Document::Second, 256, [(1 << 24) + 1, 1 << 28]),
        // The document's sweep begins with 2^10 items.
        3 => (Document::Third, 128, [1 << 10, 1 << 28]),
        4 => (Document::Fourth, 256, [1 << 20, 1 << 26]),
        // The document has 2,048 blocks of 512 items.
        _ => (Document::Fifth, 512, [1 << 20, 1 << 28]),
    };
    let interpreted: &[usize] = match document {
        Document::Fourth => &[1 << 11],
        _ => &[(1 << 14) + 1],
    };
    let mut records = Vec::new();
    for &item_count in bench.choose(&sizes[..], interpreted) {
        let ladder = Ladder {
            number,
            document,
            item_count,
            block_size,
        };
        let tables = match document {
            Document::First => vec![ladder.reductions::<Sum, f32>(bench, out)?],
            Document::Second | Document::Fifth => vec![ladder.reductions::<Sum, i32>(bench, out)?],
            Document::Third => vec![ladder.reductions::<Max, u32>(bench, out)?],
            _ => Placement::ALL
                .into_iter()
                .map(|placement| ladder.scans::<Sum, f32>(bench, placement, out))
                .collect::<Result<_, _>>()?,
        };
        for rungs in tables {
            table::print(&rungs, out)?;
            records.extend(rungs);
        }
    }
    Ok(records)
}

impl Ladder {
    fn reductions<O: Operator<T>, T: Problem>(
        &self,
        bench: &Bench,
        out: &mut dyn Write,
    ) -> Result<Vec<Record>, Failure> {
        let items = items::<T>(self.item_count);
        let input = DeviceBuffer::from_slice(&items)?;
        self.climb::<O, T, T>("reduction", Kind::Reduction, out, |rung, block_size| {
            let run = bench.run(|| {
                bench
                    .ladder
                    .reduce_measured::<O, T>(rung, &input, block_size)
            })?;
            check_reduction::<O, T>(rung, run.value, &items)?;
            Ok(run)
        })
    }

    fn scans<O: Operator<T>, T: Problem>(
        &self,
        bench: &Bench,
        placement: Placement,
        out: &mut dyn Write,
    ) -> Result<Vec<Record>, Failure> {
        let items = items::<T>(self.item_count);
        let input = DeviceBuffer::from_slice(&items)?;
        let mut output = DeviceBuffer::from_slice(&items)?;
        let what = match placement {
            Placement::Inclusive => "inclusive scan",
            Placement::Exclusive => "exclusive scan",
        };
        self.climb::<O, T, ()>(what, Kind::Scan, out, |rung, block_size| {
            let (ladder, output) = (&bench.ladder, &mut output);
            let run = bench.run(|| {
                ladder.scan_measured::<O, T>(rung, placement, &input, output, block_size)
            })?;
            check_scan::<O, T>(rung, placement, &output.as_host_vec()?, &items)?;
            Ok(run)
        })
    }

    /// Runs our rung, and each rung of the document that is not too slow for this many items.
    fn climb<O: Operator<T>, T: Problem, R>(
        &self,
        what: &'static str,
        kind: Kind,
        out: &mut dyn Write,
        mut run: impl FnMut(Rung, u32) -> Result<Run<R>, Failure>,
    ) -> Result<Vec<Record>, Failure> {
        let moved = match kind {
            Kind::Scan => 2,
            _ => 1,
        };
        let rungs: Vec<Rung> = rungs(self.document, kind)
            .filter(|&rung| self.item_count <= most_items(rung))
            .collect();
        let bar = progress_bar(rungs.len(), self.number);
        let mut records = Vec::new();
        for rung in rungs {
            bar.set_message(rung.title());
            let block_size = nearest(rung.block_sizes(), self.block_size);
            let run = match run(rung, block_size) {
                Err(Failure::Device(Error::Refused(refusal))) => {
                    bar.suspend(|| writeln!(out, "{rung} is left out: {refusal}"))?;
                    continue;
                }
                run => run?,
            };
            records.push(Record {
                document: self.number,
                what,
                rung: rung.title(),
                is_ours: rung.document() == Document::Library,
                operator: name::<O>(),
                element: name::<T>(),
                item_count: self.item_count,
                block_size,
                bytes: moved * self.item_count * size_of::<T>(),
                micros: run.kernel.as_secs_f64() * 1e6,
                post_micros: run.post_kernel.as_secs_f64() * 1e6,
                over_previous: None,
                over_ours: None,
                counts: run.counts,
            });
            bar.inc(1);
        }
        bar.finish_and_clear();
        compare(&mut records);
        Ok(records)
    }
}

/// The document's rungs, and ours.
fn rungs(document: Document, kind: Kind) -> impl Iterator<Item = Rung> {
    let of = move |from: Document| {
        let all = Rung::ALL.iter().copied();
        all.filter(move |rung| rung.document() == from && rung.kind() == kind)
    };
    of(document).chain(of(Document::Library))
}

/// The largest number of items for which the rung is run, so that slow rungs do not take too long.
fn most_items(rung: Rung) -> usize {
    match rung {
        Rung::QuadraticScan => 1 << 20,
        Rung::SequentialScan => 1 << 24,
        // For 2^28 items, the first two of these rungs would launch half a million grids at each of eight levels.
        Rung::RecursiveWaiting | Rung::Recursive | Rung::RecursiveOneLauncher => 1 << 20,
        _ => usize::MAX,
    }
}

/// The rung's block size that is nearest to the wanted size.
fn nearest(block_sizes: BlockSizes, wanted: u32) -> u32 {
    let distance = |block_size: &u32| block_size.abs_diff(wanted);
    block_sizes.iter().min_by_key(distance).unwrap_or(wanted)
}

/// Fills in the ratios of the rungs' times. The last record is warpfold's.
fn compare(records: &mut [Record]) {
    let ours = records.last().map_or(0.0, |ours| ours.micros);
    let mut previous = None;
    for record in records {
        record.over_previous = previous.map(|previous: f64| previous / record.micros);
        record.over_ours = Some(ours / record.micros);
        previous = Some(record.micros);
    }
}

/// A progress bar of `steps` steps on standard error; hidden if standard error is not a terminal.
pub fn progress_bar(steps: usize, document: u32) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar.set_prefix(format!("document {document}"));
    bar
}
