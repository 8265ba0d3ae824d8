//! Slices of the host, brought to the device and back piece by piece through page-locked memory.
//!
//! ```text
//! workers      copy piece p + k to a lane's buffer          (on the way back: out of it)
//! this thread  queues the copy of piece p on its lane, and waits for the lane of piece p − 2
//! the bus      carries piece p − 1
//! ```
//!
//! All driver calls are this thread's. A slice of one piece goes to and from the lane's own piece of the device's
//! memory, and needs neither a worker nor an allocation.

mod transfer;
mod workers;

use crate::driver::Address;
use crate::error::Result;
use crate::gpu::{BusyLane, DeviceMemory, Entered, Lane, PIECE_BYTES};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Span};

/// Reduces at least one item.
pub(crate) fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
) -> Result<O::Output> {
    let there = OnDevice::copy_of(entered, bytemuck::cast_slice(items))?;
    let span = there.span(items.len());
    let slot = Queue::on_own(entered, there.lane.stream(), |queue| {
        queue.reduce_to_slot::<O, T>(span)
    })?;
    there.lane.wait()?;
    // SAFETY: the reduction is done.
    Ok(unsafe { entered.read_result(slot) })
}

/// Scans at least one item. `results` are as many.
pub(crate) fn scan<Kind, O: Kernel<Kind, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
    results: &mut [T],
) -> Result<()> {
    let there = OnDevice::copy_of(entered, bytemuck::cast_slice(items))?;
    let span = there.span(items.len());
    Queue::on_own(entered, there.lane.stream(), |queue| {
        queue.scan::<Kind, O, T>(span, span)
    })?;
    there.copy_back(bytemuck::cast_slice_mut(results))
}

/// A slice's copy on the device, complete as soon as the lane's work is done.
struct OnDevice<'gpu> {
    address: Address,
    lane: BusyLane<'gpu>,
    /// The lanes that the copy took beside that one.
    others: Vec<Lane<'gpu>>,
    /// The copy's memory, where it is not the lane's own.
    memory: Option<DeviceMemory>,
}

impl<'gpu> OnDevice<'gpu> {
    /// Copies at least one byte to the device.
    fn copy_of(entered: Entered<'gpu>, bytes: &[u8]) -> Result<Self> {
        let memory = match bytes.len() {
            0..=PIECE_BYTES => None,
            more => Some(DeviceMemory::allocate(more as u64)?),
        };
        let mut others = entered.lanes(transfer::useful_lanes(bytes.len()))?;
        let Some(memory) = memory else {
            let mut lane = others.swap_remove(0);
            lane.bytes()[..bytes.len()].copy_from_slice(bytes);
            let address = lane.device();
            return Ok(Self {
                address,
                lane: lane.send(bytes.len(), address)?,
                others,
                memory: None,
            });
        };
        let address = memory.address();
        let mut others = transfer::to_device(others, bytes, address)?;
        Ok(Self {
            address,
            lane: others.swap_remove(0).into_busy(),
            others,
            memory: Some(memory),
        })
    }

    fn span(&self, item_count: usize) -> Span {
        Span {
            address: self.address,
            item_count,
        }
    }

    /// Waits for the lane's work, and copies back what it has made of the bytes.
    fn copy_back(self, bytes: &mut [u8]) -> Result<()> {
        if self.memory.is_some() {
            let mut lanes = self.others;
            lanes.push(self.lane.wait()?);
            return transfer::to_host(lanes, self.address, bytes);
        }
        let mut lane = self.lane.receive(bytes.len(), self.address)?.wait()?;
        bytes.copy_from_slice(&lane.bytes()[..bytes.len()]);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
