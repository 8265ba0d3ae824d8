//! Long scans, whose tiles have another shape than those of short ones: every scan of the table over a few items more than
//! the longest that is short, bit for bit.
//!
//! On the virtual GPU, for the sake of time, only memory is checked, and the exclusive scans of one operator stand for those
//! of all: they differ from inclusive ones in what is put at each place. `bits.rs` has a long scan of each way to scan a
//! tile watched in full.

mod common;
#[path = "common/data.rs"]
mod data;

use common::{gpu, mode};
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use data::{Sample, assert_same_bits, ordinary};
use virtual_gpu::driver::run_with;
use virtual_gpu::{Checks, Mode, RunOptions};
use warpfold::{Gpu, Max, Min, Op, Product, Result, Sum, bf16, cust, f16, reference};
use warpfold_kernels::contract::SCAN_SHORT_BYTES;
use warpfold_kernels::for_each_kernel;

/// A test for each scan of the table of kernels, of its name. It scans with the functions of its kind's name.
macro_rules! scans {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(scans!(@ $kind $op $t $symbol);)* };
    (@ reduce $($row:ident)*) => {};
    (@ inclusive_scan $($row:ident)*) => { scans!(@ check inclusive_scan $($row)*); };
    (@ exclusive_scan Max $($row:ident)*) => { scans!(@ check exclusive_scan Max $($row)*); };
    (@ exclusive_scan $($row:ident)*) => { scans!(@ check_on_a_real_device exclusive_scan $($row)*); };
    (@ $check:ident $kind:ident $op:ident $t:ident $symbol:ident) => {
        #[test]
        fn $symbol() {
            $check::<$op, $t>(warpfold::$kind::<$op, $t>, reference::$kind::<$op, $t>);
        }
    };
}

for_each_kernel!(scans);

/// A scan of a device buffer.
type Scan<T> = fn(&Gpu, &DeviceSlice<T>, &mut DeviceSlice<T>) -> Result<()>;

fn check_on_a_real_device<O: Op<T>, T: Sample>(scan: Scan<T>, reference: fn(&[T]) -> Vec<T>) {
    match mode() {
        Mode::Real => check::<O, T>(scan, reference),
        Mode::Virtual => eprintln!("only on a real device"),
    }
}

fn check<O: Op<T>, T: Sample>(scan: Scan<T>, reference: fn(&[T]) -> Vec<T>) {
    let items = ordinary::<O, T>(SCAN_SHORT_BYTES as usize / size_of::<T>() + 77);
    gpu();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let mut output = DeviceBuffer::from_slice(&items).unwrap();
    let unwatched = RunOptions {
        checks: Checks::none(),
        ..RunOptions::default()
    };
    run_with(unwatched, || scan(gpu(), &input, &mut output)).unwrap();
    let mut scanned = vec![T::zeroed(); items.len()];
    output.copy_to(&mut scanned[..]).unwrap();
    assert_same_bits(&scanned, &reference(&items), "a long scan");
}
