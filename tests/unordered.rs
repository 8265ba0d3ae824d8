//! Calls that are queued on two streams: the second call reads the results of the first. If nothing orders them, the virtual GPU ends the
//! context and names both calls. With an event between them, the result is right.
//!
//! Without an event, a real GPU returns some number, and no error. So these tests only run on the virtual GPU.

#[path = "common/child.rs"]
mod child;
mod common;
#[path = "common/skip.rs"]
mod skip;

use child::in_child;
use common::{gpu, mode};
use cust::event::{Event, EventFlags};
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags, StreamWaitEventFlags};
use skip::skip;
use virtual_gpu::driver::{Finding, take_findings};
use virtual_gpu::{Doer, Mode, StreamRace};
use warpfold::{Max, Sum, cust, reduce, scan};

const ITEMS: usize = 60_000;

/// Whether the reduction waits for an event that is recorded after the scan.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    Nothing,
    AnEvent,
}

/// Scans an array of ones on one stream, finds the greatest sum on another stream, and waits only for the second stream. Returns whether
/// the copy of the greatest sum to the host succeeded, and the greatest sum.
fn greatest_sum(between: Between) -> (Result<(), cust::error::CudaError>, u32) {
    let gpu = gpu();
    let stream = || Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let (a, b) = (stream(), stream());
    let input = DeviceBuffer::from_slice(&vec![1_u32; ITEMS]).unwrap();
    let mut sums = DeviceBuffer::from_slice(&vec![0_u32; ITEMS]).unwrap();
    let mut greatest = DeviceBuffer::from_slice(&[0_u32]).unwrap();
    scan::<Sum, _>(&input).to(&mut sums).queue(gpu, &a).unwrap();
    if between == Between::AnEvent {
        let scanned = Event::new(EventFlags::DISABLE_TIMING).unwrap();
        scanned.record(&a).unwrap();
        b.wait_event(scanned, StreamWaitEventFlags::DEFAULT)
            .unwrap();
    }
    reduce::<Max, _>(&sums)
        .to(&mut greatest)
        .queue(gpu, &b)
        .unwrap();
    b.synchronize().unwrap();
    let mut result = [0];
    (greatest.copy_to(&mut result), result[0])
}

fn races() -> Vec<StreamRace> {
    let race = |finding| match finding {
        Finding::StreamRace(race) => Some(*race),
        _ => None,
    };
    take_findings().into_iter().filter_map(race).collect()
}

/// Whether the device is real. If so, prints that the test is skipped.
fn is_real(test: &str) -> bool {
    let is_real = mode() == Mode::Real;
    if is_real {
        skip(test, "a real GPU gives some number, and no error");
    }
    is_real
}

#[test]
fn an_event_between_the_calls_gives_the_right_result() {
    if is_real("an_event_between_the_calls_gives_the_right_result") {
        return;
    }
    let (copied, greatest) = greatest_sum(Between::AnEvent);
    assert_eq!((copied, greatest), (Ok(()), ITEMS as u32));
    assert_eq!(races(), []);
}

/// The race ends the context, so this test runs in a separate process.
#[test]
fn without_an_event_the_race_is_reported_and_no_number_returned() {
    let test = "without_an_event_the_race_is_reported_and_no_number_returned";
    if is_real(test) {
        return;
    }
    in_child(test, &[], || {
        let (copied, greatest) = greatest_sum(Between::Nothing);
        assert_eq!(copied, Err(cust::error::CudaError::LaunchFailed));
        assert_eq!(greatest, 0, "nothing was copied");
        let races = races();
        assert_eq!(races.len(), 1, "{races:?}");
        let sides = [&races[0].earlier.by, &races[0].later.by];
        let names = sides.map(|by| match by {
            Doer::Kernel { name, .. } => name.as_str(),
            by => panic!("{by}"),
        });
        assert_eq!(names, ["reduce_max_u32", "inclusive_scan_sum_u32"]);
    });
}
