//! The calls that are timed against each other, on the same input and output.

use anyhow::Result;
use warpfold::cust::memory::{AsyncCopyDestination, DeviceBuffer, DeviceSlice};
use warpfold::cust::stream::Stream;
use warpfold::{Gpu, Kernel, Max, Sum, kind, reduce, scan};

use crate::cub::{Library, Routine};
use crate::data::Measured;
use crate::record::{Case, Side};
use crate::timing::Call;

/// One side of a comparison: its call for a case.
pub struct Contender<'a> {
    pub side: Side,
    pub case: Case,
    pub call: Call<'a>,
}

/// The stream and the buffers of the calls. The plain sum and the maximum write the first item of `output`. The wide sum writes `wide`. A
/// scan or a copy writes all of `output`.
///
/// A `DeviceSlice` does not borrow its buffer: the caller keeps the buffers until the calls are done.
#[derive(Clone, Copy)]
pub struct Buffers<'a, T: Measured> {
    pub gpu: &'a Gpu,
    pub stream: &'a Stream,
    pub input: DeviceSlice<T>,
    pub output: DeviceSlice<T>,
    /// One item, for the wide sum.
    pub wide: DeviceSlice<T::Wide>,
}

/// The contenders of all sides that have a call for the case.
pub fn contenders<'a, T: Measured>(
    case: Case,
    place: Buffers<'a, T>,
    cub: Option<&'a Library>,
) -> Result<Vec<Contender<'a>>>
where
    Sum: Kernel<kind::reduce, T, Output = T>
        + Kernel<kind::inclusive_scan, T>
        + Kernel<kind::exclusive_scan, T>,
    Max: Kernel<kind::reduce, T, Output = T>,
{
    let (side, call) = match case {
        Case::Copy => (Side::Driver, copy(place)),
        _ => (Side::Warpfold, warpfold(case, place)),
    };
    let mut contenders = vec![Contender { side, case, call }];
    if let Some(routine) = cub.and_then(|library| library.routine(case)) {
        let call = match case {
            Case::ReduceWideSum => cub_call(routine, place, place.wide)?,
            _ => cub_call(routine, place, place.output)?,
        };
        let side = Side::Cub;
        contenders.push(Contender { side, case, call });
    }
    Ok(contenders)
}

fn warpfold<'a, T: Measured>(case: Case, place: Buffers<'a, T>) -> Call<'a>
where
    Sum: Kernel<kind::reduce, T, Output = T>
        + Kernel<kind::inclusive_scan, T>
        + Kernel<kind::exclusive_scan, T>,
    Max: Kernel<kind::reduce, T, Output = T>,
{
    let Buffers {
        gpu,
        stream,
        input,
        mut output,
        mut wide,
    } = place;
    match case {
        Case::ReduceSum => Box::new(move || {
            Ok(reduce::<Sum, _>(&input)
                .to(&mut output)
                .queue(gpu, stream)?)
        }),
        Case::ReduceMax => Box::new(move || {
            Ok(reduce::<Max, _>(&input)
                .to(&mut output)
                .queue(gpu, stream)?)
        }),
        Case::ReduceWideSum => Box::new(move || {
            Ok(reduce::<T::WideSum, _>(&input)
                .to(&mut wide)
                .queue(gpu, stream)?)
        }),
        Case::InclusiveSum => {
            Box::new(move || Ok(scan::<Sum, _>(&input).to(&mut output).queue(gpu, stream)?))
        }
        Case::ExclusiveSum => Box::new(move || {
            Ok(scan::<Sum, _>(&input)
                .exclusive()
                .to(&mut output)
                .queue(gpu, stream)?)
        }),
        Case::Copy => copy(place),
    }
}

fn copy<T: Measured>(place: Buffers<'_, T>) -> Call<'_> {
    let Buffers {
        stream,
        input,
        mut output,
        ..
    } = place;
    Box::new(move || {
        // SAFETY: the copy lies within both buffers, and freeing either of them waits for the stream's work.
        Ok(unsafe { input.async_copy_to(&mut output, stream) }?)
    })
}

/// A call of CUB, with its own temporary storage. `output` has the type of the case's result.
fn cub_call<'a, T: Measured, U: Measured>(
    routine: Routine<'a>,
    place: Buffers<'a, T>,
    output: DeviceSlice<U>,
) -> Result<Call<'a>> {
    let bytes = routine.temporary_bytes(place.stream, &place.input, &output)?;
    // SAFETY: CUB writes each part of the storage before it reads that part.
    let temporary = unsafe { DeviceBuffer::<u8>::uninitialized(bytes) }?;
    Ok(Box::new(move || {
        // SAFETY: the library is the one for `T`. `output` has the type of the case's result, and room for the result. `temporary` has the
        // requested size. All buffers outlive the stream's work, since freeing a buffer waits for that work.
        unsafe { routine.queue(place.stream, &temporary, &place.input, &output) }
    }))
}
