//! Rows and segments of many lengths are reduced by an operator that uses the indices of items. The device gives the same results as the
//! CPU. Indices count from the start of each row or segment.

#[path = "../../common/numbers.rs"]
mod numbers;

use numbers::{Random, items};
use own_operators::operators::WeightedByPlace;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Cpu, Gpu, reduce};
use warpfold_kernels::segments::rings::has_rings;

/// Each pair has the number of rows, and the number of items of a row. A kernel may copy rows to shared memory through a ring for each
/// warp, in steps of up to 512 items (see `warpfold_kernels::segments::rings`). Rows of 16 to 4,096 items go through rings if their length
/// is a power of two. Rows of 8,192 items go through rings if there are many rows. If a row has at most 256 items, a ring's step has
/// several rows. Some launches end in the middle of a step.
const ROWS: [(usize, usize); 24] = [
    (1000, 1),
    (700, 8),
    (333, 15),
    (1001, 16),
    (5, 16),
    (333, 17),
    (501, 32),
    (3, 32),
    (333, 48),
    (257, 64),
    (200, 100),
    (131, 128),
    (1, 128),
    (67, 256),
    (1, 256),
    (35, 257),
    (33, 512),
    (17, 1024),
    (7, 1031),
    (5, 4096),
    (4, 4099),
    (140, 8192),
    (2, 65_536),
    (1, 65_536),
];

/// Lengths of long segments. The first segment is longer than a chunk of 4,096 items. Its last chunk and the other three segments begin in
/// the same window.
const LONG: [usize; 4] = [5000, 1100, 900, 1000];

fn number(random: &mut Random) -> i64 {
    random.bits() as i64
}

#[test]
fn indices_count_from_the_start_of_each_row() {
    const { assert!(has_rings::<WeightedByPlace, i64>()) };
    let gpu = Gpu::global().unwrap();
    gpu.make_current().unwrap();
    for (rows, row_items) in ROWS {
        let items = items(1 + rows * row_items, number);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        // A vector has two items. The first row begins once at the first item of a vector, and once at the second.
        for begin in 0..2 {
            let span = begin..begin + rows * row_items;
            let on_device = input.index(span.clone());
            let mut output = DeviceBuffer::zeroed(rows).unwrap();
            let request = reduce::<WeightedByPlace, _>(&on_device).rows(row_items);
            request.to(&mut output).wait(gpu).unwrap();
            let request = reduce::<WeightedByPlace, _>(&items[span]).rows(row_items);
            let (found, expected) = (output.as_host_vec(), request.wait(Cpu));
            let what = format!("{rows} rows of {row_items} from {begin} on");
            assert_eq!(found.unwrap(), expected.unwrap(), "{what}");
        }
    }
}

#[test]
fn indices_count_from_the_start_of_each_long_segment() {
    let mut offsets = vec![0];
    for length in LONG.iter().cycle().take(60) {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    let items = items(offsets[offsets.len() - 1], number);
    let request = || reduce::<WeightedByPlace, _>(&items).segments(&offsets);
    let found = request().wait(Gpu::global()).unwrap();
    assert_eq!(found, request().wait(Cpu).unwrap());
}
