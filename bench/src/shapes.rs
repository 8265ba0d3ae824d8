//! Times calls that `measure` does not time: reductions other than sums and maxima, segments of many lengths, columns, axes, selections,
//! runs, values by key, wide items. The items of most of these calls are `f32`. One plain scan is timed too, to compare it with a reversed
//! scan. warpfold and CUB take turns on the same buffers. Some results of each call are checked.

mod axes;
mod by_key;
mod chart;
mod columns;
mod one_pass;
pub mod report;
mod segments;
mod selection;
mod wide;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use bytemuck::Zeroable;
use virtual_gpu::Mode;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::{Extremes, Gpu, Moments};

use crate::cli;
use crate::cub::shapes::{Arguments, Shapes};
use crate::data::Data;
use crate::record::Side;
use crate::timing::{Call, Effort, Queueing, alternate};
use report::{Report, Row};
use segments::Lengths;

/// A measurement.
struct Shape<'a> {
    name: String,
    /// The fewest bytes that a call for this shape has to move.
    bytes: u64,
    calls: Vec<(Side, Call<'a>)>,
    /// Whether a call's results are right.
    is_right: Box<dyn Fn() -> Result<bool> + 'a>,
}

/// The GPU, the stream, CUB's library, and the buffers that several shapes use.
struct Buffers<'a> {
    gpu: &'a Gpu,
    stream: &'a Stream,
    cub: Option<&'static Shapes>,
    item_count: usize,
    data: Data<f32>,
    second_data: Data<f32>,
    input: DeviceBuffer<f32>,
    second: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
    index: DeviceBuffer<u64>,
    index_pair: DeviceBuffer<Extremes<u64>>,
    extremes: DeviceBuffer<Extremes<f32>>,
    moments: DeviceBuffer<Moments>,
}

/// Runs the requested measurements. The exit code is a failure if a result of warpfold was wrong.
pub fn run(options: &cli::Shapes) -> Result<ExitCode> {
    if virtual_gpu::mode()? == Mode::Virtual && !options.virtual_too {
        println!("There is no GPU on this machine, and the virtual one's times mean nothing.");
        return Ok(ExitCode::SUCCESS);
    }
    let gpu = Gpu::new()?;
    gpu.make_current()?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let cub = load_cub(options, &gpu);
    let version = cub.map(Shapes::version).transpose()?;
    let effort = Effort {
        rounds: options.repeats,
        call_micros: 20e3,
        queueing: Queueing::Launches,
    };
    let mut measurement = Measurement {
        report: Report::new(&gpu, version, options)?,
        only: &options.only,
        effort,
    };
    for run in 1..=options.runs {
        for &exponent in &options.sizes.0 {
            let place = Buffers::new(&gpu, &stream, cub, 1 << exponent, u64::from(run))?;
            measurement.measure(&place, one_pass::shapes(&place)?, run)?;
            for cut in segments::cuts(place.item_count) {
                let cut = segments::Cut::new(&place, cut)?;
                measurement.measure(&place, cut.shapes()?, run)?;
            }
            let matrices = columns::COLUMNS.into_iter();
            for matrix in matrices.filter_map(|count| columns::Matrix::new(&place, count)) {
                measurement.measure(&place, matrix.shapes()?, run)?;
            }
            for rows in axes::ROWS {
                if let Some(rows) = axes::Rows::new(&place, rows)? {
                    measurement.measure(&place, rows.shapes()?, run)?;
                }
            }
            if let Some(middle) = axes::Middle::new(&place) {
                measurement.measure(&place, middle.shapes()?, run)?;
            }
            measurement.measure(&place, wide::directions(&place)?, run)?;
            if exponent >= 16 {
                let of_56 = wide::Wide::<[u64; 7]>::new(&place)?;
                measurement.measure(&place, of_56.shapes(&place)?, run)?;
                let of_64 = wide::Wide::<[u32; 16]>::new(&place)?;
                measurement.measure(&place, of_64.shapes(&place)?, run)?;
            }
            for share in selection::SHARES {
                let chosen = selection::Chosen::new(&place, share)?;
                measurement.measure(&place, chosen.shapes()?, run)?;
            }
            for length in selection::RUNS {
                let runs = selection::Runs::new(&place, length)?;
                measurement.measure(&place, vec![runs.shape()?], run)?;
            }
            let runs = selection::RUNS.map(Lengths::Same);
            for lengths in runs.into_iter().chain([Lengths::PowerLaw]) {
                let keyed = by_key::Keyed::new(&place, lengths)?;
                measurement.measure(&place, keyed.shapes()?, run)?;
            }
        }
    }
    measurement.report.finish()
}

/// CUB's library, compiled if necessary. `None` if it cannot be compiled or loaded, or if the GPU is virtual.
fn load_cub(options: &cli::Shapes, gpu: &Gpu) -> Option<&'static Shapes> {
    if virtual_gpu::mode().ok() == Some(Mode::Virtual) {
        return None;
    }
    let build = |folder: &Path| Shapes::build(gpu.compute_capability(), folder);
    let built = match &options.cub_dir {
        Some(folder) => build(folder),
        // A loaded library no longer needs its file.
        None => tempfile::tempdir()
            .map_err(Into::into)
            .and_then(|folder| build(folder.path())),
    };
    built
        .inspect_err(|reason| eprintln!("CUB is not measured: {reason:#}"))
        .ok()
}

/// The measurements, their settings and their results.
struct Measurement<'a> {
    report: Report,
    only: &'a [String],
    effort: Effort,
}

impl Measurement<'_> {
    /// Measures each shape: checks the results of its calls, lets the calls take turns and times them, and reports the times.
    fn measure(&mut self, place: &Buffers<'_>, shapes: Vec<Shape<'_>>, run: u32) -> Result<()> {
        let only = self.only;
        let is_wanted = |shape: &Shape<'_>| {
            only.is_empty() || only.iter().any(|text| shape.name.contains(text.as_str()))
        };
        for shape in shapes.into_iter().filter(is_wanted) {
            let mut sides = Vec::new();
            let mut timed = Vec::new();
            for (side, mut call) in shape.calls {
                place.poison()?;
                call().with_context(|| format!("{side}: {}", shape.name))?;
                place.stream.synchronize()?;
                sides.push((side, (shape.is_right)()?));
                timed.push(call);
            }
            let timings = alternate(place.stream, timed, self.effort)?;
            for ((side, is_right), timing) in sides.into_iter().zip(timings) {
                self.report.put(Row::new(
                    side,
                    &shape.name,
                    place.item_count,
                    shape.bytes,
                    timing,
                    run,
                    is_right,
                ))?;
            }
        }
        Ok(())
    }
}

impl<'a> Buffers<'a> {
    fn new(
        gpu: &'a Gpu,
        stream: &'a Stream,
        cub: Option<&'static Shapes>,
        item_count: usize,
        seed: u64,
    ) -> Result<Self> {
        let data = Data::new(item_count, seed);
        let second_data = Data::new(item_count, seed ^ 0x5eed);
        Ok(Self {
            gpu,
            stream,
            cub,
            item_count,
            input: data.upload(item_count)?,
            second: second_data.upload(item_count)?,
            data,
            second_data,
            output: DeviceBuffer::zeroed(item_count)?,
            index: DeviceBuffer::zeroed(1)?,
            index_pair: DeviceBuffer::from_slice(&[Extremes::zeroed()])?,
            extremes: DeviceBuffer::from_slice(&[Extremes::zeroed()])?,
            moments: DeviceBuffer::from_slice(&[Moments::zeroed()])?,
        })
    }

    /// Fills the outputs among these buffers with values that no result has.
    fn poison(&self) -> Result<()> {
        // SAFETY: every bit pattern is a value of these types, and freeing a buffer waits for the stream's work.
        unsafe {
            self.output.index(..).set_8_async(0xff, self.stream)?;
            self.index.index(..).set_8_async(0xff, self.stream)?;
            self.index_pair.index(..).set_8_async(0xff, self.stream)?;
            self.extremes.index(..).set_8_async(0xff, self.stream)?;
            self.moments.index(..).set_8_async(0xff, self.stream)?;
        }
        Ok(())
    }

    /// The arguments of CUB's calls that use only these buffers.
    fn arguments(&self) -> Arguments {
        Arguments {
            input: self.input.as_device_ptr().as_raw(),
            second: self.second.as_device_ptr().as_raw(),
            output: self.output.as_device_ptr().as_raw(),
            index: self.index.as_device_ptr().as_raw(),
            item_count: self.item_count as i64,
            ..Arguments::default()
        }
    }

    /// The call `ours` of warpfold and, if `cub` names a call of CUB, that call too.
    ///
    /// # Safety
    /// If `cub` names a call of CUB, `arguments` meets the condition of [`Shapes::call`].
    unsafe fn calls<'b>(
        &'b self,
        ours: Call<'b>,
        cub: Option<&str>,
        arguments: Arguments,
    ) -> Result<Vec<(Side, Call<'b>)>> {
        let mut calls = vec![(Side::Warpfold, ours)];
        if let (Some(shapes), Some(name)) = (self.cub, cub) {
            // SAFETY: `arguments` meets the condition of `Shapes::call`: this function's condition.
            let theirs = unsafe { shapes.call(name, self.stream, arguments) }?;
            calls.extend(theirs.map(|call| (Side::Cub, call)));
        }
        Ok(calls)
    }
}
