//! The ranks of a test, and the memory of each.

use crate::device::Item;
use std::env;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use virtual_gpu::Mode;
use warpfold::Gpu;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use warpfold::group::{self, Gpus, Member, UniqueId};

use crate::child::{in_child, is_child};
use crate::data::Random;

/// How long a rank waits for others in tests in which no rank waits in vain.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// How the ranks of a test communicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    InProcess,
    /// Over NCCL, on real devices, one for each rank.
    Nccl,
}

/// This environment variable is set in a child whose ranks use NCCL.
const OVER_NCCL: &str = "WARPFOLD_TEST_OVER_NCCL";

/// How this process's ranks communicate.
pub fn way() -> Way {
    match env::var_os(OVER_NCCL) {
        None => Way::InProcess,
        Some(_) => Way::Nccl,
    }
}

/// Runs a test with four virtual devices or with the real ones. Runs it again over NCCL on a machine with NCCL and at least two real
/// devices.
pub fn on_four_devices(test: &str, body: impl Fn()) {
    let devices = ("VIRTUAL_GPU_DEVICES", "4");
    in_child(test, &[devices], &body);
    if !is_child() && offers_nccl(test) {
        in_child(test, &[devices, (OVER_NCCL, "1")], &body);
    }
}

/// Whether ranks can use NCCL on this machine. If not, prints that `test` is skipped, and why.
pub fn offers_nccl(test: &str) -> bool {
    let reason = match (virtual_gpu::mode(), UniqueId::new()) {
        (_, Err(error)) => error.to_string(),
        (Ok(Mode::Real), Ok(_)) if devices().len() > 1 => return true,
        _ => "it needs two real GPUs".to_owned(),
    };
    // The harness captures what a test prints, and shows it only if the test fails. It does not capture this write.
    let line = format!("SKIPPED over NCCL: {test}: {reason}\n");
    io::stderr().write_all(line.as_bytes()).unwrap();
    false
}

/// The most ranks that a test can have.
pub fn most_ranks() -> usize {
    match way() {
        Way::InProcess => 4,
        Way::Nccl => devices().len().min(4),
    }
}

/// All devices.
pub fn devices() -> &'static [Gpu] {
    static DEVICES: OnceLock<Gpus> = OnceLock::new();
    DEVICES
        .get_or_init(|| Gpus::all().expect("GPUs, real or virtual"))
        .as_slice()
}

/// Runs `work` on `count` threads, one for each rank, with the rank's context current.
pub fn as_ranks<R: Send>(
    count: usize,
    limit: Duration,
    work: impl Fn(Member<'static>) -> R + Sync,
) -> Vec<R> {
    let gpus = devices().iter().cycle().take(count);
    let work = |member: Member<'static>| {
        member.gpu().make_current().unwrap();
        work(member)
    };
    let work = &work;
    thread::scope(|scope| {
        let ranks: Vec<_> = match way() {
            Way::InProcess => {
                let members = group::within(gpus, limit).into_iter();
                members
                    .map(|member| scope.spawn(move || work(member)))
                    .collect()
            }
            Way::Nccl => {
                let id = UniqueId::new().unwrap();
                let join = move |(rank, gpu)| Member::join(gpu, &id, rank, count, limit).unwrap();
                let ranks = gpus.enumerate();
                ranks
                    .map(|rank| scope.spawn(move || work(join(rank))))
                    .collect()
            }
        };
        let ends = ranks.into_iter().map(|rank| rank.join());
        ends.map(|end| end.expect("a rank that ends")).collect()
    })
}

/// Consecutive shares of these lengths.
pub fn shares(lengths: &[usize]) -> Vec<Range<usize>> {
    let mut end = 0;
    let share = |&length| {
        end += length;
        end - length..end
    };
    lengths.iter().map(share).collect()
}

/// Random lengths of the shares of `item_count` items. Some may be 0.
pub fn random_lengths(random: &mut Random, ranks: usize, item_count: usize) -> Vec<usize> {
    let mut borders: Vec<_> = (1..ranks).map(|_| random.below(item_count + 1)).collect();
    borders.sort_unstable();
    if ranks > 2 && random.below(3) == 0 {
        borders[1] = borders[0];
    }
    borders.insert(0, 0);
    borders.push(item_count);
    borders.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Items on the device, after `offset` zeros and before three zeros.
pub struct Held<T: Item> {
    buffer: DeviceBuffer<T>,
    range: Range<usize>,
}

impl<T: Item> Held<T> {
    pub fn new(items: &[T], offset: usize) -> Self {
        let beside = T::zeroed();
        let around = [&vec![beside; offset][..], items, &[beside; 3]].concat();
        Self {
            buffer: DeviceBuffer::from_slice(&around).unwrap(),
            range: offset..offset + items.len(),
        }
    }

    pub fn slice(&self) -> DeviceSlice<T> {
        self.buffer.index(self.range.clone())
    }

    /// The items. Asserts that the zeros before and after them have not changed.
    pub fn items(&self) -> Vec<T> {
        let mut all = vec![T::zeroed(); self.buffer.len()];
        self.buffer.copy_to(&mut all[..]).unwrap();
        let beside = all[..self.range.start].iter().chain(&all[self.range.end..]);
        for item in beside {
            assert!(bytemuck::bytes_of(item).iter().all(|&byte| byte == 0));
        }
        all[self.range.clone()].to_vec()
    }
}
