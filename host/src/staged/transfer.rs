//! The way of many pieces, there and back.

use std::collections::VecDeque;

use super::workers::{Job, useful_workers, with_workers};
use crate::driver::Address;
use crate::error::Result;
use crate::gpu::{BusyLane, Lane, PIECE_BYTES};

/// The most lanes of a call.
const MOST_LANES: usize = 8;

/// Lanes whose copies are queued behind the one that moves, so that the bus never waits for this thread.
const LANES_AHEAD: usize = 2;

/// How many lanes a slice of so many bytes makes use of.
pub(super) fn useful_lanes(bytes: usize) -> usize {
    let lanes = useful_workers() + LANES_AHEAD;
    bytes.div_ceil(PIECE_BYTES).min(lanes).min(MOST_LANES)
}

/// Workers that keep so many lanes busy.
fn workers_for(lanes: usize) -> usize {
    lanes.saturating_sub(LANES_AHEAD).clamp(1, useful_workers())
}

/// A piece on its way to a lane's buffer.
struct Fill<'gpu, 'slice> {
    lane: Lane<'gpu>,
    index: usize,
    from: &'slice [u8],
}

impl Job for Fill<'_, '_> {
    fn perform(&mut self) {
        self.lane.bytes()[..self.from.len()].copy_from_slice(self.from);
    }
}

/// A piece on its way out of a lane's buffer.
struct Drain<'gpu, 'slice> {
    lane: Lane<'gpu>,
    to: &'slice mut [u8],
}

impl Job for Drain<'_, '_> {
    fn perform(&mut self) {
        let bytes = self.to.len();
        self.to.copy_from_slice(&self.lane.bytes()[..bytes]);
    }
}

/// Copies the bytes to the device, and waits for that. Gives the lanes back.
pub(super) fn to_device<'gpu>(
    lanes: Vec<Lane<'gpu>>,
    bytes: &[u8],
    to: Address,
) -> Result<Vec<Lane<'gpu>>> {
    let ahead = LANES_AHEAD.min(lanes.len() - 1);
    with_workers(workers_for(lanes.len()), |workers| {
        let mut pieces = bytes.chunks(PIECE_BYTES).enumerate();
        let mut idle = lanes;
        let mut filling = 0;
        let mut moving: VecDeque<BusyLane> = VecDeque::new();
        loop {
            while let Some(lane) = idle.pop() {
                let Some((index, from)) = pieces.next() else {
                    idle.push(lane);
                    break;
                };
                workers.give(Fill { lane, index, from });
                filling += 1;
            }
            if filling == 0 {
                break;
            }
            if let Some(Fill { lane, index, from }) = workers.take_done() {
                let to = to + (index * PIECE_BYTES) as u64;
                moving.push_back(lane.send(from.len(), to)?);
            }
            filling -= 1;
            if moving.len() > ahead
                && let Some(lane) = moving.pop_front()
            {
                idle.push(lane.wait()?);
            }
        }
        for lane in moving {
            idle.push(lane.wait()?);
        }
        Ok(idle)
    })
}

/// Copies bytes of the device to the slice.
pub(super) fn to_host(lanes: Vec<Lane<'_>>, from: Address, bytes: &mut [u8]) -> Result<()> {
    let ahead = LANES_AHEAD.min(lanes.len() - 1);
    with_workers(workers_for(lanes.len()), |workers| {
        let mut pieces = bytes.chunks_mut(PIECE_BYTES).enumerate();
        let mut idle = lanes;
        let mut draining = 0;
        let mut moving: VecDeque<(BusyLane, &mut [u8])> = VecDeque::new();
        loop {
            while let Some(lane) = idle.pop() {
                let Some((index, to)) = pieces.next() else {
                    idle.push(lane);
                    break;
                };
                let from = from + (index * PIECE_BYTES) as u64;
                moving.push_back((lane.into_busy().receive(to.len(), from)?, to));
            }
            while let Some((lane, to)) = moving.pop_front() {
                let lane = lane.wait()?;
                workers.give(Drain { lane, to });
                draining += 1;
                if moving.len() <= ahead {
                    break;
                }
            }
            if draining == 0 {
                break;
            }
            if let Some(Drain { lane, .. }) = workers.take_done() {
                idle.push(lane);
            }
            draining -= 1;
        }
        Ok(())
    })
}
