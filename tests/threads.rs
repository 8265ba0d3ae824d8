//! Many threads make calls on slices: more threads than there are transfer lanes of one size. All calls end with the right results.

#![forbid(unsafe_code)]

#[path = "common/child.rs"]
mod child;

use std::process;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use child::in_child;
use warpfold::group::Gpus;
use warpfold::{
    Dot, Equal, Flagged, Gpu, Max, NonZero, Sum, gpu_arg_max, gpu_arg_min, gpu_arg_min_max,
    gpu_dot, gpu_max, gpu_min, gpu_min_max, gpu_moments, gpu_norm, gpu_product, gpu_sum,
    gpu_wide_sum, reduce, runs, scan, select,
};

/// How many items a slice has: several pieces. The number is a multiple of eight.
const ITEMS: usize = 300_000;

/// How many threads make calls. Each of these numbers is smaller: the calls in the list below, the transfer lanes for pieces, the short
/// transfer lanes, and the streams for calls.
const THREADS: usize = 72;

/// After this time, a child process counts as hung.
const PATIENCE: Duration = Duration::from_secs(300);

/// A call that checks its result.
type Call = fn(&[u32]);

/// Calls on a slice: every verb, with most of its shapes and outputs. All items are 1.
const CALLS: [Call; 50] = [
    |items| {
        assert_eq!(
            reduce::<Sum, _>(items).wait(Gpu::global()),
            Ok(ITEMS as u32)
        )
    },
    |items| assert_eq!(gpu_sum(items), Ok(ITEMS as u32)),
    |items| assert_eq!(gpu_wide_sum(items), Ok(ITEMS as u64)),
    |items| assert_eq!(gpu_product(items), Ok(1)),
    |items| assert_eq!(gpu_min(items), Ok(Some(1))),
    |items| assert_eq!(gpu_max(items), Ok(Some(1))),
    |items| assert_eq!(gpu_arg_min(items), Ok(Some(0))),
    |items| assert_eq!(gpu_arg_max(items), Ok(Some(0))),
    |items| assert_eq!(gpu_min_max(items).unwrap().unwrap().max, 1),
    |items| assert_eq!(gpu_arg_min_max(items).unwrap().unwrap().min, 0),
    |items| assert_eq!(gpu_moments(items).unwrap().mean(), 1.0),
    |items| assert_eq!(gpu_norm(&vec![1f32; items.len()]).unwrap().round(), 548.0),
    |items| assert_counts(&scan::<Sum, _>(items).wait(Gpu::global()).unwrap(), 1),
    |items| {
        assert_counts(
            &scan::<Sum, _>(items)
                .exclusive()
                .wait(Gpu::global())
                .unwrap(),
            0,
        )
    },
    |items| {
        let mut output = vec![0; ITEMS];
        scan::<Sum, _>(items)
            .to(&mut output)
            .wait(Gpu::global())
            .unwrap();
        assert_counts(&output, 1);
    },
    |items| {
        let mut output = vec![0; ITEMS];
        scan::<Sum, _>(items)
            .exclusive()
            .to(&mut output)
            .wait(Gpu::global())
            .unwrap();
        assert_counts(&output, 0);
    },
    |items| assert_eq!(gpu_dot(items, items), Ok(ITEMS as u64)),
    |items| {
        let sum = reduce::<Dot, _>((items, items)).wait(Gpu::global());
        assert_eq!(sum, Ok(ITEMS as u64));
    },
    |items| {
        assert_eq!(
            reduce::<Sum, _>(items).rows(8).wait(Gpu::global()),
            Ok(vec![8; ITEMS / 8])
        )
    },
    |items| {
        let sums = reduce::<Sum, _>(items)
            .segments(&[0u32, 5, ITEMS as u32])
            .wait(Gpu::global());
        assert_eq!(sums, Ok(vec![5, ITEMS as u32 - 5]));
    },
    |items| {
        let sums = reduce::<Max, _>(items).columns(8).wait(Gpu::global());
        assert_eq!(sums, Ok(vec![1; 8]));
    },
    |items| {
        assert_eq!(
            select::<Flagged, _>((items, &vec![1; ITEMS]))
                .wait(Gpu::global())
                .as_deref(),
            Ok(items)
        )
    },
    |items| {
        assert_eq!(
            select::<NonZero, _>(items).wait(Gpu::global()).as_deref(),
            Ok(items)
        )
    },
    |items| {
        let (chosen, others) = select::<Flagged, _>((items, &vec![0; ITEMS]))
            .partition()
            .wait(Gpu::global())
            .unwrap();
        assert_eq!((chosen.len(), others.as_slice()), (0, items));
    },
    |items| {
        let (chosen, others) = select::<NonZero, _>(items)
            .partition()
            .wait(Gpu::global())
            .unwrap();
        assert_eq!((chosen.as_slice(), others.len()), (items, 0));
    },
    |items| {
        let indices = select::<NonZero, _>(items)
            .indices()
            .wait(Gpu::global())
            .unwrap();
        assert!(indices.into_iter().eq(0..ITEMS));
    },
    |items| assert_eq!(runs::<Equal, _>(items).wait(Gpu::global()), Ok(vec![1])),
    |items| {
        let runs = runs::<Equal, _>(items)
            .lengths()
            .wait(Gpu::global())
            .unwrap();
        assert_eq!((runs.0, runs.1.len()), (vec![1], 1));
    },
    |items| {
        let sums = reduce::<Sum, _>(items)
            .by_key::<Equal, _>(items)
            .wait(Gpu::global());
        assert_eq!(sums, Ok((vec![1], vec![ITEMS as u32])));
    },
    |items| {
        let mut sums = (vec![0; 1], vec![0; 1]);
        let runs = reduce::<Sum, _>(items)
            .by_key::<Equal, _>(items)
            .keys_to(&mut sums.0)
            .to(&mut sums.1)
            .wait(Gpu::global());
        assert_eq!((runs, sums), (Ok(1), (vec![1], vec![ITEMS as u32])));
    },
    |items| {
        let mut sum = [0];
        let done = reduce::<Dot, _>((items, items))
            .to(&mut sum)
            .wait(Gpu::global());
        assert_eq!((done, sum), (Ok(()), [ITEMS as u64]));
    },
    |items| {
        let mut sums = vec![0; ITEMS / 8];
        let done = reduce::<Sum, _>(items)
            .rows(8)
            .to(&mut sums)
            .wait(Gpu::global());
        assert_eq!((done, sums), (Ok(()), vec![8; ITEMS / 8]));
    },
    |items| {
        let scanned = scan::<Sum, _>(items)
            .initial(5)
            .and_total()
            .wait(Gpu::global());
        let (scanned, total) = scanned.unwrap();
        assert_counts(&scanned, 6);
        assert_eq!(total, ITEMS as u32 + 5);
    },
    |items| {
        let mut items = items.to_vec();
        scan::<Sum, _>(&mut items)
            .in_place()
            .wait(Gpu::global())
            .unwrap();
        assert_counts(&items, 1);
    },
    |items| {
        let scanned = scan::<Sum, _>(items)
            .segments(&[0u64, ITEMS as u64])
            .wait(Gpu::global());
        assert_counts(&scanned.unwrap(), 1);
    },
    |items| {
        let scanned = scan::<Sum, _>(items)
            .exclusive()
            .rows(ITEMS)
            .wait(Gpu::global());
        assert_counts(&scanned.unwrap(), 0);
    },
    |items| {
        let scanned = scan::<Sum, _>(items).columns(1).wait(Gpu::global());
        assert_counts(&scanned.unwrap(), 1);
    },
    |items| {
        let mut output = vec![0; ITEMS];
        scan::<Sum, _>(items)
            .columns(1)
            .to(&mut output)
            .wait(Gpu::global())
            .unwrap();
        assert_counts(&output, 1);
    },
    |items| {
        let scanned = scan::<Sum, _>(items)
            .by_key::<Equal, _>(items)
            .wait(Gpu::global());
        assert_counts(&scanned.unwrap(), 1);
    },
    |items| {
        let mut output = vec![0; ITEMS];
        scan::<Sum, _>(items)
            .exclusive()
            .by_key::<Equal, _>(items)
            .to(&mut output)
            .wait(Gpu::global())
            .unwrap();
        assert_counts(&output, 0);
    },
    |items| {
        let starts = runs::<Equal, _>(items).starts().wait(Gpu::global());
        assert_eq!(starts, Ok(vec![0, ITEMS]));
    },
    |items| {
        let mut first = [0];
        let runs = runs::<Equal, _>(items).to(&mut first).wait(Gpu::global());
        assert_eq!((runs, first), (Ok(1), [1]));
    },
    |items| {
        let flags = vec![1; ITEMS];
        let indices = select::<Flagged, _>((items, &flags))
            .indices()
            .wait(Gpu::global());
        assert!(indices.unwrap().into_iter().eq(0..ITEMS));
    },
    |items| {
        let (mut chosen, mut others) = (vec![0; ITEMS], vec![0; ITEMS]);
        let count = select::<NonZero, _>(items)
            .to(&mut chosen)
            .rest_to(&mut others)
            .wait(Gpu::global());
        assert_eq!((count, chosen.as_slice(), others[0]), (Ok(ITEMS), items, 0));
    },
    |items| {
        let sum = reduce::<Sum, _>(items).in_order().wait(Gpu::global());
        assert_eq!(sum, Ok(ITEMS as u32));
    },
    |items| {
        let sums = reduce::<Sum, _>(items)
            .axis(ITEMS / 8, 4, 2)
            .wait(Gpu::global());
        assert_eq!(sums, Ok(vec![4; ITEMS / 4]));
    },
    |items| {
        let sums = reduce::<Sum, _>(items).rows(6).pitch(8).wait(Gpu::global());
        assert_eq!(sums, Ok(vec![6; ITEMS / 8]));
    },
    |items| {
        let scanned = scan::<Sum, _>(items).reversed().wait(Gpu::global());
        let mut scanned = scanned.unwrap();
        scanned.reverse();
        assert_counts(&scanned, 1);
    },
    |items| {
        let scanned = scan::<Sum, _>(items).axis(1, ITEMS, 1).wait(Gpu::global());
        assert_counts(&scanned.unwrap(), 1);
    },
    // A slice of one piece.
    |items| assert_eq!(gpu_sum(&items[..1000]), Ok(1000)),
];

/// Checks that `found` has the numbers from `first` on, one for each item.
fn assert_counts(found: &[u32], first: u32) {
    assert!(found.iter().copied().eq(first..first + ITEMS as u32));
}

/// Runs `work` on several threads at once, with the thread's number as the argument.
fn on_all_threads(threads: usize, work: impl Fn(usize) + Sync) {
    let start = Barrier::new(threads);
    let (start, work) = (&start, &work);
    thread::scope(|scope| {
        for index in 0..threads {
            scope.spawn(move || {
                start.wait();
                work(index);
            });
        }
    });
}

/// Runs the test in a process with this number of devices. If the process takes too long, it ends with an error.
fn on_devices(devices: &str, test: &str, body: impl FnOnce()) {
    let variables = [
        ("VIRTUAL_GPU", "on"),
        ("VIRTUAL_GPU_DEVICES", devices),
        ("VIRTUAL_GPU_CHECKS", "none"),
    ];
    in_child(test, &variables, || {
        thread::spawn(|| {
            thread::sleep(PATIENCE);
            eprintln!("the calls did not end in {PATIENCE:?}");
            process::exit(1);
        });
        body();
    });
}

#[test]
fn pairs_from_many_threads_end() {
    on_devices("1", "pairs_from_many_threads_end", || {
        // The pieces are too long for the short lanes, so the calls share the few lanes for pieces.
        let items = vec![1f64; 700_000];
        on_all_threads(48, |_| assert_eq!(gpu_dot(&items, &items), Ok(700_000.0)));
    });
}

#[test]
fn all_calls_from_many_threads_end() {
    on_devices("1", "all_calls_from_many_threads_end", || {
        let items = vec![1u32; ITEMS];
        on_all_threads(THREADS, |index| {
            CALLS[index % CALLS.len()](&items);
            CALLS[(index * 7 + 1) % CALLS.len()](&items);
            CALLS[(index * 13 + 2) % CALLS.len()](&items);
        });
    });
}

#[test]
fn all_calls_beside_those_over_two_devices_end() {
    on_devices("2", "all_calls_beside_those_over_two_devices_end", || {
        let items = vec![1u32; ITEMS];
        let gpus = Gpus::all().unwrap();
        // This slice is divided over both GPUs. Slices of at most 8 MiB go to one GPU alone.
        let long = vec![1u32; (8 << 20) / 4 + 5];
        on_all_threads(THREADS, |index| match index % 12 {
            0 => assert_eq!(reduce::<Sum, _>(&long).wait(&gpus), Ok(long.len() as u32)),
            1 => {
                let scanned = scan::<Sum, _>(&long).wait(&gpus).unwrap();
                assert!(scanned.into_iter().eq(1..=long.len() as u32));
            }
            2 => assert_eq!(gpu_dot(&items, &items), Ok(ITEMS as u64)),
            _ => CALLS[index * 7 % CALLS.len()](&items),
        });
    });
}
