//! Regression tests: each checks a bug that has been fixed. In some of these tests, the arguments of a call overlap, or one argument is
//! misaligned, too short or freed. The library must refuse such a call before it writes or allocates anything, or adds anything to a
//! capture. In `tests/random.rs`, some random calls have arguments that overlap.

#[path = "common/buffers.rs"]
#[allow(dead_code, reason = "used in part")]
mod buffers;
#[path = "common/child.rs"]
mod child;
mod common;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/graph.rs"]
mod graph;

use std::sync::{Mutex, MutexGuard, PoisonError};

use buffers::zeros;
use child::in_child;
use common::gpu;
use cust::memory::{DeviceBuffer, DeviceCopy, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use graph::Graph;
use virtual_gpu::Mode;
use virtual_gpu::driver::Code;
use virtual_gpu::inject::{Calls, Failure, Moment, fail};
use warpfold::texts::{Row, Texts};
use warpfold::{
    Argument, Commutative, Equal, Error, Gpu, Kernel, Op, Result, Sum, cust, kind, reduce, scan,
};

/// Lets one test run at a time, so that no call of another test can end a capture.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stream() -> Stream {
    gpu();
    Stream::new(StreamFlags::NON_BLOCKING, None).unwrap()
}

/// Items in a buffer of `u32`, at an address that is not aligned for `u32`.
fn misaligned(buffer: &DeviceBuffer<u32>) -> DeviceSlice<u32> {
    let at = buffer.as_device_ptr().as_raw() + 2;
    // SAFETY: the slice has one item less than the buffer, and ends within it. The slice is misaligned, so the library refuses it before
    // any access.
    unsafe {
        DeviceSlice::from_raw_parts(cust::memory::DevicePointer::from_raw(at), buffer.len() - 1)
    }
}

/// Tests two matrices: one has a single row, so its items are contiguous; the other has two rows.
#[test]
fn an_output_in_the_gap_after_the_last_row_is_refused() {
    let _alone = alone();
    let (gpu, stream) = (gpu(), stream());
    for rows in [1, 2] {
        let items = DeviceBuffer::from_slice(&vec![1u32; 5 * rows]).unwrap();
        let mut gap = items.index(5 * rows - 2..);
        let answer = reduce::<Sum, _>(&items)
            .rows(3)
            .pitch(5)
            .to(&mut gap)
            .queue(gpu, &stream);
        assert!(
            matches!(answer, Err(Error::Overlap { .. })),
            "{rows}: {answer:?}"
        );
        assert_eq!(items.as_host_vec().unwrap(), vec![1; 5 * rows]);
    }
}

#[test]
fn a_total_that_overlaps_the_count_is_refused() {
    let _alone = alone();
    let (gpu, stream) = (gpu(), stream());
    let input = DeviceBuffer::from_slice(&[1_u64; 1000]).unwrap();
    let mut output = zeros::<u64>(1000);
    let count = DeviceBuffer::from_slice(&[900_u64]).unwrap();
    let mut same_place = count.index(..);
    let answer = scan::<Sum, _>(&input)
        .count(&count)
        .total(&mut same_place)
        .to(&mut output)
        .queue(gpu, &stream);
    assert!(matches!(answer, Err(Error::Overlap { .. })), "{answer:?}");
    stream.synchronize().unwrap();
    assert_eq!(count.as_host_vec().unwrap(), [900]);
    assert_eq!(output.as_host_vec().unwrap(), [0; 1000]);
}

/// Keys, values and outputs of a call by key.
struct Keyed {
    keys: DeviceBuffer<u32>,
    values: DeviceBuffer<u32>,
    firsts: DeviceBuffer<u32>,
    results: DeviceBuffer<u32>,
    starts: DeviceBuffer<u32>,
    count: DeviceBuffer<u64>,
}

impl Keyed {
    fn new() -> Self {
        gpu();
        let mark = |places: usize| DeviceBuffer::from_slice(&vec![77_u32; places]).unwrap();
        Self {
            keys: DeviceBuffer::from_slice(&[1_u32; 100]).unwrap(),
            values: DeviceBuffer::from_slice(&[2_u32; 100]).unwrap(),
            firsts: mark(101),
            results: mark(101),
            starts: mark(101),
            count: DeviceBuffer::from_slice(&[77_u64]).unwrap(),
        }
    }

    fn reduce(
        &self,
        stream: &Stream,
        values: &DeviceSlice<u32>,
        mut results: DeviceSlice<u32>,
    ) -> Result<()> {
        reduce::<Sum, _>(values)
            .by_key::<Equal, _>(&self.keys)
            .keys_to(&mut self.firsts.index(..))
            .to(&mut results)
            .runs_to(&mut self.starts.index(..), &mut self.count.index(..))
            .queue(gpu(), stream)
    }

    fn scan(
        &self,
        stream: &Stream,
        values: &DeviceSlice<u32>,
        mut output: DeviceSlice<u32>,
    ) -> Result<()> {
        scan::<Sum, _>(values)
            .by_key::<Equal, _>(&self.keys)
            .to(&mut output)
            .runs_to(&mut self.starts.index(..), &mut self.count.index(..))
            .queue(gpu(), stream)
    }

    #[track_caller]
    fn assert_untouched(&self) {
        for output in [&self.firsts, &self.results, &self.starts] {
            assert_eq!(output.as_host_vec().unwrap(), [77; 101]);
        }
        assert_eq!(self.count.as_host_vec().unwrap(), [77]);
    }
}

#[test]
fn a_refused_call_by_key_writes_nothing() {
    let _alone = alone();
    let (keyed, stream) = (Keyed::new(), stream());
    // A call by key may have two launches, of which only the second writes results. If the memory for results is refused, neither launch
    // may run.
    let over_starts = || keyed.starts.index(..);
    for answer in [
        keyed.reduce(&stream, &keyed.values, over_starts()),
        keyed.scan(&stream, &keyed.values, over_starts()),
    ] {
        assert!(matches!(answer, Err(Error::Overlap { .. })), "{answer:?}");
    }
    let odd = misaligned(&DeviceBuffer::from_slice(&[0_u32; 101]).unwrap());
    for answer in [
        keyed.reduce(&stream, &odd, keyed.results.index(..)),
        keyed.scan(&stream, &keyed.values, misaligned(&keyed.results)),
    ] {
        assert!(
            matches!(answer, Err(Error::Misaligned { .. })),
            "{answer:?}"
        );
    }
    let room = keyed.results.index(..99);
    let answer = keyed.scan(&stream, &keyed.values, room);
    let too_short = Error::OutputTooShort {
        offered_items: 99,
        needed_items: 100,
    };
    assert_eq!(answer, Err(too_short));
    stream.synchronize().unwrap();
    keyed.assert_untouched();

    // A waiting call that is refused also writes nothing.
    let keys = &keyed.keys;
    let odd = misaligned(&keyed.results);
    let answer = scan::<Sum, _>(keys)
        .by_key::<Equal, _>(keys)
        .to(&mut odd.index(..))
        .wait(gpu());
    assert!(
        matches!(answer, Err(Error::Misaligned { .. })),
        "{answer:?}"
    );
    let mut firsts = keyed.firsts.index(..);
    let mut results = odd;
    let answer = reduce::<Sum, _>(&keyed.values)
        .by_key::<Equal, _>(keys)
        .keys_to(&mut firsts)
        .to(&mut results)
        .wait(gpu());
    assert!(
        matches!(answer, Err(Error::Misaligned { .. })),
        "{answer:?}"
    );
    keyed.assert_untouched();
}

#[test]
fn a_refused_call_by_key_leaves_nothing_in_a_capture() {
    let _alone = alone();
    let (keyed, stream) = (Keyed::new(), stream());
    // A call whose output has no room runs the first launch, and so compiles that launch's kernel.
    keyed
        .reduce(&stream, &keyed.values, zeros::<u32>(0).index(..))
        .unwrap();
    stream.synchronize().unwrap();
    let keyed = Keyed::new();
    let freed = {
        let gone = zeros::<u32>(100);
        gone.index(..)
    };
    let graph = Graph::capture(&stream, || {
        for answer in [
            keyed.reduce(&stream, &keyed.values, keyed.starts.index(..)),
            keyed.scan(&stream, &keyed.values, keyed.starts.index(..)),
        ] {
            assert!(matches!(answer, Err(Error::Overlap { .. })), "{answer:?}");
        }
        let answer = keyed.reduce(&stream, &freed, keyed.results.index(..));
        let is_foreign = |answer: &Result<()>| {
            matches!(
                answer,
                Err(Error::ForeignMemory {
                    argument: Argument::Input,
                    ..
                })
            )
        };
        assert!(is_foreign(&answer), "{answer:?}");
    });
    // SAFETY: the buffers outlive the `synchronize` below.
    unsafe { graph.launch(&stream) };
    stream.synchronize().unwrap();
    keyed.assert_untouched();
}

warpfold::item! {
    /// An item of 3 bytes.
    struct Three {
        a: u8,
        b: u8,
        c: u8,
    }
}

warpfold::item! {
    /// An item of 6 bytes, aligned to 2.
    struct Six {
        a: u16,
        b: u16,
        c: u16,
    }
}

warpfold::item! {
    /// An item of 4 bytes, aligned to 1.
    struct Four {
        a: u8,
        b: u8,
        c: u8,
        d: u8,
    }
}

/// Empty: a reduction of no items needs no kernel.
static TEXTS: Texts = Texts::new(&[], &[]);

/// Each line has an operator, and the type and the value of its lowered identity.
macro_rules! identities {
    ($($operator:ident: $output:ty = $value:expr;)*) => {$(
        #[derive(Debug, Clone, Copy)]
        struct $operator;

        impl Op<u32> for $operator {
            type Accumulator = u32;
            type Output = $output;

            fn identity() -> u32 {
                0
            }
            fn lift(item: u32) -> u32 {
                item
            }
            fn combine(left: u32, right: u32) -> u32 {
                left | right
            }
            fn lower(_: u32) -> $output {
                $value
            }
        }

        impl Commutative for $operator {}

        // SAFETY: the row is made of `kind::reduce`, this operator and `u32`. `TEXTS` has no kernel with the row's symbol, so loading that
        // kernel is an error.
        unsafe impl Kernel<kind::reduce, u32> for $operator {
            fn row() -> &'static Row {
                static ROW: Row = Row::new::<kind::reduce, $operator, u32>("none", &TEXTS);
                &ROW
            }
        }
    )*};
}

identities! {
    ToThree: Three = Three { a: 1, b: 2, c: 3 };
    ToSix: Six = Six { a: 0x0201, b: 0x0403, c: 0x0605 };
    ToFour: Four = Four { a: 1, b: 2, c: 3, d: 4 };
}

/// Reduces an empty input to an output at each offset below 8 that the type's alignment allows. Checks the output and all bytes around it.
fn check_identity<O>(bytes: &[u8])
where
    O: Kernel<kind::reduce, u32>,
    O::Output: DeviceCopy,
{
    let stream = stream();
    let nothing = DeviceBuffer::<u32>::from_slice(&[]).unwrap();
    for at in (0..8).step_by(align_of::<O::Output>()) {
        let buffer = DeviceBuffer::from_slice(&[99_u8; 24]).unwrap();
        let place = cust::memory::DevicePointer::from_raw(buffer.as_device_ptr().as_raw() + at);
        // SAFETY: from `at` on, the buffer has room for one aligned result, and it outlives the `synchronize` below.
        let mut output = unsafe { DeviceSlice::<O::Output>::from_raw_parts(place, 1) };
        reduce::<O, _>(&nothing)
            .to(&mut output)
            .queue(gpu(), &stream)
            .unwrap();
        stream.synchronize().unwrap();
        let mut expected = [99_u8; 24];
        expected[at as usize..][..bytes.len()].copy_from_slice(bytes);
        assert_eq!(buffer.as_host_vec().unwrap(), expected, "at {at}");
    }
}

#[test]
fn identities_of_any_size_and_alignment_are_written_whole() {
    let _alone = alone();
    check_identity::<ToThree>(&[1, 2, 3]);
    check_identity::<ToSix>(&[1, 2, 3, 4, 5, 6]);
    check_identity::<ToFour>(&[1, 2, 3, 4]);
}

/// PTX that every supported driver accepts.
const TEXT: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";

#[test]
fn an_error_in_loading_a_text_has_the_drivers_code() {
    let _alone = alone();
    let gpu = gpu();
    for code in [222, 225, 36, 46, 812, 914, 999, 12_345] {
        let armed = fail(Failure {
            calls: Calls::Named("cuModuleLoadDataEx"),
            nth: 1,
            code: Code(code),
            moment: Moment::Before,
        });
        let found = match gpu.load_ptx("k", TEXT).map(drop) {
            Err(Error::Driver { code, .. } | Error::KernelRejected { code, .. }) => code.0,
            other => panic!("{code}: {other:?}"),
        };
        drop(armed);
        assert_eq!(found, code);
    }
}

#[test]
fn a_sticky_code_while_loading_a_text_ends_the_gpu() {
    let _alone = alone();
    in_child(
        "a_sticky_code_while_loading_a_text_ends_the_gpu",
        &[("VIRTUAL_GPU", "on")],
        || {
            let gpu = Gpu::new().unwrap();
            let armed = fail(Failure {
                calls: Calls::Named("cuModuleLoadDataEx"),
                nth: 1,
                code: Code(700),
                moment: Moment::Sticky,
            });
            let answer = gpu.load_ptx("k", TEXT).map(drop);
            drop(armed);
            let is_lost = |code: warpfold::DriverCode| code.0 == 700;
            assert!(
                matches!(answer, Err(Error::Driver { code, .. }) if is_lost(code)),
                "{answer:?}"
            );
            let answer = gpu.synchronize();
            assert!(
                matches!(answer, Err(Error::Poisoned { code }) if is_lost(code)),
                "{answer:?}"
            );
        },
    );
}

#[test]
fn a_call_by_key_frees_kept_memory() {
    let _alone = alone();
    let small = [("VIRTUAL_GPU", "on"), ("VIRTUAL_GPU_MEMORY", "32M")];
    in_child("a_call_by_key_frees_kept_memory", &small, || {
        assert_eq!(common::mode(), Mode::Virtual);
        let gpu = gpu();
        let keys = DeviceBuffer::from_slice(&vec![7_u32; 400_000]).unwrap();
        let mut sums = zeros::<u32>(keys.len());
        let (input, mut output) = (zeros::<u32>(3), zeros::<u32>(1));
        // The library keeps a workspace for each of these streams. The workspaces leave less free memory than a list of the runs' starts
        // takes.
        let streams: Vec<_> = (0..225).map(|_| stream()).collect();
        for stream in &streams {
            reduce::<Sum, _>(&input)
                .to(&mut output)
                .queue(gpu, stream)
                .unwrap();
            stream.synchronize().unwrap();
        }
        let free = cust::memory::mem_get_info().unwrap().0;
        assert!(free < 4 * keys.len(), "{free} bytes are free");
        reduce::<Sum, _>(&keys)
            .by_key::<Equal, _>(&keys)
            .to(&mut sums)
            .wait(gpu)
            .unwrap();
        let sum = 7 * keys.len() as u32;
        assert_eq!(sums.as_host_vec().unwrap().first(), Some(&sum));
    });
}

#[test]
fn the_search_for_a_wrong_offset_frees_kept_memory() {
    let _alone = alone();
    in_child(
        "the_search_for_a_wrong_offset_frees_kept_memory",
        &[("VIRTUAL_GPU", "on")],
        || {
            let gpu = gpu();
            let input = zeros::<u32>(10);
            let mut output = zeros::<u32>(2);
            let offsets = DeviceBuffer::from_slice(&[0_u32, 11, 12]).unwrap();
            let mut call = || {
                reduce::<Sum, _>(&input)
                    .segments(&offsets)
                    .to(&mut output)
                    .wait(gpu)
            };
            let wrong = call();
            assert!(matches!(wrong, Err(Error::BadOffset { index: 1, .. })));
            // The second call's first allocation of page-locked memory is for the search, which copies the offsets into that memory.
            let armed = fail(Failure {
                calls: Calls::Named("cuMemHostAlloc"),
                nth: 1,
                code: Code(2),
                moment: Moment::Before,
            });
            assert_eq!(call(), wrong);
            assert!(armed.has_fired());
        },
    );
}
