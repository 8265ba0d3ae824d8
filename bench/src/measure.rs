//! Runs the measurements: one type after another, and one size after another. The cases of a size take turns.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use virtual_gpu::Mode;
use warpfold::cust::memory::{DeviceBuffer, mem_get_info};
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::cust_half::{bf16, f16};
use warpfold::{Gpu, Kernel, Max, Sum, kind};

use crate::check;
use crate::cli::Measure;
use crate::contender::{Buffers, Contender, contenders};
use crate::cub::Cub;
use crate::data::{Data, Measured, Type, for_each_type, types_named};
use crate::record::{Case, Row, Side, Verdict};
use crate::report;
use crate::sink::{Sink, header};
use crate::timing::{Effort, Timing, alternate};

/// Bytes of device memory that are left to the driver, the workspaces and CUB's temporary storage.
const SPARE_BYTES: usize = 1 << 30;

/// Runs the requested measurements. The exit code is a failure if a result of warpfold or of a copy was wrong.
pub fn run(options: &Measure) -> Result<ExitCode> {
    if virtual_gpu::mode()? == Mode::Virtual && !options.virtual_too {
        println!("There is no GPU on this machine, and the virtual one's times mean nothing.");
        return Ok(ExitCode::SUCCESS);
    }
    let gpu = Gpu::new()?;
    gpu.make_current()?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let types = types_named(&options.types);
    let cub = load_cub(options, &types, &gpu);
    let seed = options.seed.unwrap_or_else(seed_of_the_day);
    let header = header(&gpu, &cub, options, seed)?;
    let mut session = Session {
        options,
        gpu: &gpu,
        stream: &stream,
        cub: &cub,
        sink: Sink::new(header, options.out.as_deref())?,
        progress: progress(options, types.len()),
        deadline: options
            .limit_seconds
            .map(|seconds| Instant::now() + Duration::from_secs_f64(seconds)),
        skipped: 0,
        seed,
        run: 1,
    };
    for run in 1..=options.runs {
        session.run = run;
        for each in &types {
            measure_type(each, &mut session)?;
        }
    }
    session.progress.finish_and_clear();
    if session.skipped > 0 {
        eprintln!("No time was left for {} sizes.", session.skipped);
    }
    let record = session.sink.finish()?;
    if let Some(out) = &options.out {
        report::write(&record, out)?;
    }
    let wrong = record
        .rows
        .iter()
        .any(|row| row.result == Verdict::Wrong && row.side != Side::Cub);
    Ok(if wrong {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// CUB's libraries, compiled if necessary. If a library cannot be compiled or loaded, or if the GPU is virtual: no libraries.
fn load_cub(options: &Measure, types: &[&'static Type], gpu: &Gpu) -> Cub {
    let build = |folder: &Path| Cub::build(types, gpu.compute_capability(), folder);
    let built = match &options.cub_dir {
        _ if virtual_gpu::mode().ok() == Some(Mode::Virtual) => return Cub::none(),
        Some(folder) => build(folder),
        // A loaded library no longer needs its file.
        None => tempfile::tempdir()
            .map_err(Into::into)
            .and_then(|folder| build(folder.path())),
    };
    built.unwrap_or_else(|reason| {
        eprintln!("CUB is not measured: {reason:#}");
        Cub::none()
    })
}

fn seed_of_the_day() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// A progress bar, which is visible only on a terminal.
fn progress(options: &Measure, types: usize) -> ProgressBar {
    let steps = options.runs as usize * types * options.sizes.0.len();
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed} {msg}");
    ProgressBar::new(steps as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The settings and the results that all measurements share.
struct Session<'a> {
    options: &'a Measure,
    gpu: &'a Gpu,
    stream: &'a Stream,
    cub: &'a Cub,
    sink: Sink,
    progress: ProgressBar,
    deadline: Option<Instant>,
    /// The number of sizes for which there was no time.
    skipped: u64,
    seed: u64,
    run: u32,
}

macro_rules! measures {
    ($($t:ty),*) => {
        /// Measures the requested cases and sizes for items of the type that `each` names.
        fn measure_type(each: &Type, session: &mut Session<'_>) -> Result<()> {
            $(if each.name == <$t as Measured>::NAME {
                return measure::<$t>(session);
            })*
            bail!("`{}` is not among the types", each.name)
        }
    };
}

for_each_type!(measures);

/// Measures the requested cases and sizes for items of type `T`.
fn measure<T: Measured>(session: &mut Session<'_>) -> Result<()>
where
    Sum: Kernel<kind::reduce, T, Output = T>
        + Kernel<kind::inclusive_scan, T>
        + Kernel<kind::exclusive_scan, T>,
    Max: Kernel<kind::reduce, T, Output = T>,
{
    let sizes = session.sizes_that_fit::<T>()?;
    let Some(&largest) = sizes.last() else {
        return Ok(());
    };
    if session.is_late() {
        session.skip(sizes.len());
        return Ok(());
    }
    let data = Data::<T>::new(largest, session.seed ^ u64::from(session.run) << 32);
    let input = data.upload(largest)?;
    let output = data.upload(largest)?;
    let wide = DeviceBuffer::from_slice(&[T::Wide::default()])?;
    for item_count in sizes {
        session
            .progress
            .set_message(format!("{} {item_count}", T::NAME));
        if session.is_late() {
            session.skip(1);
            continue;
        }
        let place = Buffers {
            gpu: session.gpu,
            stream: session.stream,
            input: input.index(..item_count),
            output: output.index(..item_count),
            wide: wide.index(..),
        };
        measure_size(session, &data, place)?;
        session.progress.inc(1);
    }
    Ok(())
}

/// Measures the requested cases for one size. The calls of all cases and sides take turns.
fn measure_size<T: Measured>(
    session: &mut Session<'_>,
    data: &Data<T>,
    mut place: Buffers<'_, T>,
) -> Result<()>
where
    Sum: Kernel<kind::reduce, T, Output = T>
        + Kernel<kind::inclusive_scan, T>
        + Kernel<kind::exclusive_scan, T>,
    Max: Kernel<kind::reduce, T, Output = T>,
{
    let mut all = Vec::new();
    for case in session.cases::<T>() {
        all.extend(contenders(case, place, session.cub.library(T::NAME))?);
    }
    let item_count = place.input.len();
    let mut kinds = Vec::new();
    let mut calls = Vec::new();
    for Contender {
        side,
        case,
        mut call,
    } in all
    {
        // SAFETY: every bit pattern is an item, and freeing a buffer waits for the stream's work.
        unsafe {
            place.output.set_8_async(0xff, place.stream)?;
            place.wide.set_8_async(0xff, place.stream)?;
        }
        call()?;
        place.stream.synchronize()?;
        let verdict = check::verdict(side, case, data, &place)?;
        kinds.push((side, case, verdict));
        calls.push(call);
    }
    let timings = alternate(place.stream, calls, session.effort())?;
    for ((side, case, result), timing) in kinds.into_iter().zip(timings) {
        let row = session.row::<T>(side, case, item_count, timing, result);
        if row.result == Verdict::Wrong {
            session.tell(&format!(
                "WRONG: {side} {} {} {item_count}",
                case.name(),
                T::NAME
            ));
        }
        session.sink.put(row)?;
    }
    Ok(())
}

impl Session<'_> {
    /// The requested numbers of items for which two buffers fit into device memory.
    fn sizes_that_fit<T>(&self) -> Result<Vec<usize>> {
        let (free_bytes, _) = mem_get_info()?;
        let most = free_bytes.saturating_sub(SPARE_BYTES) / (2 * size_of::<T>());
        let sizes = self.options.sizes.0.iter().map(|&size| 1_usize << size);
        let (fit, rest): (Vec<_>, Vec<_>) = sizes.partition(|&item_count| item_count <= most);
        for item_count in rest {
            let name = std::any::type_name::<T>();
            self.tell(&format!(
                "{item_count} items of {name} do not fit the device's memory"
            ));
            self.progress.inc(1);
        }
        Ok(fit)
    }

    /// The requested cases that exist for the type.
    fn cases<T: Measured>(&self) -> Vec<Case> {
        let wanted = &self.options.kinds;
        let is_wanted = |case: &Case| wanted.is_empty() || wanted.contains(case);
        let exists = |case: &Case| *case != Case::ReduceWideSum || T::has_wider();
        let cases = Case::ALL.into_iter();
        cases
            .filter(|case| is_wanted(case) && exists(case))
            .collect()
    }

    fn effort(&self) -> Effort {
        Effort {
            rounds: self.options.repeats,
            call_micros: self.options.call_millis * 1e3,
            queueing: self.options.queueing,
        }
    }

    fn skip(&mut self, sizes: usize) {
        self.skipped += sizes as u64;
        self.progress.inc(sizes as u64);
    }

    fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Prints a line to the standard error, above the bar.
    fn tell(&self, line: &str) {
        self.progress.suspend(|| eprintln!("{line}"));
    }

    fn row<T: Measured>(
        &self,
        side: Side,
        case: Case,
        item_count: usize,
        timing: Timing,
        result: Verdict,
    ) -> Row {
        let bytes = case.traffic() * (item_count * size_of::<T>()) as u64;
        let rounded = |number: f64| (number * 1e3).round() / 1e3;
        Row {
            side,
            case,
            item_type: T::NAME.to_owned(),
            n: item_count as u64,
            us_median: rounded(timing.median),
            us_min: rounded(timing.least),
            rate: (bytes as f64 / timing.median / 1e2).round() / 1e1,
            us_q1: rounded(timing.lower_quartile),
            us_q3: rounded(timing.upper_quartile),
            run: self.run,
            result,
        }
    }
}
