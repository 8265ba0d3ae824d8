//! Tests calls along any axis, and calls on rows with a pitch. The results have the same bits as those of segments that hold the same
//! items.

use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use warpfold::{
    ArgMax, ArgMinMax, Cpu, Error, Gpu, Max, Moments, Statistics, Sum, cust, kind, reduce, scan,
};

use crate::data::{Random, Sample, assert_same_bits, ordinary};
use crate::device::Kernel;
use crate::gpus::gpu;
use crate::written;

/// An array of three axes, and the gap between its rows.
#[derive(Debug, Clone, Copy)]
pub struct Array {
    pub outer: usize,
    pub length: usize,
    pub inner: usize,
    /// Items between one row and the next.
    pub gap: usize,
}

impl Array {
    const fn dense(outer: usize, length: usize, inner: usize) -> Self {
        Self {
            outer,
            length,
            inner,
            gap: 0,
        }
    }

    /// The number of rows, and the number of items of a row.
    fn rows(&self) -> (usize, usize) {
        match self.inner {
            1 => (self.outer, self.length),
            _ => (self.outer * self.length, self.inner),
        }
    }

    fn pitch(&self) -> usize {
        self.rows().1 + self.gap
    }

    /// The number of items, including those in the gaps between rows.
    fn item_count(&self) -> usize {
        match self.rows() {
            (0, _) => 0,
            (rows, items) => (rows - 1) * self.pitch() + items,
        }
    }

    /// The index of an item in memory.
    fn place(&self, outer: usize, step: usize, inner: usize) -> usize {
        match self.inner {
            1 => outer * self.pitch() + step,
            _ => (outer * self.length + step) * self.pitch() + inner,
        }
    }

    /// The indices of all items in memory, part after part. A part consists of the items along the axis that share an outer index and an
    /// inner index.
    fn places(&self) -> Vec<usize> {
        let mut places = Vec::new();
        for outer in 0..self.outer {
            for inner in 0..self.inner {
                places.extend((0..self.length).map(|step| self.place(outer, step, inner)));
            }
        }
        places
    }

    /// The index in `places` at which each part begins, and the end of the last part.
    fn offsets(&self) -> Vec<usize> {
        let groups = self.outer * self.inner;
        (0..=groups).map(|group| group * self.length).collect()
    }
}

const ARRAYS: [Array; 14] = [
    Array::dense(1, 1, 1),
    Array::dense(3, 4, 5),
    Array::dense(5, 16, 33),
    Array::dense(40, 17, 3),
    Array::dense(7, 65, 2),
    Array::dense(2, 257, 21),
    Array::dense(3, 1, 50),
    Array::dense(2, 700, 1),
    Array::dense(1, 5000, 1),
    Array::dense(600, 2, 1),
    Array::dense(1, 3, 900),
    Array {
        outer: 3,
        length: 300,
        inner: 4,
        gap: 3,
    },
    Array {
        outer: 37,
        length: 19,
        inner: 1,
        gap: 2,
    },
    Array {
        outer: 2,
        length: 4200,
        inner: 1,
        gap: 1,
    },
];

pub fn check_reduction<O, T: Sample>(array: Array)
where
    O: Kernel<kind::columns_reduce, T> + Kernel<kind::segmented_reduce, T>,
{
    let Array {
        outer,
        length,
        inner,
        ..
    } = array;
    let items = ordinary::<O, T>(array.item_count());
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let found = written::<O::Output>(outer * inner, |output| {
        reduce::<O, _>(&input)
            .axis(outer, length, inner)
            .pitch(array.pitch())
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let brought: Vec<T> = array.places().iter().map(|&place| items[place]).collect();
    let expected = reduce::<O, _>(&brought)
        .segments(&array.offsets())
        .wait(Cpu)
        .unwrap();
    assert_same_bits(&found, &expected, &format!("{array:?}"));
    let by_cpu = reduce::<O, _>(&items)
        .axis(outer, length, inner)
        .pitch(array.pitch())
        .wait(Cpu)
        .unwrap();
    assert_same_bits(&by_cpu, &expected, &format!("{array:?} on the CPU"));
}

/// The results of a scan of each part, in the layout of the items, with zeros between rows.
fn expected_scan<O, T: Sample>(array: &Array, items: &[T], is_exclusive: bool) -> Vec<O::Output>
where
    O: Kernel<kind::segmented_scan, T>,
{
    let places = array.places();
    let brought: Vec<T> = places.iter().map(|&place| items[place]).collect();
    let offsets = array.offsets();
    let request = scan::<O, _>(&brought).segments(&offsets);
    let scanned = match is_exclusive {
        true => request.exclusive().wait(Cpu).unwrap(),
        false => request.wait(Cpu).unwrap(),
    };
    let mut results = vec![bytemuck::Zeroable::zeroed(); items.len()];
    for (place, result) in places.into_iter().zip(scanned) {
        results[place] = result;
    }
    results
}

pub fn check_scans<O, T: Sample>(array: Array)
where
    O: Kernel<kind::columns_scan, T> + Kernel<kind::segmented_scan, T>,
{
    let Array {
        outer,
        length,
        inner,
        ..
    } = array;
    let items = ordinary::<O, T>(array.item_count());
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let found = written::<O::Output>(items.len(), |output| {
        scan::<O, _>(&input)
            .axis(outer, length, inner)
            .pitch(array.pitch())
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let expected = expected_scan::<O, T>(&array, &items, false);
    assert_same_bits(&found, &expected, &format!("{array:?}"));
    let found = written::<O::Output>(items.len(), |output| {
        scan::<O, _>(&input)
            .axis(outer, length, inner)
            .pitch(array.pitch())
            .exclusive()
            .to(output)
            .wait(gpu())
            .unwrap();
    });
    let expected = expected_scan::<O, T>(&array, &items, true);
    assert_same_bits(&found, &expected, &format!("exclusive, {array:?}"));
}

#[test]
fn reductions_along_any_axis() {
    gpu();
    for array in ARRAYS {
        check_reduction::<Sum, f32>(array);
        check_reduction::<ArgMax, f32>(array);
    }
}

#[test]
fn scans_along_any_axis() {
    gpu();
    for array in ARRAYS {
        check_scans::<Sum, f32>(array);
    }
}

#[test]
fn random_axes() {
    gpu();
    let mut random = Random::new(32);
    for _ in 0..16 {
        let most = [1 + random.below(6), 1 + random.below(60)];
        let is_narrow = random.below(2);
        let inner = 1 + random.below(most[is_narrow]);
        let length = 1 + random.below(2000 / inner + 1);
        let array = Array {
            outer: 1 + random.below(9000 / (inner * length) + 1),
            length,
            inner,
            gap: random.below(3),
        };
        check_reduction::<Moments, f64>(array);
        check_reduction::<ArgMinMax, u8>(array);
        check_reduction::<Statistics, i16>(array);
        check_scans::<Sum, f64>(array);
        check_scans::<Max, u8>(array);
    }
}

/// Compares the indices that `ArgMax` finds along an axis with those that a plain loop finds.
#[test]
fn the_index_of_a_maximum_counts_along_the_axis() {
    let array = Array::dense(4, 300, 6);
    let mut random = Random::new(5);
    let items: Vec<i32> = (0..array.item_count())
        .map(|_| random.below(40) as i32)
        .collect();
    let found = reduce::<ArgMax, _>(&items)
        .axis(4, 300, 6)
        .wait(gpu())
        .unwrap();
    for (group, &found) in found.iter().enumerate() {
        let item = |step: usize| items[array.place(group / 6, step, group % 6)];
        let mut expected = 0;
        for step in 1..300 {
            if item(step) > item(expected) {
                expected = step;
            }
        }
        assert_eq!(found, expected as u64, "group {group}");
    }
}

/// Compares `.rows` and `.columns` with the same shape given to `.axis`.
#[test]
fn rows_have_inner_extent_1_and_columns_have_outer_extent_1() {
    let gpu = gpu();
    let items = ordinary::<Sum, f32>(36 * 50);
    let rows = reduce::<Sum, _>(&items).rows(50).wait(gpu).unwrap();
    let columns = reduce::<Sum, _>(&items).columns(50).wait(gpu).unwrap();
    let along = |outer, length, inner| {
        let request = reduce::<Sum, _>(&items).axis(outer, length, inner);
        request.wait(gpu).unwrap()
    };
    assert_same_bits(&along(36, 50, 1), &rows, "rows");
    assert_same_bits(&along(1, 36, 50), &columns, "columns");
    let scanned = scan::<Sum, _>(&items).columns(50).wait(gpu).unwrap();
    let along = scan::<Sum, _>(&items).axis(1, 36, 50).wait(gpu).unwrap();
    assert_same_bits(&along, &scanned, "scans of columns");
}

#[test]
fn rows_and_columns_with_a_pitch() {
    let gpu = gpu();
    let pitched: Vec<u32> = (0..23).collect();
    let rows = reduce::<Sum, _>(&pitched).rows(5).pitch(9);
    assert_eq!(
        rows.wait(gpu).unwrap(),
        [1 + 2 + 3 + 4, 9 + 10 + 11 + 12 + 13, 18 + 19 + 20 + 21 + 22]
    );
    let columns = reduce::<Sum, _>(&pitched).columns(5).pitch(9);
    assert_eq!(columns.wait(gpu).unwrap(), [27, 30, 33, 36, 39]);
    // Between rows, an output is not written, and a returned `Vec` has zeros.
    let scanned = scan::<Sum, _>(&pitched).rows(2).pitch(20);
    let mut expected = vec![0; 23];
    (expected[1], expected[20], expected[21]) = (1, 20, 41);
    assert_eq!(scanned.wait(gpu), Ok(expected.clone()));
    let scanned = scan::<Sum, _>(&pitched).rows(2).pitch(20);
    assert_eq!(scanned.wait(Cpu), Ok(expected));
    let mut to = [7; 22];
    let request = scan::<Sum, _>(&pitched[..22]).rows(2).pitch(20);
    request.to(&mut to).wait(gpu).unwrap();
    assert_eq!((to[0], to[1], to[20], to[21]), (0, 1, 20, 41));
    assert!(to[2..20].iter().all(|&place| place == 7));
    let mut by_cpu = [7; 22];
    let request = scan::<Sum, _>(&pitched[..22]).rows(2).pitch(20);
    request.to(&mut by_cpu).wait(Cpu).unwrap();
    assert_eq!(by_cpu, to);
}

#[test]
fn empty_axes() {
    let gpu = gpu();
    let nothing = DeviceBuffer::<i32>::from_slice(&[]).unwrap();
    for (length, inner) in [(0, 3), (0, 1)] {
        let mut output = DeviceBuffer::from_slice(&[5; 8]).unwrap();
        let request = reduce::<Max, _>(&nothing).axis(2, length, inner);
        request.to(&mut output).wait(gpu).unwrap();
        let found = output.as_host_vec().unwrap();
        let count = 2 * inner;
        assert_eq!(found[..count], vec![i32::MIN; count]);
        assert!(found[count..].iter().all(|&place| place == 5));
        let identities = Ok(vec![i32::MIN; count]);
        let of_slice = reduce::<Max, _>(&[0i32; 0]).axis(2, length, inner);
        assert_eq!(of_slice.wait(gpu), identities);
        let of_slice = reduce::<Max, _>(&[0i32; 0]).axis(2, length, inner);
        assert_eq!(of_slice.wait(Cpu), identities);
        let scanned = scan::<Max, _>(&nothing).axis(2, length, inner);
        scanned.to(&mut output).wait(gpu).unwrap();
        assert_eq!(output.as_host_vec().unwrap(), found);
        let scanned = scan::<Max, _>(&[0i32; 0]).axis(2, length, inner);
        assert_eq!(scanned.wait(gpu), Ok(vec![]));
    }
    for (outer, inner) in [(0, 3), (2, 0)] {
        let request = reduce::<Max, _>(&[0i32; 0]).axis(outer, 4, inner);
        assert_eq!(request.wait(gpu), Ok(vec![]));
        let request = reduce::<Max, _>(&[0i32; 0]).axis(outer, 4, inner);
        assert_eq!(request.wait(Cpu), Ok(vec![]));
    }
}

#[test]
fn more_identities_than_memory_holds_are_an_error() {
    let (gpu, nothing) = (gpu(), [0i32; 0]);
    let most = usize::MAX;
    let is_refused = |results| matches!(results, Err(Error::OutOfHostMemory { .. }));
    for inner in [1, 3] {
        let request = || reduce::<Max, _>(&nothing).axis(most / inner, 0, inner);
        assert!(is_refused(request().wait(gpu)) && is_refused(request().wait(Cpu)));
        let request = || scan::<Max, _>(&nothing).axis(most / inner, 0, inner);
        assert_eq!(request().wait(gpu), Ok(vec![]));
        assert_eq!(request().wait(Cpu), Ok(vec![]));
    }
    let request = || reduce::<Max, _>(&nothing).columns(most);
    assert!(is_refused(request().wait(gpu)) && is_refused(request().wait(Cpu)));
}

#[test]
fn wrong_arguments_are_refused_and_nothing_is_written() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let input = DeviceBuffer::from_slice(&[1_u32; 24]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[9_u32; 24]).unwrap();
    let uneven = |pitch| Error::UnevenAxes {
        item_count: 24,
        extents: [2, 3, 5],
        pitch,
    };
    let waited = reduce::<Sum, _>(&input).axis(2, 3, 5);
    assert_eq!(waited.to(&mut output).wait(gpu), Err(uneven(None)));
    let queued = reduce::<Sum, _>(&input).axis(2, 3, 5).to(&mut output);
    assert_eq!(queued.queue(gpu, &stream), Err(uneven(None)));
    let pitched = reduce::<Sum, _>(&input).axis(2, 3, 5).pitch(7);
    assert_eq!(pitched.to(&mut output).wait(gpu), Err(uneven(Some(7))));
    assert_eq!(
        uneven(Some(7)).to_string(),
        "24 items are no array of 2 × 3 × 5 whose rows are 7 items apart"
    );
    let short = Err(Error::PitchTooShort {
        pitch: 3,
        row_items: 4,
    });
    let waited = scan::<Sum, _>(&input).axis(2, 3, 4).pitch(3);
    assert_eq!(waited.to(&mut output).wait(gpu), short);
    let queued = scan::<Sum, _>(&input).axis(2, 3, 4).pitch(3);
    assert_eq!(queued.to(&mut output).queue(gpu, &stream), short);
    let rows = reduce::<Sum, _>(&input).rows(4).pitch(3);
    assert_eq!(rows.to(&mut output).wait(gpu), short);
    let huge = reduce::<Sum, _>(&input).axis(usize::MAX, 2, 2);
    assert!(matches!(
        huge.to(&mut output).wait(gpu),
        Err(Error::UnevenAxes { .. })
    ));
    let of_slice = reduce::<Sum, _>(&[1_u32; 24]).axis(2, 3, 5);
    assert_eq!(of_slice.wait(Gpu::global()), Err(uneven(None)));
    let of_slice = reduce::<Sum, _>(&[1_u32; 24]).axis(2, 3, 5);
    assert_eq!(of_slice.wait(Cpu), Err(uneven(None)));
    let mut few = DeviceBuffer::from_slice(&[9_u32; 7]).unwrap();
    let request = reduce::<Sum, _>(&input).axis(2, 3, 4).to(&mut few);
    assert_eq!(
        request.wait(gpu),
        Err(Error::OutputTooShort {
            offered_items: 7,
            needed_items: 8
        })
    );
    let mut found = [0; 24];
    output.copy_to(&mut found).unwrap();
    assert_eq!(found, [9; 24]);
    assert_eq!(few.as_host_vec().unwrap(), [9; 7]);
}
