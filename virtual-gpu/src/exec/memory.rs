//! Loads, stores and atomic operations.
//!
//! Every access is checked before it is executed. The first check is that the thread has waited for earlier launches (`dependence`). The
//! second is that the address is aligned to the full width. The third is that the bytes are in bounds: in global memory, within one
//! allocation; in another space, within that space. The lanes of an instruction access memory one after the other: first the lanes whose
//! addresses lie in one space, in the order of the lane numbers, then the lanes of the next space. If one lane faults, the accesses of the
//! lanes before it may have been executed.
//!
//! The spaces other than global memory have windows in the generic address space. A generic address outside these windows is a global
//! address.

use super::block::Shared;
use super::bounds::{check_global, check_space};
use super::machine::{Finding, Machine};
use super::traffic;
use super::warp::Warp;
use crate::checks::{Accesses, Observer};
use crate::config::Switch;
use crate::fault::{AccessKind, FaultKind, Space};
use crate::program::{
    ALL_LANES, Address, AddressSpace, Atomic, Extend, Row, Transfer, lanes, space_of, within_window,
};

/// Accesses of some lanes to one space.
pub(super) struct Group {
    pub space: AddressSpace,
    pub mask: u32,
    /// Addresses within the space, by lane.
    pub addresses: Row,
}

pub(super) struct Wish {
    pub kind: AccessKind,
    pub address: Address,
    pub bytes: u32,
}

pub(super) fn extend(value: u64, width: u32, how: Extend) -> u64 {
    match how {
        Extend::Zero => value,
        Extend::SignTo(bits) => {
            let unused = 64 - 8 * width;
            let wide = ((value << unused) as i64 >> unused) as u64;
            wide & (u64::MAX >> (64 - bits))
        }
    }
}

pub(super) fn named(space: AddressSpace) -> Space {
    match space {
        AddressSpace::Generic | AddressSpace::Global | AddressSpace::Constant => Space::Global,
        AddressSpace::Shared => Space::Shared,
        AddressSpace::Local => Space::Local,
        AddressSpace::CallParam | AddressSpace::KernelParam => Space::Param,
    }
}

/// Reads `width` bytes (1, 2, 4 or 8).
#[inline(always)]
fn read_bytes(from: &[u8], at: usize, width: u32) -> u64 {
    match &from[at..at + width as usize] {
        &[a] => a.into(),
        &[a, b] => u16::from_le_bytes([a, b]).into(),
        &[a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        bytes => bytes.as_array().map_or(0, |&all| u64::from_le_bytes(all)),
    }
}

/// Writes `width` bytes (1, 2, 4 or 8).
#[inline(always)]
fn write_bytes(to: &mut [u8], at: usize, width: u32, value: u64) {
    let (to, from) = (&mut to[at..at + width as usize], value.to_le_bytes());
    match width {
        4 => to.copy_from_slice(&from[..4]),
        8 => to.copy_from_slice(&from),
        _ => to.copy_from_slice(&from[..width as usize]),
    }
}

/// Loads one lane's elements into the rows.
#[inline(always)]
fn fill(rows: &mut [Row], transfer: &Transfer, lane: usize, read: impl Fn(u64) -> u64) {
    let width = transfer.width;
    for (row, offset) in rows.iter_mut().zip((0..).step_by(width as usize)) {
        row[lane] = extend(read(offset), width, transfer.extend);
    }
}

/// The access of one lane.
pub(super) fn single(form: &Address, address: u64, lane: usize) -> Group {
    let (space, within) = match form.space {
        AddressSpace::Generic => match space_of(address) {
            AddressSpace::Global => (AddressSpace::Global, address),
            space => (space, within_window(address)),
        },
        space => (space, address),
    };
    Group {
        space,
        mask: 1 << lane,
        addresses: [within; 32],
    }
}

/// Reads bytes of shared memory.
pub(super) fn read_shared(
    shared: &Shared,
    kind: AccessKind,
    address: u64,
    bytes: u32,
) -> Result<u64, FaultKind> {
    let size = shared.memory.len() as u64;
    let at = check_space(AddressSpace::Shared, kind, address, bytes, size)?;
    Ok(read_bytes(&shared.memory, at, bytes))
}

/// Writes shared memory at an address that an earlier read has checked.
pub(super) fn write_shared(shared: &mut Shared, address: u64, bytes: u32, value: u64) {
    let (start, end) = (address as usize, address as usize + bytes as usize);
    write_bytes(&mut shared.memory, start, bytes, value);
    if let Some(written) = shared.written.get_mut(start..end) {
        written.fill(true);
    }
}

impl Warp {
    pub(super) fn addresses(&self, address: &Address) -> Row {
        let offset = address.offset as u64;
        match address.base {
            Some(base) => self
                .registers
                .row(base)
                .map(|base| base.wrapping_add(offset)),
            None => [offset; 32],
        }
    }

    /// The accesses of the lanes in `mask`, one group for each space. Almost always there is only one group.
    fn groups(&self, address: &Address, mask: u32) -> impl Iterator<Item = Group> + use<> {
        let space = match address.space {
            AddressSpace::Constant => AddressSpace::Global,
            space => space,
        };
        let addresses = self.addresses(address);
        let mut left = mask;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let mut group = Group {
                space,
                mask: left,
                addresses,
            };
            if space == AddressSpace::Generic {
                let first = addresses[left.trailing_zeros() as usize];
                group.space = space_of(first);
                group.mask = lanes(left)
                    .filter(|&lane| space_of(addresses[lane]) == group.space)
                    .fold(0, |mask, lane| mask | 1 << lane);
                if group.space != AddressSpace::Global {
                    group.addresses = addresses.map(within_window);
                }
            }
            left &= !group.mask;
            Some(group)
        })
    }

    pub(super) fn watch<O: Observer>(
        &self,
        machine: &mut Machine<'_, O>,
        shared: &Shared,
        wish: &Wish,
        group: &Group,
    ) -> Result<(), Finding> {
        if !O::WATCHES {
            return Ok(());
        }
        let reports = machine.options.checks.race == Switch::On;
        if reports && group.space == AddressSpace::Shared {
            self.check_copies(machine, shared, (wish.kind, wish.bytes), group)?;
        }
        let watched = machine.observer.accesses(&Accesses {
            space: named(group.space),
            kind: wish.kind,
            bytes: wish.bytes,
            block: shared.index,
            warp: self.id + machine.copier,
            lanes: group.mask,
            addresses: &group.addresses,
            strength: wish.address.strength,
            scope: wish.address.scope,
        });
        watched.map_err(|(lane, kind)| Finding { kind, lane })
    }

    pub(super) fn load<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        transfer: &Transfer,
        active: u32,
    ) -> Result<(), Finding> {
        match transfer.count {
            1 => self.load_elements::<O, 1>(machine, shared, transfer, active),
            2 => self.load_elements::<O, 2>(machine, shared, transfer, active),
            _ => self.load_elements::<O, 4>(machine, shared, transfer, active),
        }
    }

    /// A load of `COUNT` elements.
    fn load_elements<O: Observer, const COUNT: usize>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        transfer: &Transfer,
        active: u32,
    ) -> Result<(), Finding> {
        let width = transfer.width;
        let wish = Wish {
            kind: AccessKind::Read,
            address: transfer.address,
            bytes: width * COUNT as u32,
        };
        for group in self.groups(&transfer.address, active) {
            self.check_waited(&wish, &group)?;
            let mut out = [[0; 32]; COUNT];
            for lane in lanes(group.mask) {
                let found = |kind| Finding { kind, lane };
                let address = group.addresses[lane];
                if group.space == AddressSpace::Global {
                    let place =
                        check_global(machine, &mut self.lookup, wish.kind, address, wish.bytes);
                    let place = place.map_err(found)?;
                    fill(&mut out, transfer, lane, |offset| {
                        place.load(address + offset, width)
                    });
                } else {
                    let from = self.bytes_of(machine, shared, group.space, lane);
                    let at = check_space(
                        group.space,
                        wish.kind,
                        address,
                        wish.bytes,
                        from.len() as u64,
                    );
                    let at = at.map_err(found)?;
                    fill(&mut out, transfer, lane, |offset| {
                        read_bytes(from, at + offset as usize, width)
                    });
                }
            }
            if O::WATCHES {
                self.read_stale(machine, shared, transfer, &group, &mut out);
            }
            self.watch(machine, shared, &wish, &group)?;
            if O::WATCHES {
                self.spread_load(machine, shared, transfer, &group);
            }
            for (row, d) in out.iter().zip(transfer.data) {
                self.registers.keep(d, row, group.mask);
            }
            count_traffic(machine, &group, &wish);
        }
        Ok(())
    }

    pub(super) fn store<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        transfer: &Transfer,
        active: u32,
    ) -> Result<(), Finding> {
        let (width, count) = (transfer.width, transfer.count);
        let wish = Wish {
            kind: AccessKind::Write,
            address: transfer.address,
            bytes: width * count,
        };
        for group in self.groups(&transfer.address, active) {
            self.check_waited(&wish, &group)?;
            if O::WATCHES {
                self.remember_store(machine, shared, transfer, &group);
            }
            for lane in lanes(group.mask) {
                let found = |kind| Finding { kind, lane };
                let address = group.addresses[lane];
                let values = transfer.data.map(|reg| self.registers.row(reg)[lane]);
                let parts = values[..count as usize]
                    .iter()
                    .zip((0..).step_by(width as usize));
                if group.space == AddressSpace::Global {
                    let place =
                        check_global(machine, &mut self.lookup, wish.kind, address, wish.bytes);
                    let place = place.map_err(found)?;
                    for (&value, offset) in parts {
                        place.store(address + offset, width, value);
                    }
                } else {
                    let to = self.bytes_of_mut(shared, group.space, lane);
                    let at =
                        check_space(group.space, wish.kind, address, wish.bytes, to.len() as u64);
                    let at = at.map_err(found)?;
                    for (&value, offset) in parts {
                        write_bytes(to, at + offset as usize, width, value);
                    }
                }
            }
            self.watch(machine, shared, &wish, &group)?;
            if O::WATCHES {
                self.spread_store(machine, shared, transfer, &group);
            }
            count_traffic(machine, &group, &wish);
        }
        Ok(())
    }

    pub(super) fn atomic<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        atomic: &Atomic,
        active: u32,
    ) -> Result<(), Finding> {
        let width = atomic.width;
        let wish = Wish {
            kind: AccessKind::Atomic,
            address: atomic.address,
            bytes: width,
        };
        machine.counters.atomics += u64::from(active.count_ones());
        let memory = machine.memory;
        let (b, c) = (*self.registers.row(atomic.b), *self.registers.row(atomic.c));
        for group in self.groups(&atomic.address, active) {
            self.check_waited(&wish, &group)?;
            let mut out = [0; 32];
            for lane in lanes(group.mask) {
                let found = |kind| Finding { kind, lane };
                let address = group.addresses[lane];
                if group.space == AddressSpace::Global {
                    let place = check_global(machine, &mut self.lookup, wish.kind, address, width);
                    let place = place.map_err(found)?;
                    let _guard = memory.lock_atomics();
                    out[lane] = place.load(address, width);
                    place.store(address, width, (atomic.modify)(out[lane], b[lane], c[lane]));
                } else {
                    let to = self.bytes_of_mut(shared, group.space, lane);
                    let at = check_space(group.space, wish.kind, address, width, to.len() as u64);
                    let at = at.map_err(found)?;
                    out[lane] = read_bytes(to, at, width);
                    let new = (atomic.modify_shared)(out[lane], b[lane], c[lane]);
                    write_bytes(to, at, width, new);
                }
            }
            if O::WATCHES {
                self.remember_atomic(machine, shared, width, &group, &out);
            }
            self.watch(machine, shared, &wish, &group)?;
            if O::WATCHES {
                self.spread_atomic(machine, shared, atomic, &group);
            }
            if let Some(d) = atomic.d {
                self.registers.keep(d, &out, group.mask);
            }
            count_traffic(machine, &group, &wish);
        }
        Ok(())
    }

    /// The byte at a generic address.
    pub(super) fn byte<O>(
        &self,
        machine: &Machine<'_, O>,
        shared: &Shared,
        lane: usize,
        address: u64,
    ) -> Result<u8, FaultKind> {
        let kind = AccessKind::Read;
        let space = space_of(address);
        if space == AddressSpace::Global {
            let place = check_global(machine, &mut self.lookup.clone(), kind, address, 1)?;
            return Ok(place.load(address, 1) as u8);
        }
        let from = self.bytes_of(machine, shared, space, lane);
        let within = within_window(address);
        let at = check_space(space, kind, within, 1, from.len() as u64)?;
        Ok(from[at])
    }

    /// The bytes of a space other than global memory, as one lane sees them.
    fn bytes_of<'s, O>(
        &'s self,
        machine: &'s Machine<'_, O>,
        shared: &'s Shared,
        space: AddressSpace,
        lane: usize,
    ) -> &'s [u8] {
        match space {
            AddressSpace::Shared => &shared.memory,
            AddressSpace::KernelParam => &machine.task.params,
            _ => {
                let size = self.local.len() / 32;
                &self.local[lane * size..][..size]
            }
        }
    }

    /// Like [`bytes_of`](Self::bytes_of), for writing. Parameters of the kernel cannot be written, so for their space the result is empty.
    fn bytes_of_mut<'s>(
        &'s mut self,
        shared: &'s mut Shared,
        space: AddressSpace,
        lane: usize,
    ) -> &'s mut [u8] {
        match space {
            AddressSpace::Shared => &mut shared.memory,
            AddressSpace::KernelParam => &mut [],
            _ => {
                let size = self.local.len() / 32;
                &mut self.local[lane * size..][..size]
            }
        }
    }
}

fn count_traffic<O>(machine: &mut Machine<'_, O>, group: &Group, wish: &Wish) {
    let counters = &mut machine.counters;
    let bytes = u64::from(group.mask.count_ones()) * u64::from(wish.bytes);
    match group.space {
        AddressSpace::Global | AddressSpace::Constant | AddressSpace::Generic => {
            let sectors = match group.mask == ALL_LANES && group.is_dense(wish.bytes) {
                true => bytes.div_ceil(32),
                false => traffic::sectors(&group.addresses, group.mask, wish.bytes),
            };
            if wish.kind != AccessKind::Write {
                counters.global_bytes_read += bytes;
                counters.global_sectors_read += sectors;
                counters.global_loads += u64::from(wish.kind == AccessKind::Read);
            }
            if wish.kind != AccessKind::Read {
                counters.global_bytes_written += bytes;
                counters.global_sectors_written += sectors;
                counters.global_stores += u64::from(wish.kind == AccessKind::Write);
            }
        }
        AddressSpace::Shared => {
            counters.shared_accesses += 1;
            counters.bank_conflicts +=
                traffic::bank_conflicts(&group.addresses, group.mask, wish.bytes);
        }
        AddressSpace::Local => counters.local_bytes += bytes,
        AddressSpace::CallParam | AddressSpace::KernelParam => {}
    }
}

impl Group {
    /// Whether the lanes' elements are adjacent, and the first element starts a sector.
    fn is_dense(&self, bytes: u32) -> bool {
        let first = self.addresses[0];
        let side_by_side = |(lane, &a): (usize, &u64)| a == first + lane as u64 * u64::from(bytes);
        first.is_multiple_of(32) && self.addresses.iter().enumerate().all(side_by_side)
    }
}
