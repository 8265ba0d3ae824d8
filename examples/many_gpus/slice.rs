//! A sum and a scan of a slice of the host: on all GPUs, and on one GPU for comparison.

use std::io::Write;

use warpfold::group::Gpus;
use warpfold::{Gpu, Sum, gpu_sum, reduce, scan};

use crate::common;
use crate::failure::{Failure, same};
use crate::numbers::Numbers;

/// How often each call is made. The first call is not timed, and the fastest of the others counts.
const CALLS: usize = 4;

/// Sums and scans a slice of `bytes` bytes, or of up to 7 bytes less, since a number has 8 bytes.
pub fn run(gpus: &Gpus, bytes: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let numbers = Numbers::made_up(bytes / size_of::<u64>());
    let items = numbers.some(0..numbers.count())?;
    let expected = numbers.sum(0..numbers.count());
    let check_sum = |sum: u64| same("the sum", sum, expected);
    let check_scan = |scanned: Vec<u64>| {
        let mut total = 0u64;
        items.iter().zip(scanned).try_for_each(|(item, found)| {
            total = total.wrapping_add(*item);
            same("a number of the scan", found, total)
        })
    };
    let bytes = size_of_val(&items[..]);
    let mut print = |what, who, least: f64| {
        writeln!(
            out,
            "{what:4}  {who:8}  {bytes} bytes of the host  {least:.3} s, {:.1} GB/s  the CPU agrees",
            bytes as f64 / least / 1e9
        )
    };
    print("sum", "one GPU", fastest(|| gpu_sum(&items), check_sum)?)?;
    print(
        "sum",
        "all GPUs",
        fastest(|| reduce::<Sum, _>(&items).wait(gpus), check_sum)?,
    )?;
    let one = || scan::<Sum, _>(&items).wait(Gpu::global());
    print("scan", "one GPU", fastest(one, check_scan)?)?;
    let all = || scan::<Sum, _>(&items).wait(gpus);
    print("scan", "all GPUs", fastest(all, check_scan)?)?;
    Ok(())
}

/// The seconds of the fastest of several calls. The first call is not timed, but its result is checked.
fn fastest<R>(
    call: impl Fn() -> warpfold::Result<R>,
    check: impl FnOnce(R) -> Result<(), Failure>,
) -> Result<f64, Failure> {
    check(call()?)?;
    let mut least = f64::INFINITY;
    for _ in 1..CALLS {
        let (done, time) = common::timed(&call);
        done?;
        least = least.min(time.as_secs_f64());
    }
    Ok(least)
}
