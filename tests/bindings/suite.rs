//! Tests requests of every verb on the memory and the streams of a binding. The requests have all shapes except `.axis(…)`, and none has
//! `.in_order()`. Each request is waited for or queued, and its result compared with the CPU's.
//!
//! The file is part of two test programs, since `cudarc` and `cust` find the driver in different ways. Each program defines the trait
//! [`Plain`] of the items.

use warpfold::bytemuck::{NoUninit, cast_slice};
use warpfold::{
    Cpu, DeviceItemsMut, DeviceStream, Dot, Equal, Flagged, Gpu, Max, NonZero, Sum, WideSum,
    reduce, runs, scan, select,
};

use super::Plain;

/// The parts of a binding that the tests need.
pub trait Binding {
    type Items<T: Plain>: DeviceItemsMut<Item = T>;
    type Stream: DeviceStream;

    fn upload<T: Plain>(&self, items: &[T]) -> Self::Items<T>;
    fn download<T: Plain>(&self, items: &Self::Items<T>) -> Vec<T>;
    fn stream(&self) -> Self::Stream;
    fn synchronize(&self, stream: &Self::Stream);
}

/// Makes a module of tests for a binding. Each test calls one function of this file for each of the [`LENGTHS`], with each [`End`].
macro_rules! suite {
    ($module:ident: $new:expr) => {
        $crate::suite::suite! {
            $module: $new;
            reductions reductions_of_pairs reductions_of_segments reductions_of_rows_and_columns reductions_by_key
            scans scans_with_an_initial_value_and_a_total both_totals scans_in_place scans_of_segments scans_of_rows_and_columns scans_by_key
            selections selections_by_flags partitions runs_of_equal_items counts_from_the_device
        }
    };
    ($module:ident: $new:expr; $($case:ident)*) => {
        mod $module {
            $(
                #[test]
                fn $case() {
                    let binding = $new;
                    for item_count in $crate::suite::LENGTHS {
                        for end in [$crate::suite::End::Wait, $crate::suite::End::Queue] {
                            $crate::suite::$case(&$crate::suite::Case::new(&binding, item_count, end));
                        }
                    }
                }
            )*
        }
    };
}
pub(crate) use suite;

/// Numbers of items: multiples of [`ROW_ITEMS`], for one tile and for several.
pub const LENGTHS: [usize; 3] = [8, 4_000, 24_000];

const ROW_ITEMS: usize = 8;

/// The method that ends a request.
#[derive(Debug, Clone, Copy)]
pub enum End {
    Wait,
    Queue,
}

/// A test's arguments.
pub struct Case<'a, B: Binding> {
    binding: &'a B,
    gpu: &'static Gpu,
    stream: B::Stream,
    end: End,
    /// Some items are zero.
    items: Vec<f32>,
    on_device: B::Items<f32>,
}

impl<'a, B: Binding> Case<'a, B> {
    pub fn new(binding: &'a B, item_count: usize, end: End) -> Self {
        let mut state = item_count as u32;
        let item = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match state >> 28 {
                0..4 => 0.0,
                _ => (state >> 8) as f32 / 4096.0 - 2000.0,
            }
        };
        let items: Vec<f32> = (0..item_count).map(item).collect();
        Self {
            gpu: Gpu::global().expect("a GPU, real or virtual"),
            stream: binding.stream(),
            end,
            on_device: binding.upload(&items),
            items,
            binding,
        }
    }

    /// Keys in runs of up to three items.
    fn keys(&self) -> Vec<u32> {
        let indices = 0..self.items.len() as u32;
        indices.map(|index| (index / 3) ^ (index / 4)).collect()
    }

    /// Offsets of segments of 0 to 12 items. The last segment ends before the last item.
    fn offsets(&self) -> Vec<u64> {
        let steps = [0, 5, 0, 12, 1, 7];
        let last = self.items.len() as u64 - 1;
        let offset = |offset: &mut u64, step| {
            *offset += step;
            (*offset <= last).then_some(*offset)
        };
        steps.into_iter().cycle().scan(0, offset).collect()
    }

    fn zeros<T: Plain>(&self, count: usize) -> B::Items<T> {
        self.binding.upload(&vec![T::zeroed(); count])
    }

    /// An output with a zero for each item.
    fn room<T: Plain>(&self) -> B::Items<T> {
        self.zeros(self.items.len())
    }

    /// Waits for queued work. Then asserts that `found` begins with `expected`, and has only zeros after it.
    #[track_caller]
    fn assert_begins<T: Plain>(&self, found: &B::Items<T>, expected: &[T]) {
        self.binding.synchronize(&self.stream);
        let found = self.binding.download(found);
        let (first, rest) = found.split_at(expected.len());
        let what = format!("{} items, {:?}", self.items.len(), self.end);
        assert!(
            cast_slice::<T, u8>(first) == bytes(expected),
            "{what}: {first:?} != {expected:?}"
        );
        assert!(
            cast_slice::<T, u8>(rest).iter().all(|&byte| byte == 0),
            "{what}: {rest:?}"
        );
    }
}

fn bytes<T: NoUninit>(items: &[T]) -> &[u8] {
    cast_slice(items)
}

fn numbers(numbers: &[usize]) -> Vec<u64> {
    numbers.iter().map(|&number| number as u64).collect()
}

/// Waits for a request, or queues it, as the case says.
macro_rules! end {
    ($case:ident, $request:expr) => {
        match $case.end {
            End::Wait => {
                $request.wait($case.gpu).unwrap();
            }
            End::Queue => $request.queue($case.gpu, &$case.stream).unwrap(),
        }
    };
}

pub fn reductions<B: Binding>(case: &Case<B>) {
    let (x, items) = (&case.on_device, &case.items);
    let sum = reduce::<Sum, _>(items).wait(Cpu).unwrap();
    let wide = reduce::<WideSum, _>(items).wait(Cpu).unwrap();
    let returned = reduce::<Sum, _>(x).wait(case.gpu).unwrap();
    assert_eq!(returned.to_bits(), sum.to_bits());
    let (mut a, mut b) = (case.zeros(2), case.zeros(2));
    end!(case, reduce::<Sum, _>(x).to(&mut a));
    end!(case, reduce::<WideSum, _>(x).to(&mut b));
    case.assert_begins(&a, &[sum]);
    case.assert_begins(&b, &[wide]);
}

pub fn reductions_of_pairs<B: Binding>(case: &Case<B>) {
    let right: Vec<f32> = case.items.iter().rev().copied().collect();
    let expected = reduce::<Dot, _>((&case.items, &right)).wait(Cpu).unwrap();
    let (right, mut to) = (case.binding.upload(&right), case.zeros(1));
    let returned = reduce::<Dot, _>((&case.on_device, &right))
        .wait(case.gpu)
        .unwrap();
    assert_eq!(returned.to_bits(), expected.to_bits());
    end!(
        case,
        reduce::<Dot, _>((&case.on_device, &right)).to(&mut to)
    );
    case.assert_begins(&to, &[expected]);
}

pub fn reductions_of_segments<B: Binding>(case: &Case<B>) {
    let offsets = case.offsets();
    let expected = reduce::<Sum, _>(&case.items)
        .segments(&offsets)
        .wait(Cpu)
        .unwrap();
    let (offsets, mut to) = (case.binding.upload(&offsets), case.room());
    end!(
        case,
        reduce::<Sum, _>(&case.on_device)
            .segments(&offsets)
            .to(&mut to)
    );
    case.assert_begins(&to, &expected);
}

pub fn reductions_of_rows_and_columns<B: Binding>(case: &Case<B>) {
    let (x, items) = (&case.on_device, &case.items);
    let of_rows = reduce::<Max, _>(items).rows(ROW_ITEMS).wait(Cpu).unwrap();
    let of_columns = reduce::<Sum, _>(items)
        .columns(ROW_ITEMS)
        .wait(Cpu)
        .unwrap();
    let (mut rows, mut columns) = (case.room(), case.room());
    end!(case, reduce::<Max, _>(x).rows(ROW_ITEMS).to(&mut rows));
    end!(
        case,
        reduce::<Sum, _>(x).columns(ROW_ITEMS).to(&mut columns)
    );
    case.assert_begins(&rows, &of_rows);
    case.assert_begins(&columns, &of_columns);
}

pub fn reductions_by_key<B: Binding>(case: &Case<B>) {
    let keys = case.keys();
    let (unique, sums) = reduce::<Sum, _>(&case.items)
        .by_key::<Equal, _>(&keys)
        .wait(Cpu)
        .unwrap();
    let starts = runs::<Equal, _>(&keys).starts().wait(Cpu).unwrap();
    let keys = case.binding.upload(&keys);
    let (mut firsts, mut to) = (case.room(), case.room());
    let (mut starts_to, mut count) = (case.zeros::<u64>(keys_and_end(case)), case.zeros::<u64>(1));
    end!(
        case,
        reduce::<Sum, _>(&case.on_device)
            .by_key::<Equal, _>(&keys)
            .runs_to(&mut starts_to, &mut count)
            .keys_to(&mut firsts)
            .to(&mut to)
    );
    case.assert_begins(&firsts, &unique);
    case.assert_begins(&to, &sums);
    case.assert_begins(&starts_to, &numbers(&starts));
    case.assert_begins(&count, &[unique.len() as u64]);
}

fn keys_and_end<B: Binding>(case: &Case<B>) -> usize {
    case.items.len() + 1
}

pub fn scans<B: Binding>(case: &Case<B>) {
    let (x, items) = (&case.on_device, &case.items);
    let included = scan::<Sum, _>(items).wait(Cpu).unwrap();
    let left_out = scan::<Max, _>(items).exclusive().wait(Cpu).unwrap();
    let (mut a, mut b) = (case.room(), case.room());
    end!(case, scan::<Sum, _>(x).to(&mut a));
    end!(case, scan::<Max, _>(x).exclusive().to(&mut b));
    case.assert_begins(&a, &included);
    case.assert_begins(&b, &left_out);
}

pub fn scans_with_an_initial_value_and_a_total<B: Binding>(case: &Case<B>) {
    let mut sum = [0.0];
    let expected = scan::<Sum, _>(&case.items)
        .exclusive()
        .initial(2.5)
        .total(&mut sum)
        .wait(Cpu)
        .unwrap();
    let (mut to, mut total) = (case.room(), case.zeros(1));
    end!(
        case,
        scan::<Sum, _>(&case.on_device)
            .exclusive()
            .initial(2.5)
            .total(&mut total)
            .to(&mut to)
    );
    case.assert_begins(&to, &expected);
    case.assert_begins(&total, &sum);
}

/// A scan that both writes its total to device memory and returns it.
pub fn both_totals<B: Binding>(case: &Case<B>) {
    let (expected, sum) = scan::<Sum, _>(&case.items).and_total().wait(Cpu).unwrap();
    let (mut to, mut total) = (case.room(), case.zeros(1));
    let returned = scan::<Sum, _>(&case.on_device)
        .total(&mut total)
        .and_total()
        .to(&mut to)
        .wait(case.gpu)
        .unwrap();
    assert_eq!(returned.to_bits(), sum.to_bits());
    case.assert_begins(&to, &expected);
    case.assert_begins(&total, &[sum]);
}

pub fn scans_in_place<B: Binding>(case: &Case<B>) {
    let expected = scan::<Sum, _>(&case.items).wait(Cpu).unwrap();
    let mut x = case.binding.upload(&case.items);
    end!(case, scan::<Sum, _>(&mut x).in_place());
    case.assert_begins(&x, &expected);
    let mut x = case.binding.upload(&case.items);
    let total = scan::<Sum, _>(&mut x)
        .in_place()
        .and_total()
        .wait(case.gpu)
        .unwrap();
    let (_, sum) = scan::<Sum, _>(&case.items).and_total().wait(Cpu).unwrap();
    assert_eq!(total.to_bits(), sum.to_bits());
    case.assert_begins(&x, &expected);
}

pub fn scans_of_segments<B: Binding>(case: &Case<B>) {
    let offsets = case.offsets();
    let expected = scan::<Sum, _>(&case.items)
        .exclusive()
        .segments(&offsets)
        .wait(Cpu)
        .unwrap();
    let (offsets, mut to) = (case.binding.upload(&offsets), case.room());
    end!(
        case,
        scan::<Sum, _>(&case.on_device)
            .exclusive()
            .segments(&offsets)
            .to(&mut to)
    );
    case.assert_begins(&to, &expected);
}

pub fn scans_of_rows_and_columns<B: Binding>(case: &Case<B>) {
    let (x, items) = (&case.on_device, &case.items);
    let of_rows = scan::<Sum, _>(items).rows(ROW_ITEMS).wait(Cpu).unwrap();
    let of_columns = scan::<Max, _>(items).columns(ROW_ITEMS).wait(Cpu).unwrap();
    let (mut rows, mut columns) = (case.room(), case.room());
    end!(case, scan::<Sum, _>(x).rows(ROW_ITEMS).to(&mut rows));
    end!(case, scan::<Max, _>(x).columns(ROW_ITEMS).to(&mut columns));
    case.assert_begins(&rows, &of_rows);
    case.assert_begins(&columns, &of_columns);
}

pub fn scans_by_key<B: Binding>(case: &Case<B>) {
    let keys = case.keys();
    let expected = scan::<Sum, _>(&case.items)
        .by_key::<Equal, _>(&keys)
        .wait(Cpu)
        .unwrap();
    let (keys, mut to) = (case.binding.upload(&keys), case.room());
    let (mut starts, mut count) = (case.zeros::<u32>(keys_and_end(case)), case.zeros::<u64>(1));
    end!(
        case,
        scan::<Sum, _>(&case.on_device)
            .by_key::<Equal, _>(&keys)
            .runs_to(&mut starts, &mut count)
            .to(&mut to)
    );
    case.assert_begins(&to, &expected);
}

pub fn selections<B: Binding>(case: &Case<B>) {
    let chosen = select::<NonZero, _>(&case.items).wait(Cpu).unwrap();
    let indices = select::<NonZero, _>(&case.items)
        .indices()
        .wait(Cpu)
        .unwrap();
    let (mut to, mut at) = (case.room(), case.room::<u64>());
    let mut count = case.zeros::<u64>(1);
    end!(
        case,
        select::<NonZero, _>(&case.on_device)
            .to(&mut to)
            .indices_to(&mut at)
            .count_to(&mut count)
    );
    case.assert_begins(&to, &chosen);
    case.assert_begins(&at, &numbers(&indices));
    case.assert_begins(&count, &[chosen.len() as u64]);
}

pub fn selections_by_flags<B: Binding>(case: &Case<B>) {
    let flags: Vec<u8> = case.keys().iter().map(|key| (key % 3) as u8).collect();
    let chosen = select::<Flagged, _>((&case.items, &flags))
        .wait(Cpu)
        .unwrap();
    let (flags, mut to) = (case.binding.upload(&flags), case.room());
    let mut count = case.zeros::<u64>(1);
    end!(
        case,
        select::<Flagged, _>((&case.on_device, &flags))
            .to(&mut to)
            .count_to(&mut count)
    );
    case.assert_begins(&to, &chosen);
    case.assert_begins(&count, &[chosen.len() as u64]);
}

pub fn partitions<B: Binding>(case: &Case<B>) {
    let (chosen, others) = select::<NonZero, _>(&case.items)
        .partition()
        .wait(Cpu)
        .unwrap();
    let (mut to, mut rest, mut count) = (case.room(), case.room(), case.zeros::<u64>(1));
    end!(
        case,
        select::<NonZero, _>(&case.on_device)
            .to(&mut to)
            .rest_to(&mut rest)
            .count_to(&mut count)
    );
    case.assert_begins(&to, &chosen);
    case.assert_begins(&rest, &others);
    case.assert_begins(&count, &[chosen.len() as u64]);
}

pub fn runs_of_equal_items<B: Binding>(case: &Case<B>) {
    let keys = case.keys();
    let (firsts, lengths) = runs::<Equal, _>(&keys).lengths().wait(Cpu).unwrap();
    let starts = runs::<Equal, _>(&keys).starts().wait(Cpu).unwrap();
    let keys = case.binding.upload(&keys);
    let (mut to, mut lengths_to) = (case.room(), case.room::<u64>());
    let (mut starts_to, mut count) = (case.zeros::<u64>(keys_and_end(case)), case.zeros::<u64>(1));
    end!(
        case,
        runs::<Equal, _>(&keys)
            .to(&mut to)
            .lengths_to(&mut lengths_to)
            .count_to(&mut count)
    );
    case.assert_begins(&to, &firsts);
    case.assert_begins(&lengths_to, &numbers(&lengths));
    case.assert_begins(&count, &[firsts.len() as u64]);
    end!(
        case,
        runs::<Equal, _>(&keys)
            .starts_to(&mut starts_to)
            .count_to(&mut count)
    );
    case.assert_begins(&starts_to, &numbers(&starts));
}

pub fn counts_from_the_device<B: Binding>(case: &Case<B>) {
    let fewer = case.items.len() / 2;
    let items = &case.items[..fewer];
    let count = case.binding.upload(&[fewer as u64]);
    let (mut sum, mut scanned) = (case.zeros(1), case.room());
    end!(
        case,
        reduce::<Sum, _>(&case.on_device).count(&count).to(&mut sum)
    );
    end!(
        case,
        scan::<Sum, _>(&case.on_device)
            .count(&count)
            .to(&mut scanned)
    );
    case.assert_begins(&sum, &[reduce::<Sum, _>(items).wait(Cpu).unwrap()]);
    case.assert_begins(&scanned, &scan::<Sum, _>(items).wait(Cpu).unwrap());
}
