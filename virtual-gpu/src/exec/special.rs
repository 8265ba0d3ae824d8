//! Special registers.
//!
//! Clocks count warp instructions of the whole launch and do not measure time. In addition, the n-th read of a clock by a warp advances the
//! clock by n ticks. So a wait for many ticks ends after few reads: 10^9 ticks take 45,000 reads.

use super::block::Shared;
use super::machine::Machine;
use super::warp::Warp;
use crate::program::{Row, Special};

impl Warp {
    pub(super) fn special<O>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &Shared,
        which: Special,
    ) -> Row {
        let block = machine.task.shape.block;
        let by_lane = |f: &dyn Fn(u32) -> u64| {
            let mut row = [0; 32];
            for (lane, slot) in (0..).zip(&mut row) {
                *slot = f(lane);
            }
            row
        };
        let below = |lane: u32| (1_u64 << lane) - 1;
        if is_clock(which) {
            self.clock_reads += 1;
            machine.clock_ahead += self.clock_reads;
        }
        let clock = machine.steps + machine.clock_ahead;
        let value: u64 = match which {
            Special::Tid(axis) => {
                return by_lane(&|lane| thread_place(block, self.id * 32 + lane)[axis].into());
            }
            Special::Lane => return by_lane(&u64::from),
            Special::LanemaskEq => return by_lane(&|lane| 1 << lane),
            Special::LanemaskLt => return by_lane(&below),
            Special::LanemaskLe => return by_lane(&|lane| below(lane + 1)),
            Special::LanemaskGt => return by_lane(&|lane| !below(lane + 1) & 0xffff_ffff),
            Special::LanemaskGe => return by_lane(&|lane| !below(lane) & 0xffff_ffff),
            Special::Ntid(axis) => block[axis].into(),
            Special::Ctaid(axis) => shared.place[axis].into(),
            Special::Nctaid(axis) => machine.task.shape.grid[axis].into(),
            Special::Warp => self.id.into(),
            Special::WarpCount => machine.threads_per_block().div_ceil(32).into(),
            Special::Multiprocessor => shared.multiprocessor.into(),
            Special::MultiprocessorCount => machine.device.multiprocessors.into(),
            Special::GridId => machine.task.number.into(),
            Special::WorkspaceHigh => machine.workspace() >> 32,
            Special::WorkspaceLow => machine.workspace() & 0xffff_ffff,
            Special::Clock | Special::GlobalTimerLow => clock & 0xffff_ffff,
            Special::ClockHigh | Special::GlobalTimerHigh => clock >> 32,
            Special::Clock64 | Special::GlobalTimer => clock,
            Special::DynamicSharedBytes => machine.task.shape.dynamic_shared_bytes.into(),
            Special::TotalSharedBytes => machine.shared_bytes().into(),
            Special::Fixed(value) => value.into(),
        };
        [value; 32]
    }
}

fn is_clock(which: Special) -> bool {
    matches!(
        which,
        Special::Clock
            | Special::ClockHigh
            | Special::Clock64
            | Special::GlobalTimer
            | Special::GlobalTimerLow
            | Special::GlobalTimerHigh
    )
}

/// The coordinates of a thread in its block, computed from the thread's number.
pub(super) fn thread_place(block: [u32; 3], thread: u32) -> [u32; 3] {
    let [x, y, _] = block;
    [thread % x, thread / x % y, thread / x / y]
}
