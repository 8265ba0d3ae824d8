//! Stale reads, for the policy `StaleReads`: they return the value before the last write.

use super::block::Shared;
use super::machine::Machine;
use super::memory::{Group, extend};
use super::warp::Warp;
use crate::checks::{Element, Observer};
use crate::program::{AddressSpace, Row, Transfer, lanes};

impl Warp {
    /// Called before a store: records the values that it overwrites.
    pub(super) fn remember_store<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &Shared,
        transfer: &Transfer,
        group: &Group,
    ) {
        if !machine.observer.remembers() || group.space != AddressSpace::Global {
            return;
        }
        for lane in lanes(group.mask) {
            let same = |other: &usize| group.addresses[*other] == group.addresses[lane];
            let is_first = lanes(group.mask).find(same) == Some(lane);
            for element in self.elements(shared, transfer, group, lane) {
                let (address, width) = (element.address, element.width);
                let place = machine.snapshot.find(&mut self.lookup, address, width);
                let before = place.map(|place| place.load(address, width));
                // If several lanes write the same address, only the value before the first write is known.
                let before = before.filter(|_| is_first);
                machine.observer.overwrites(&element, before);
            }
        }
    }

    /// Called after an atomic operation on elements of `width` bytes, whose old values are
    /// `before`.
    pub(super) fn remember_atomic<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &Shared,
        width: u32,
        group: &Group,
        before: &Row,
    ) {
        if !machine.observer.remembers() || group.space != AddressSpace::Global {
            return;
        }
        for lane in lanes(group.mask) {
            let element = Element {
                block: shared.index,
                thread: self.id * 32 + lane as u32,
                address: group.addresses[lane],
                width,
            };
            machine.observer.overwrites(&element, Some(before[lane]));
        }
    }

    /// Called after a load: replaces some of the loaded values by older values.
    pub(super) fn read_stale<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &Shared,
        transfer: &Transfer,
        group: &Group,
        out: &mut [Row],
    ) {
        if !machine.observer.remembers() || group.space != AddressSpace::Global {
            return;
        }
        for lane in lanes(group.mask) {
            let elements = self.elements(shared, transfer, group, lane);
            for (row, element) in out.iter_mut().zip(elements) {
                if let Some(older) = machine.observer.reads_older(&element) {
                    row[lane] = extend(older, transfer.width, transfer.extend);
                }
            }
        }
    }

    fn elements(
        &self,
        shared: &Shared,
        transfer: &Transfer,
        group: &Group,
        lane: usize,
    ) -> impl Iterator<Item = Element> + use<> {
        let first = Element {
            block: shared.index,
            thread: self.id * 32 + lane as u32,
            address: group.addresses[lane],
            width: transfer.width,
        };
        (0..transfer.count).map(move |index| Element {
            address: first.address + u64::from(index * first.width),
            ..first
        })
    }
}
