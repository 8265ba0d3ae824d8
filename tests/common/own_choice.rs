//! Checks that a user's predicate selects the same items on the device as on the host, and that a user's equality gives the same runs on
//! both.

use bytemuck::bytes_of;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use warpfold::{Cpu, Gpu, RunsKernel, SelectKernel, Sum, reduce, runs, scan, select};

use crate::device::Item;
use crate::numbers::{Random, items};

/// Numbers of items: from a single item to several tiles. If items have one byte, all these numbers are within one tile.
const LENGTHS: [usize; 5] = [1, 33, 2048, 8193, 20_000];

fn place<T: Item>(length: usize) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(&vec![T::zeroed(); length]).unwrap()
}

#[track_caller]
fn assert_begins<T: Item>(found: &DeviceSlice<T>, expected: &[T]) {
    let mut items = vec![T::zeroed(); found.len()];
    found.copy_to(&mut items).unwrap();
    for (place, (found, expected)) in std::iter::zip(&items, expected).enumerate() {
        assert_eq!(bytes_of(found), bytes_of(expected), "place {place}");
    }
}

/// Checks selections, partitions and indices.
pub fn check_predicate<P: SelectKernel<T>, T: Item>(item: fn(&mut Random) -> T) {
    let gpu = Gpu::global().unwrap();
    gpu.make_current().unwrap();
    for length in LENGTHS {
        let items = items(length, item);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        let (selected, rejected) = select::<P, _>(&items).partition().wait(Cpu).unwrap();
        assert!(length < 2048 || !selected.is_empty() && !rejected.is_empty());
        let (mut kept, mut others) = (place::<T>(length), place::<T>(length));
        let count = select::<P, _>(&input).to(&mut kept).wait(gpu).unwrap();
        assert_eq!(count, selected.len());
        assert_begins(&kept, &selected);
        select::<P, _>(&input)
            .to(&mut kept)
            .rest_to(&mut others)
            .wait(gpu)
            .unwrap();
        assert_begins(&kept, &selected);
        assert_begins(&others, &rejected);
        let mut indices = place::<usize>(length);
        select::<P, _>(&input)
            .indices_to(&mut indices)
            .wait(gpu)
            .unwrap();
        assert_begins(
            &indices,
            &select::<P, _>(&items).indices().wait(Cpu).unwrap(),
        );
    }
}

/// Checks runs, their lengths, and reductions and scans by key.
pub fn check_equality<E: RunsKernel<T>, T: Item>(item: fn(&mut Random) -> T) {
    let gpu = Gpu::global().unwrap();
    gpu.make_current().unwrap();
    for length in LENGTHS {
        let items = items(length, item);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        let (keys, lengths) = runs::<E, _>(&items).lengths().wait(Cpu).unwrap();
        assert!(length < 2048 || keys.len() > 1 && keys.len() < length);
        let mut firsts = place::<T>(length);
        assert_eq!(
            runs::<E, _>(&input).to(&mut firsts).wait(gpu).unwrap(),
            keys.len()
        );
        assert_begins(&firsts, &keys);
        let (mut firsts, mut run_lengths) = (place::<T>(length), place::<usize>(length));
        runs::<E, _>(&input)
            .to(&mut firsts)
            .lengths_to(&mut run_lengths)
            .wait(gpu)
            .unwrap();
        assert_begins(&firsts, &keys);
        assert_begins(&run_lengths, &lengths);

        let values: Vec<f32> = (0..length).map(|index| index as f32 * 0.1).collect();
        let (_, sums) = reduce::<Sum, _>(&values)
            .by_key::<E, _>(&items)
            .wait(Cpu)
            .unwrap();
        let device_values = DeviceBuffer::from_slice(&values).unwrap();
        let (mut firsts, mut reduced) = (place::<T>(length), place::<f32>(length));
        let count = reduce::<Sum, _>(&device_values)
            .by_key::<E, _>(&input)
            .keys_to(&mut firsts)
            .to(&mut reduced)
            .wait(gpu);
        assert_eq!(count, Ok(keys.len()));
        assert_begins(&firsts, &keys);
        assert_begins(&reduced, &sums);

        let by_key = || scan::<Sum, _>(&values).by_key::<E, _>(&items);
        let mut scanned = place::<f32>(length);
        scan::<Sum, _>(&device_values)
            .by_key::<E, _>(&input)
            .to(&mut scanned)
            .wait(gpu)
            .unwrap();
        assert_begins(&scanned, &by_key().wait(Cpu).unwrap());
        let mut scanned = place::<f32>(length);
        scan::<Sum, _>(&device_values)
            .by_key::<E, _>(&input)
            .reversed()
            .to(&mut scanned)
            .wait(gpu)
            .unwrap();
        assert_begins(&scanned, &by_key().reversed().wait(Cpu).unwrap());
    }
}
