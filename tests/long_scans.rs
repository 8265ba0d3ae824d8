//! Long scans. Their tiles have another shape than the tiles of short scans. Each scan has slightly more items than a short scan can have.
//! The results are compared bit for bit.
//!
//! To save time, the virtual GPU only checks memory accesses here, and only runs inclusive scans. In the rows used here, exclusive scans
//! differ from inclusive scans only in one body of the operator. Scans of narrow items have more items in the same number of bytes. On the
//! virtual GPU, they only run in `.ci/run sweeps`. `.ci/run sweeps` also runs two long scans with the virtual GPU's default checks (in
//! `bits.rs`).

mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/sweep.rs"]
#[allow(dead_code, reason = "used in part")]
mod sweep;
#[path = "common/texts.rs"]
mod texts;

use common::{gpu, mode};
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use data::{Sample, assert_same_bits, ordinary};
use sweep::is_sweep;
use texts::for_each_text;
use virtual_gpu::driver::run_with;
use virtual_gpu::{Checks, Mode, RunOptions};
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, Gpu, Max, Min, Op, Product, Result, Sum, cust, scan};
use warpfold_kernels::contract::SCAN_SHORT_BYTES;

/// Makes a test for each scan among the rows. The test has the row's name.
macro_rules! scans {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(scans!(@ $kind $op $t $symbol);)* };
    (@ reduce $($row:ident)*) => {};
    (@ inclusive_scan $($row:ident)*) => { scans!(@ check [] $($row)*); };
    (@ exclusive_scan $($row:ident)*) => { scans!(@ check_on_a_real_device [.exclusive()] $($row)*); };
    (@ $check:ident [$($order:tt)*] $op:ident $t:ident $symbol:ident) => {
        #[test]
        fn $symbol() {
            $check::<$op, $t>(
                |gpu, input, output| scan::<$op, _>(input)$($order)*.to(output).wait(gpu),
                |items| scan::<$op, _>(items)$($order)*.wait(Cpu).unwrap(),
            );
        }
    };
}

for_each_text!(scans);

/// A scan of a device buffer.
type Scan<T> = fn(&Gpu, &DeviceSlice<T>, &mut DeviceSlice<T>) -> Result<()>;

fn check_on_a_real_device<O: Op<T>, T: Sample>(scan: Scan<T>, reference: fn(&[T]) -> Vec<T>) {
    match mode() {
        Mode::Real => check::<O, T>(scan, reference),
        Mode::Virtual => eprintln!("only on a real device"),
    }
}

fn check<O: Op<T>, T: Sample>(scan: Scan<T>, reference: fn(&[T]) -> Vec<T>) {
    if mode() == Mode::Virtual && size_of::<T>() < 4 && !is_sweep() {
        return eprintln!("only on a real device, and in a sweep");
    }
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
