//! Tracks which bytes of memory are defined, and propagates undefinedness through loads, stores and atomic operations.

use crate::checks::{ByteMasks, DEFINED, Origin};
use crate::exec::block::Shared;
use crate::exec::machine::{Finding, Machine};
use crate::exec::memory::{Group, named};
use crate::exec::warp::Warp;
use crate::program::{Address, AddressSpace, Atomic, Extend, Reg, Transfer, lanes};

/// The read of the first of the `missing` bytes, which are counted from `address`.
fn first_missing<O>(machine: &Machine<'_, O>, group: &Group, address: u64, missing: u32) -> Origin {
    Origin::Read {
        place: machine.place,
        space: named(group.space),
        address: address + u64::from(missing.trailing_zeros()),
    }
}

impl Warp {
    #[inline(always)]
    pub(super) fn check_address<O>(
        &self,
        machine: &Machine<'_, O>,
        address: &Address,
        active: u32,
    ) -> Result<(), Finding> {
        match address.base {
            Some(base) => self.check_register(machine, "the address", base, active),
            None => Ok(()),
        }
    }

    /// Called after a load: a register byte is defined if the loaded byte is defined.
    pub(in crate::exec) fn spread_load<O>(
        &mut self,
        machine: &Machine<'_, O>,
        shared: &Shared,
        transfer: &Transfer,
        group: &Group,
    ) {
        let (width, count) = (transfer.width, transfer.count as usize);
        let bytes = width * transfer.count;
        let all = (1 << bytes) - 1;
        let mut found = [DEFINED; 4];
        let mut origin = None;
        for lane in lanes(group.mask) {
            let address = group.addresses[lane];
            let missing = all & !self.written(machine, shared, group, lane, address, bytes);
            if missing != 0 {
                origin.get_or_insert(first_missing(machine, group, address, missing));
                for (index, found) in found[..count].iter_mut().enumerate() {
                    for (k, byte) in found[..width as usize].iter_mut().enumerate() {
                        *byte |= (missing >> (index * width as usize + k) & 1) << lane;
                    }
                }
            }
        }
        // If a byte is undefined, `origin` says where the first undefined byte was read. If no byte is undefined, `origin` is not used.
        let origin = origin.unwrap_or(Origin::Register);
        for (mut found, d) in found.into_iter().zip(transfer.data).take(count) {
            if let Extend::SignTo(_) = transfer.extend {
                // The register's bytes above the loaded bytes are copies of the sign.
                let sign = found[width as usize - 1];
                found[width as usize..].fill(sign);
            }
            self.undefined.set(d, &found, group.mask, origin);
        }
    }

    /// Called after a store: a stored byte is defined if the register byte is defined.
    pub(in crate::exec) fn spread_store<O>(
        &mut self,
        machine: &Machine<'_, O>,
        shared: &mut Shared,
        transfer: &Transfer,
        group: &Group,
    ) {
        let width = transfer.width;
        let data = &transfer.data[..transfer.count as usize];
        if data.iter().all(|reg| self.undefined.row(*reg) == &DEFINED) {
            for lane in lanes(group.mask) {
                let whole = (group.addresses[lane], width * transfer.count);
                self.set_written(machine, shared, group, lane, whole, u32::MAX);
            }
            return;
        }
        let undefined = data.iter().map(|reg| self.first_bytes(*reg, width));
        let undefined: Vec<ByteMasks> = undefined.collect();
        for lane in lanes(group.mask) {
            let elements = (group.addresses[lane]..).step_by(width as usize);
            for (undefined, address) in undefined.iter().zip(elements) {
                let mask = of_lane(undefined, lane, width);
                self.set_written(machine, shared, group, lane, (address, width), !mask);
            }
        }
    }

    /// Called after an atomic operation. The new value is defined if the operands are defined, and if the old
    /// value was defined or does not matter.
    pub(in crate::exec) fn spread_atomic<O>(
        &mut self,
        machine: &Machine<'_, O>,
        shared: &mut Shared,
        atomic: &Atomic,
        group: &Group,
    ) {
        let width = atomic.width;
        let all = (1 << width) - 1;
        let operands = [atomic.b, atomic.c].map(|reg| self.undefined.lanes(reg));
        let values = [atomic.b, atomic.c].map(|reg| *self.registers.row(reg));
        let mut found = DEFINED;
        let mut origin = None;
        for lane in lanes(group.mask) {
            let address = group.addresses[lane];
            let missing = all & !self.written(machine, shared, group, lane, address, width);
            let unsure = (operands[0] | operands[1]) >> lane & 1 == 1;
            if missing != 0 {
                origin.get_or_insert(first_missing(machine, group, address, missing));
                for (k, byte) in found.iter_mut().enumerate() {
                    *byte |= (missing >> k & 1) << lane;
                }
            }
            let after = |old: u64| (atomic.modify)(old, values[0][lane], values[1][lane]);
            let replaces = || after(0) == after(u64::MAX) && after(0) == after(0x5a17);
            let is_defined = !unsure && (missing == 0 || replaces());
            let mask = if is_defined { all } else { 0 };
            self.set_written(machine, shared, group, lane, (address, width), mask);
        }
        let origin = origin.unwrap_or(Origin::Register);
        if let Some(d) = atomic.d {
            self.undefined.set(d, &found, group.mask, origin);
        }
    }

    /// The undefined bytes among a register's first `width` bytes.
    fn first_bytes(&self, reg: Reg, width: u32) -> ByteMasks {
        let mut bytes = *self.undefined.row(reg);
        bytes[width as usize..].fill(0);
        bytes
    }

    /// The defined bytes of a lane's access, one bit each.
    #[inline(always)]
    fn written<O>(
        &mut self,
        machine: &Machine<'_, O>,
        shared: &Shared,
        group: &Group,
        lane: usize,
        address: u64,
        width: u32,
    ) -> u32 {
        let from_slice = |bytes: Option<&[bool]>| match bytes.unwrap_or(&[]) {
            [true, true, true, true] => 0b1111,
            bytes => {
                let bytes = bytes.iter().enumerate();
                bytes.fold(0, |mask, (k, &written)| mask | u32::from(written) << k)
            }
        };
        let (start, end) = (address as usize, address as usize + width as usize);
        match group.space {
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Generic => {
                let place = machine.snapshot.find(&mut self.lookup, address, width);
                place.map_or(0, |place| place.written(address, width))
            }
            AddressSpace::Shared => from_slice(shared.written.get(start..end)),
            AddressSpace::KernelParam => u32::MAX,
            AddressSpace::Local | AddressSpace::CallParam => {
                let size = self.local.len() / 32;
                let written = &self.undefined.local_written[lane * size..][..size];
                from_slice(written.get(start..end))
            }
        }
    }

    /// Records a write by a lane: the bytes in the mask are defined, the other bytes are undefined.
    #[inline(always)]
    fn set_written<O>(
        &mut self,
        machine: &Machine<'_, O>,
        shared: &mut Shared,
        group: &Group,
        lane: usize,
        (address, width): (u64, u32),
        mask: u32,
    ) {
        let to_slice = |bytes: Option<&mut [bool]>| {
            for (k, written) in bytes.unwrap_or(&mut []).iter_mut().enumerate() {
                *written = mask >> k & 1 == 1;
            }
        };
        let (start, end) = (address as usize, address as usize + width as usize);
        match group.space {
            AddressSpace::Global | AddressSpace::Constant | AddressSpace::Generic => {
                if let Some(place) = machine.snapshot.find(&mut self.lookup, address, width) {
                    place.set_written(address, width, mask);
                }
            }
            AddressSpace::Shared => to_slice(shared.written.get_mut(start..end)),
            AddressSpace::KernelParam => {}
            AddressSpace::Local | AddressSpace::CallParam => {
                let size = self.local.len() / 32;
                let written = &mut self.undefined.local_written[lane * size..][..size];
                to_slice(written.get_mut(start..end));
            }
        }
    }
}

/// The undefined bytes of one lane, one bit each.
fn of_lane(undefined: &ByteMasks, lane: usize, width: u32) -> u32 {
    let bytes = undefined[..width as usize].iter().enumerate();
    bytes.fold(0, |mask, (k, byte)| mask | (byte >> lane & 1) << k)
}
