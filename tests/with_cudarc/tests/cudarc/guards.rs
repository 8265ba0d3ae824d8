//! `cudarc`'s guards order a request after earlier work on its slices, and before later work, on any stream.
//!
//! On the virtual GPU, a data race between unordered work ends the context, and later calls fail. So a right result shows that everything
//! was ordered.

use std::error::Error;
use std::sync::Arc;

use cudarc::driver::result::stream::{self, StreamKind};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use warpfold::{
    DeviceItemsMut, DeviceStream, Gpu, Max, RawItemsMut, RawStream, Sum, User, reduce, scan,
};

use super::child::in_child;
use super::skip::skip;

const ITEMS: u32 = 60_000;

/// How a request runs.
#[derive(Debug, Clone, Copy)]
enum Then {
    Waiting,
    /// Queued on a stream of `cudarc`.
    Queued,
    /// Queued on a stream of `cudarc` through the raw handle. `cudarc` does not track such work.
    QueuedOnHandle,
}

const ALL: [Then; 3] = [Then::Waiting, Then::Queued, Then::QueuedOnHandle];

struct Streams {
    context: Arc<CudaContext>,
    home: Arc<CudaStream>,
}

impl Streams {
    fn new() -> Self {
        let context = CudaContext::new(0).unwrap();
        let home = context.new_stream().unwrap();
        Self { context, home }
    }

    /// A non-blocking stream, which is not ordered with other streams.
    fn another(&self) -> Arc<CudaStream> {
        self.context.new_stream().unwrap()
    }

    fn of(&self, item: u32) -> CudaSlice<u32> {
        self.home.clone_htod(&vec![item; ITEMS as usize]).unwrap()
    }

    fn first(&self, items: &CudaSlice<u32>) -> u32 {
        let on = self.another();
        on.clone_dtoh(&items.slice(..1)).unwrap()[0]
    }

    /// The greatest item, found as `then` says.
    fn greatest(&self, items: &CudaSlice<u32>, then: Then) -> u32 {
        let gpu = gpu();
        let mut greatest = self.home.alloc_zeros(1).unwrap();
        let stream = self.another();
        let request = reduce::<Max, _>(items);
        match then {
            Then::Waiting => return request.wait(gpu).unwrap(),
            Then::Queued => request.to(&mut greatest).queue(gpu, &stream).unwrap(),
            Then::QueuedOnHandle => request
                .to(&mut greatest)
                .queue(gpu, &unknown(&stream))
                .unwrap(),
        }
        self.first(&greatest)
    }
}

fn gpu() -> &'static Gpu {
    Gpu::global().expect("a GPU, real or virtual")
}

/// The stream's handle alone.
fn unknown(stream: &CudaStream) -> RawStream<'_> {
    // SAFETY: the stream is not destroyed while it is borrowed.
    unsafe { RawStream::from_raw(stream.cu_stream().cast()) }
}

#[test]
fn a_request_comes_after_earlier_requests_on_other_streams() {
    let streams = Streams::new();
    for then in ALL {
        let (ones, mut sums) = (streams.of(1), streams.of(0));
        let stream = streams.another();
        let request = scan::<Sum, _>(&ones).to(&mut sums);
        match then {
            Then::QueuedOnHandle => request.queue(gpu(), &unknown(&stream)).unwrap(),
            Then::Waiting | Then::Queued => request.queue(gpu(), &stream).unwrap(),
        }
        assert_eq!(streams.greatest(&sums, then), ITEMS, "{then:?}");
    }
}

#[test]
fn a_request_comes_after_other_work_on_other_streams() {
    let streams = Streams::new();
    for then in ALL {
        let (sevens, mut items) = (streams.of(7), streams.of(0));
        streams.another().memcpy_dtod(&sevens, &mut items).unwrap();
        assert_eq!(streams.greatest(&items, then), 7, "{then:?}");
    }
}

#[test]
fn other_work_comes_after_a_request_that_reads() {
    let streams = Streams::new();
    for then in ALL {
        let mut items = streams.of(7);
        let mut greatest = streams.of(0);
        let stream = streams.another();
        let request = reduce::<Max, _>(&items);
        match then {
            Then::Waiting => assert_eq!(request.wait(gpu()), Ok(7)),
            Then::Queued => request.to(&mut greatest).queue(gpu(), &stream).unwrap(),
            Then::QueuedOnHandle => request
                .to(&mut greatest)
                .queue(gpu(), &unknown(&stream))
                .unwrap(),
        }
        streams.another().memset_zeros(&mut items).unwrap();
        assert_eq!(streams.first(&items), 0, "{then:?}");
        if !matches!(then, Then::Waiting) {
            assert_eq!(streams.first(&greatest), 7, "{then:?}");
        }
    }
}

#[test]
fn views_begin_and_end_anywhere_and_are_ordered_as_their_slices() {
    let streams = Streams::new();
    let ones = streams.of(1);
    let mut sums = streams.of(0);
    let mut view = sums.slice_mut(3..1_003);
    scan::<Sum, _>(&ones.slice(5..1_005))
        .to(&mut view)
        .queue(gpu(), &streams.another())
        .unwrap();
    let greatest = reduce::<Max, _>(&sums.slice(..1_000)).wait(gpu());
    assert_eq!(greatest, Ok(997));
    let mut view = sums.slice_mut(3..1_003);
    scan::<Max, _>(&mut view)
        .in_place()
        .queue(gpu(), &unknown(&streams.another()))
        .unwrap();
    assert_eq!(streams.greatest(&sums, Then::Queued), 1_000);
}

/// Checks the rows of the table in the documentation of `warpfold`'s bindings, for `cudarc`'s memory.
#[test]
fn a_waiting_call_comes_after_work_on_every_kind_of_stream() {
    let streams = Streams::new();
    let blocking = stream::create(StreamKind::Default).unwrap();
    // SAFETY: the stream was made in this context, and is never destroyed.
    let blocking = unsafe { streams.context.wrap_borrowed_stream(blocking) };
    let kinds = [
        streams.context.default_stream(),
        streams.context.per_thread_stream(),
        blocking,
        streams.another(),
    ];
    for (row, kind) in kinds.iter().enumerate() {
        let (ones, mut sums) = (streams.of(1), streams.of(0));
        scan::<Sum, _>(&ones)
            .to(&mut sums)
            .queue(gpu(), kind)
            .unwrap();
        assert_eq!(reduce::<Max, _>(&sums).wait(gpu()), Ok(ITEMS), "row {row}");
    }
}

/// Whether the guard that `lend_mut` returned is dropped before the work is queued, or after that.
#[derive(Clone, Copy, PartialEq)]
enum Dropped {
    BeforeTheWork,
    AfterTheWork,
}

/// Scans an array of ones into lent memory on one stream of `cudarc`, and finds the greatest sum on another.
fn lent_by_hand(dropped: Dropped) -> Result<u32, Box<dyn Error>> {
    let streams = Streams::new();
    let (ones, mut sums) = (streams.of(1), streams.of(0));
    let (writer, reader) = (streams.another(), streams.another());
    let lent = sums.lend_mut(User::Stream(writer.as_raw()));
    // SAFETY: `sums` has `ITEMS` items and outlives all work in this function. `lend_mut` borrows it mutably, so work may write the items.
    let mut to = unsafe { RawItemsMut::from_raw(lent.address, ITEMS as usize) };
    let request = scan::<Sum, _>(&ones).to(&mut to);
    match dropped {
        Dropped::BeforeTheWork => {
            drop(lent);
            request.queue(gpu(), &writer)?;
        }
        Dropped::AfterTheWork => {
            request.queue(gpu(), &writer)?;
            drop(lent);
        }
    }
    let mut greatest = streams.of(0);
    reduce::<Max, _>(&sums)
        .to(&mut greatest.slice_mut(..1))
        .queue(gpu(), &reader)?;
    streams.context.synchronize()?;
    let mut found = [0];
    reader.memcpy_dtoh(&greatest.slice(..1), &mut found)?;
    Ok(found[0])
}

#[test]
fn a_guard_that_is_kept_orders_later_work() {
    assert_eq!(lent_by_hand(Dropped::AfterTheWork).unwrap(), ITEMS);
}

/// The race ends the context, so this test runs in a separate process.
#[test]
fn a_guard_that_is_dropped_early_does_not_order_later_work() {
    let test = "guards::a_guard_that_is_dropped_early_does_not_order_later_work";
    if !gpu().name().starts_with("Virtual GPU") {
        skip(test, "a real GPU gives some number, and no error");
        return;
    }
    in_child(test, &[], || {
        let error = lent_by_hand(Dropped::BeforeTheWork).unwrap_err();
        assert!(error.to_string().contains("LAUNCH_FAILED"), "{error}");
    });
}
