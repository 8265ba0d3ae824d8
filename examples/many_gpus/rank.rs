//! What each rank does.

use std::io::{self, Write};
use std::time::Duration;

use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::group::{self, Member};
use warpfold::{Sum, reduce, scan};

use crate::common;
use crate::failure::{Failure, same};
use crate::numbers::{Numbers, room_for};

/// How often each call is timed. The least time counts, since a first call may also load kernels.
const CALLS: usize = 10;

/// What a rank reports: the sum of all numbers, the times of the sum and of the scan, and how many numbers there are.
pub struct Report {
    /// How many numbers all ranks have together.
    count: usize,
    /// How many numbers this rank has.
    share: usize,
    sum: u64,
    /// First the time in which all ranks together sum all numbers, then the time in which this rank's GPU alone sums the rank's share.
    sum_times: [Duration; 2],
    scan_times: [Duration; 2],
}

/// Sums and scans the numbers together with the other ranks, and checks the sum and this rank's part of the scan.
pub fn run(member: &mut Member<'_>, numbers: &Numbers) -> Result<Report, Failure> {
    member.gpu().make_current()?;
    let count = numbers.count();
    check_room(count, member)?;
    let share = group::cuts::<u64>(count, member.size())[member.rank()].clone();
    let mut items = numbers.some(share.clone())?;
    let item_count = items.len();
    // With this extra number, the buffers have memory even if the rank's share is empty.
    items.push(0);
    let input = DeviceBuffer::from_slice(&items)?;
    let mut output = DeviceBuffer::from_slice(&items)?;
    let input = input.index(..item_count);

    let gpu = member.gpu();
    let sum_alone = fastest(|| reduce::<Sum, _>(&input).wait(gpu))?;
    let scan_alone = fastest(|| scan::<Sum, _>(&input).to(&mut output).wait(gpu))?;
    let sum = reduce::<Sum, _>(&input).wait(&mut *member)?;
    let sum_together = fastest(|| reduce::<Sum, _>(&input).wait(&mut *member))?;
    let scan_together = fastest(|| scan::<Sum, _>(&input).to(&mut output).wait(&mut *member))?;

    same("the sum", sum, numbers.sum(0..count))?;
    let mut scanned = room_for(items.len())?;
    scanned.resize(items.len(), 0);
    output.copy_to(&mut scanned[..])?;
    let mut total = numbers.sum(0..share.start);
    for (item, found) in items[..item_count].iter().zip(scanned) {
        total = total.wrapping_add(*item);
        same("a number of the scan", found, total)?;
    }
    Ok(Report {
        count,
        share: item_count,
        sum,
        sum_times: [sum_together, sum_alone],
        scan_times: [scan_together, scan_alone],
    })
}

/// Refuses more numbers than the devices have memory for, before the host allocates memory for a rank's share. Each device holds its share
/// and as many results of the scan.
fn check_room(count: usize, member: &Member<'_>) -> Result<(), Failure> {
    let (ranks, device_bytes) = (member.size(), member.gpu().memory_bytes());
    let needed = 2 * size_of::<u64>() as u128 * count as u128;
    match needed > u128::from(device_bytes) * ranks as u128 {
        true => Err(Failure::TooManyForDevices {
            count,
            ranks,
            device_bytes,
        }),
        false => Ok(()),
    }
}

/// The time of the fastest of [`CALLS`] calls.
fn fastest<R>(mut call: impl FnMut() -> warpfold::Result<R>) -> Result<Duration, Failure> {
    let mut least = Duration::MAX;
    for _ in 0..CALLS {
        let (done, time) = common::timed(&mut call);
        done?;
        least = least.min(time);
    }
    Ok(least)
}

impl Report {
    pub fn print(&self, rank: usize, ranks: usize, out: &mut dyn Write) -> io::Result<()> {
        let bytes = (self.share * size_of::<u64>()) as f64;
        let speed = |times: f64, [together, alone]: [Duration; 2]| {
            let rate = |time: Duration| times * bytes / time.as_secs_f64() / 1e9;
            let (rate_together, rate_alone) = (rate(together), rate(alone));
            format!(
                "{together:.1?}, {rate_together:.0} GB/s (its share alone {alone:.1?}, {rate_alone:.0} GB/s)"
            )
        };
        writeln!(
            out,
            "rank {rank} of {ranks}  {} of {} numbers  sum {} in {}  scan in {}  the CPU agrees",
            self.share,
            self.count,
            self.sum,
            speed(1.0, self.sum_times),
            speed(2.0, self.scan_times),
        )
    }
}
