//! The way of many pieces: to the device, and perhaps back.
//!
//! The order of the driver calls does not depend on how quick the workers are, so that a test can make each of them fail.

use std::collections::VecDeque;

use super::workers::{Job, Workers, useful_workers, with_workers};
use crate::error::Result;
use crate::gpu::{BusyLane, Lane};

/// The most lanes of a call, for each of the ways that pieces take. Of 1 GiB to an H200 on a host of 16 processors, sums with
/// 8 lanes ran at 38 GB/s and with 12 at 49, where page-locked memory is carried at 55.
const MOST_LANES: usize = 12;

/// Lanes whose copies are queued behind the one that moves, so that the bus never waits for this thread; for each way.
const LANES_AHEAD: usize = 2;

/// The most page-locked memory of a call, and the most memory of the device beside a workspace; not for pieces so long that
/// two do not fit.
const MOST_BYTES: usize = 256 << 20;

/// Which ways the pieces take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ways {
    /// To the device.
    There,
    /// To the device and back.
    ThereAndBack,
}

impl Ways {
    fn count(self) -> usize {
        match self {
            Self::There => 1,
            Self::ThereAndBack => 2,
        }
    }

    /// How many lanes so many pieces of so many bytes make use of.
    pub fn useful_lanes(self, piece_count: usize, piece_bytes: usize) -> usize {
        let busy = (useful_workers() + LANES_AHEAD * self.count()).min(MOST_LANES * self.count());
        busy.min((MOST_BYTES / piece_bytes).max(2)).min(piece_count)
    }
}

/// A piece of a slice, in the program's memory.
pub(super) struct Piece<'slice> {
    pub from: &'slice [u8],
    /// Where it comes back to; empty if it does not.
    pub to: &'slice mut [u8],
}

/// What workers do for a lane.
enum Task<'gpu, 'slice> {
    /// The piece with this index goes into the buffer.
    Fill(Lane<'gpu>, usize, Piece<'slice>),
    /// A piece comes out of the buffer.
    Drain(Lane<'gpu>, &'slice mut [u8]),
}

impl Job for Task<'_, '_> {
    fn perform(&mut self) {
        match self {
            Self::Fill(lane, _, piece) => {
                lane.bytes()[..piece.from.len()].copy_from_slice(piece.from);
            }
            Self::Drain(lane, to) => to.copy_from_slice(&lane.bytes()[..to.len()]),
        }
    }
}

/// A piece whose work is queued.
struct Moving<'gpu, 'slice> {
    lane: BusyLane<'gpu>,
    to: &'slice mut [u8],
}

/// Carries the pieces there and, where they come back, back, on at least one lane. `work` is given each in order, with its
/// index, when its copy to the device is queued, and queues what is to be done with it. Waits for all of it.
pub(super) fn carry<'gpu, 'slice>(
    lanes: Vec<Lane<'gpu>>,
    ways: Ways,
    pieces: impl Iterator<Item = Piece<'slice>>,
    mut work: impl FnMut(BusyLane<'gpu>, usize) -> Result<BusyLane<'gpu>>,
) -> Result<()> {
    let ahead = (LANES_AHEAD * ways.count()).min(lanes.len() - 1);
    with_workers(|workers| {
        let mut moving = VecDeque::new();
        let mut carrier = Carrier {
            workers,
            pieces: pieces.enumerate(),
            idle: lanes,
            filled: Vec::new(),
            at_work: 0,
        };
        for index in 0.. {
            let Some((lane, piece)) = carrier.filled(index) else {
                break;
            };
            let lane = work(lane.send(piece.from.len())?, index)?;
            moving.push_back(match piece.to {
                [] => Moving { lane, to: &mut [] },
                to => Moving {
                    lane: lane.receive(to.len())?,
                    to,
                },
            });
            if moving.len() > ahead
                && let Some(oldest) = moving.pop_front()
            {
                carrier.wait(oldest)?;
            }
        }
        for oldest in moving {
            carrier.wait(oldest)?;
        }
        carrier.finish();
        Ok(())
    })
}

/// The lanes that do not move, and the pieces that have not set out.
struct Carrier<'workers, 'pool, 'scope, 'gpu, 'slice, P> {
    workers: &'workers Workers<'pool, 'scope, Task<'gpu, 'slice>>,
    pieces: P,
    idle: Vec<Lane<'gpu>>,
    /// Pieces that wait for those before them.
    filled: Vec<(Lane<'gpu>, usize, Piece<'slice>)>,
    /// Tasks that the workers have.
    at_work: usize,
}

impl<'scope, 'gpu: 'scope, 'slice: 'scope, P: Iterator<Item = (usize, Piece<'slice>)>>
    Carrier<'_, '_, 'scope, 'gpu, 'slice, P>
{
    /// The piece with this index, in a lane's buffer, once it is there; nothing if there is no such piece.
    fn filled(&mut self, index: usize) -> Option<(Lane<'gpu>, Piece<'slice>)> {
        loop {
            while let Some(lane) = self.idle.pop() {
                match self.pieces.next() {
                    Some((index, piece)) => self.give(Task::Fill(lane, index, piece)),
                    None => {
                        self.idle.push(lane);
                        break;
                    }
                }
            }
            let place = self.filled.iter().position(|filled| filled.1 == index);
            if let Some(place) = place {
                let (lane, _, piece) = self.filled.swap_remove(place);
                return Some((lane, piece));
            }
            self.take_done()?;
        }
    }

    /// Waits for a piece's work, and has it brought to where it comes back to.
    fn wait(&mut self, Moving { lane, to }: Moving<'gpu, 'slice>) -> Result<()> {
        let lane = lane.wait()?;
        match to {
            [] => self.idle.push(lane),
            to => self.give(Task::Drain(lane, to)),
        }
        Ok(())
    }

    /// Waits until all that comes back is there.
    fn finish(&mut self) {
        while self.take_done().is_some() {}
    }

    fn give(&mut self, task: Task<'gpu, 'slice>) {
        self.workers.give(task);
        self.at_work += 1;
    }

    /// Waits for a task, if the workers have any.
    fn take_done(&mut self) -> Option<()> {
        if self.at_work == 0 {
            return None;
        }
        self.at_work -= 1;
        match self.workers.take_done()? {
            Task::Fill(lane, index, piece) => self.filled.push((lane, index, piece)),
            Task::Drain(lane, _) => self.idle.push(lane),
        }
        Some(())
    }
}
