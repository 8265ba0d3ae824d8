//! A sum of a slice of the host over all GPUs, each with its own bus, beside one GPU.

use std::io::Write;

use warpfold::gpu_sum;
use warpfold::group::Gpus;

use crate::common;
use crate::failure::{Failure, same};
use crate::numbers::Numbers;

/// How often each sum is made; the fastest counts.
const CALLS: usize = 4;

/// Sums a slice of so many bytes.
pub fn run(gpus: &Gpus, bytes: usize, out: &mut dyn Write) -> Result<(), Failure> {
    let numbers = Numbers::made_up(bytes / size_of::<u64>());
    let items = numbers.some(0..numbers.count());
    let expected = numbers.sum(0..numbers.count());
    let one: fn(&Gpus, &[u64]) -> warpfold::Result<u64> = |_, items| gpu_sum(items);
    for (who, sum) in [("one GPU", one), ("all GPUs", Gpus::sum::<u64>)] {
        let mut least = f64::INFINITY;
        for _ in 0..CALLS {
            let (found, time) = common::timed(|| sum(gpus, &items));
            same("the sum", found?, expected)?;
            least = least.min(time.as_secs_f64());
        }
        let rate = size_of_val(&items[..]) as f64 / least / 1e9;
        writeln!(
            out,
            "{who:9}  {} bytes of the host  sum {expected}  {:.3} s, {rate:.1} GB/s  the CPU agrees",
            size_of_val(&items[..]),
            least
        )?;
    }
    Ok(())
}
