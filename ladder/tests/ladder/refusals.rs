//! Calls that are refused: for tasks, items or block sizes that the rung does not support, with unfit buffers, or during a capture. Nothing
//! is launched.

use std::ops::Range;

use virtual_gpu::inject::record;
use warpfold::cust::memory::{DeviceBuffer, DevicePointer, DeviceSlice};
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::{Argument, Sum};
use warpfold_ladder::{Error, Kind, Placement, Refusal, Result, Rung};

use crate::child::in_child;
use crate::device::ladder;
use crate::graph::{CaptureMode, Graph};

/// Asserts that the call was refused, before any launch, with a message that contains all of `says`.
#[track_caller]
fn assert_refused<T: std::fmt::Debug>(call: impl FnOnce() -> Result<T>, says: &[&str]) -> Refusal {
    let (result, calls) = record(call);
    assert!(!calls.iter().any(|call| call.starts_with("cuLaunchKernel")));
    match result {
        Err(Error::Refused(refusal)) => {
            let text = refusal.to_string();
            assert!(says.iter().all(|words| text.contains(words)), "{text}");
            refusal
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn block_sizes_outside_a_rungs_sizes_are_refused() {
    let ladder = ladder();
    let items = DeviceBuffer::from_slice(&[1u32; 100]).unwrap();
    for (rung, offered, says) in [
        (Rung::Halving, 0, "1 to 1024"),
        (Rung::Halving, 1025, "1 to 1024"),
        (Rung::SharedTree, 96, "powers of two from 1 to 1024"),
        (Rung::WarpSyncTree, 128, "256 to 512"),
        (Rung::ConstantTree, 32, "powers of two from 64 to 1024"),
        (Rung::HalfThreads, 64, "powers of two from 128 to 1024"),
        (Rung::Recursive, 1, "powers of two from 2 to 1024"),
        (Rung::Ours, 128, "256"),
    ] {
        let call = || ladder.reduce::<Sum, _>(rung, &items, offered);
        let refusal = assert_refused(call, &[rung.title(), &offered.to_string(), says]);
        let allowed = rung.block_sizes();
        assert_eq!(
            refusal,
            Refusal::BlockSize {
                rung,
                offered,
                allowed
            }
        );
        assert!(!allowed.contains(offered));
    }
}

#[test]
fn rungs_that_are_not_reductions_refuse_to_reduce() {
    let ladder = ladder();
    let items = DeviceBuffer::from_slice(&[1u32; 100]).unwrap();
    for rung in Rung::ALL {
        if rung.kind() != Kind::Reduction {
            let call = || ladder.reduce::<Sum, _>(*rung, &items, 256);
            assert_refused(call, &[rung.title(), "is no reduction"]);
        }
    }
}

#[test]
fn item_types_without_a_kernel_are_refused() {
    let ladder = ladder();
    let items = DeviceBuffer::from_slice(&[1.0f64; 100]).unwrap();
    let call = || ladder.reduce::<Sum, _>(Rung::Halving, &items, 256);
    assert_refused(call, &["halving", "Sum", "f64"]);
    assert_eq!(ladder.reduce::<Sum, _>(Rung::Ours, &items, 256), Ok(100.0));
}

#[test]
fn short_overlapping_and_misaligned_buffers_are_refused() {
    let ladder = ladder();
    let buffer = DeviceBuffer::from_slice(&[1u32; 100]).unwrap();
    let address = |item: u64| buffer.as_device_ptr().as_raw() + 4 * item;
    let scan = |input: Range<usize>, output: Range<usize>| {
        let (input, mut output) = (buffer.index(input), buffer.index(output));
        let placement = Placement::Inclusive;
        ladder.scan::<Sum, _>(Rung::KoggeStone, placement, &input, &mut output, 64)
    };
    let too_short = warpfold::Error::OutputTooShort {
        offered_items: 39,
        needed_items: 40,
    };
    assert_eq!(scan(0..40, 61..100), Err(too_short.into()));
    for (input, output) in [(0, 1), (39, 0)] {
        let overlap = warpfold::Error::Overlap {
            input: address(input),
            input_items: 40,
            output: address(output),
            output_items: 40,
        };
        let (input, output) = (input as usize, output as usize);
        let result = scan(input..input + 40, output..output + 50);
        assert_eq!(result, Err(overlap.into()));
    }
    assert_eq!(buffer.as_host_vec().unwrap(), [1; 100]);
    assert_eq!(scan(40..80, 0..40), Ok(()));

    // SAFETY: the nine items are within the buffer's allocation. They are misaligned, but no kernel reads them: the call is refused.
    let between =
        unsafe { DeviceSlice::from_raw_parts(DevicePointer::from_raw(address(0) + 2), 9) };
    let refused = ladder.reduce::<Sum, u32>(Rung::Halving, &between, 64);
    let misaligned = warpfold::Error::Misaligned {
        argument: Argument::Input,
        address: address(0) + 2,
        alignment: 4,
    };
    assert_eq!(refused, Err(misaligned.into()));
}

#[test]
fn a_refusal_ends_no_capture() {
    // This test runs in a separate process, since a capture would disturb other tests.
    in_child("refusals::a_refusal_ends_no_capture", &[], || {
        let ladder = ladder();
        let items = DeviceBuffer::from_slice(&[1u32; 100]).unwrap();
        let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
        let reduce = || ladder.reduce::<Sum, _>(Rung::Halving, &items, 256);
        Graph::capture_in(CaptureMode::Relaxed, &stream, || {
            let under_way = warpfold::Error::CaptureUnderWay;
            assert_eq!(reduce(), Err(Error::Warpfold(under_way)));
        });
        assert_eq!(reduce(), Ok(100));
    });
}

#[test]
fn every_rung_has_a_unique_title_and_whole_sentences() {
    for (index, rung) in Rung::ALL.iter().enumerate() {
        let titles = Rung::ALL[..index].iter().map(|other| other.title());
        assert!(
            !titles.into_iter().any(|title| title == rung.title()),
            "{rung}"
        );
        assert!(rung.idea().ends_with('.'), "{rung}");
        assert!(
            rung.improvement().is_none_or(|text| text.ends_with('.')),
            "{rung}"
        );
        assert!(
            rung.block_sizes()
                .iter()
                .all(|size| rung.block_sizes().contains(size))
        );
        assert!(rung.block_sizes().iter().next().is_some(), "{rung}");
    }
}
