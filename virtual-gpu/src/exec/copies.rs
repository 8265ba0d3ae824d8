//! Asynchronous copies: `cp.async` and `cp.async.bulk`.
//!
//! When a copy *lands*, its source is read and its destination is written. This happens at some time between the copy's issue and the wait
//! for the copy. Before each turn of a warp of the block, a random number, which depends on the seed, decides whether the copy lands. A
//! `wait_group`, `wait_all` or `cp.async.mbarrier.arrive` that covers the copy makes it land, if it has not landed yet. Until that
//! instruction, the copy owns its bytes of shared memory. The race check reports every access that conflicts with the copy, whether the
//! copy has landed or not. A copy that reports to an mbarrier does so when it lands. Suppose that a thread tests the mbarrier with acquire
//! semantics, and finds the phase complete. Then the copy is ordered before the later accesses of this thread, and of threads that are
//! ordered after the test. A conflicting access that is ordered neither before nor after the copy is reported.
//!
//! The remaining copies land when the block ends. Not modelled: a copy that lands in parts, and a copy that has read its source but not yet
//! written. So `wait_group.read` waits for the whole copy.

mod copy;

use self::copy::{Copy, span};
use super::block::{Block, Shared};
use super::machine::{Finding, Machine, Stop};
use super::memory::Group;
use super::warp::Warp;
use crate::checks::Observer;
use crate::fault::{AccessKind, Conflict, FaultKind, Side, Space};
use crate::program::{
    Address, AddressSpace, CopyAsync, Extend, LANES, Mbarrier, Reg, Row, Scope, Strength, Transfer,
    WaitFor, lanes,
};

/// The copies of a block.
#[derive(Debug, Default)]
pub(super) struct Copies {
    list: Vec<Copy>,
    /// The number of groups that each thread has committed: of plain copies, and of bulk copies.
    committed: [Vec<u32>; 2],
    dice: u64,
}

impl Copies {
    pub(super) fn new(threads: u32, seed: u64) -> Self {
        let committed = || vec![0; threads.next_multiple_of(32) as usize];
        Self {
            list: Vec::new(),
            committed: [committed(), committed()],
            // The seed is scrambled, so that neighbouring seeds do not start alike. The state is never zero.
            dice: (seed ^ 0x94d0_49bb_1331_11eb).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// Returns `true` with a probability of one in four.
    fn throw(&mut self) -> bool {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice >> 62 == 0
    }

    /// `commit_group` by these lanes: the copies that each lane has begun since its last group become a new group.
    pub(super) fn commit(&mut self, warp: u32, lanes_of: u32, of: WaitFor) {
        let committed = &mut self.committed[of as usize];
        for lane in lanes(lanes_of) {
            if let Some(count) = committed.get_mut(warp as usize * LANES + lane) {
                *count = count.wrapping_add(1);
            }
        }
    }

    fn committed(&self, warp: u32, lane: usize, kind: usize) -> u32 {
        let index = warp as usize * LANES + lane;
        self.committed[kind].get(index).copied().unwrap_or(0)
    }

    /// A lane whose access conflicts with a copy that was not waited for, and the fault. Copies that report to an mbarrier are skipped: the
    /// observer finds conflicts with them.
    fn conflict<O>(
        &self,
        machine: &Machine<'_, O>,
        block: u64,
        (warp, lanes_of): (u32, u32),
        (kind, bytes): (AccessKind, u32),
        addresses: &Row,
    ) -> Option<(usize, FaultKind)> {
        if self.list.is_empty() {
            return None;
        }
        let (first, last) = span(lanes(lanes_of).map(|lane| (addresses[lane], bytes.into())));
        for copy in &self.list {
            let to_shared = copy.form.to.space == AddressSpace::Shared;
            let own = |lane: usize| copy.own(lane);
            let is_harmless = !to_shared && kind == AccessKind::Read;
            let is_apart = last <= copy.span.0 || copy.span.1 <= first;
            if is_apart || is_harmless || copy.form.mbarrier.is_some() {
                continue;
            }
            for lane in lanes(lanes_of) {
                let overlaps = |owner: &usize| {
                    let (start, length) = own(*owner);
                    addresses[lane] < start.saturating_add(length)
                        && start < addresses[lane] + u64::from(bytes)
                };
                let Some(owner) = lanes(copy.unwaited).find(overlaps) else {
                    continue;
                };
                let side = |access, bytes, thread: u32, place: u32| {
                    let place = &machine.task.program.places[place as usize];
                    Box::new(Side {
                        access,
                        bytes,
                        block,
                        thread,
                        line: place.line,
                        instruction: place.text.clone(),
                    })
                };
                let access = match to_shared {
                    true => AccessKind::Write,
                    false => AccessKind::Read,
                };
                let of_copy = machine.task.program.instructions[copy.pc as usize].place;
                let fault = FaultKind::Race {
                    space: Space::Shared,
                    address: addresses[lane],
                    conflict: Conflict::Unordered,
                    earlier: side(
                        access,
                        own(owner).1 as u32,
                        copy.warp * LANES as u32 + owner as u32,
                        of_copy,
                    ),
                    later: side(
                        kind,
                        bytes,
                        warp * LANES as u32 + lane as u32,
                        machine.place,
                    ),
                };
                return Some((lane, fault));
            }
        }
        None
    }
}

/// An address operand: the address in the register `base`, plus `offset`.
fn at(base: Reg, offset: u64, space: AddressSpace) -> Address {
    Address {
        space,
        base: Some(base),
        offset: offset as i64,
        strength: Strength::Weak,
        scope: Scope::Device,
    }
}

impl Warp {
    /// Fails if an access to shared memory conflicts with a copy that was not waited for and reports to no mbarrier.
    #[inline(always)]
    pub(super) fn check_copies<O>(
        &self,
        machine: &Machine<'_, O>,
        shared: &Shared,
        access: (AccessKind, u32),
        group: &Group,
    ) -> Result<(), Finding> {
        let (copies, block) = (
            &shared.copies,
            shared.index.wrapping_sub(machine.task.first_block),
        );
        let lanes_of = (self.id, group.mask);
        match copies.conflict(machine, block, lanes_of, access, &group.addresses) {
            None => Ok(()),
            Some((lane, kind)) => Err(Finding { kind, lane }),
        }
    }

    /// Begins copies.
    pub(super) fn begin_copies<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        form: &CopyAsync,
        pc: u32,
        active: u32,
    ) -> Result<(), Finding> {
        machine.observer.copies_begin(shared.index, self.id, active);
        let registers = &self.registers;
        let row = |reg: Option<Reg>, default: u64| match reg {
            Some(reg) => *registers.row(reg),
            None => [default; LANES],
        };
        let bytes = *registers.row(form.bytes);
        let mut read = row(form.read, u64::MAX);
        for (read, bytes) in read.iter_mut().zip(bytes) {
            *read = (*read).min(bytes);
        }
        let kind = form.kind as usize;
        let mut copy = Copy {
            form: *form,
            warp: self.id,
            pc,
            in_flight: active,
            unwaited: active,
            from: self.addresses(&form.from),
            to: self.addresses(&form.to),
            bytes,
            read,
            mbarrier: match &form.mbarrier {
                Some(address) => self.addresses(address),
                None => [0; LANES],
            },
            group: std::array::from_fn(|lane| shared.copies.committed(self.id, lane, kind)),
            span: (0, 0),
        };
        copy.span = span(lanes(active).map(|lane| copy.own(lane)));
        machine.counters.copied_lines += copy.joined_lines(active);
        self.check_copy_waited(&copy)?;
        shared.copies.list.push(copy);
        Ok(())
    }

    /// Fails if a lane begins a copy that reads one byte or more, but has not waited for the preceding launches.
    fn check_copy_waited(&self, copy: &Copy) -> Result<(), Finding> {
        let copies_something = |lane: &usize| copy.read[*lane] != 0;
        let Some(lane) = lanes(copy.in_flight & !self.waited).find(copies_something) else {
            return Ok(());
        };
        let (access, address, bytes) = match copy.form.to.space {
            AddressSpace::Shared => (AccessKind::Read, copy.from[lane], copy.read[lane]),
            _ => (AccessKind::Write, copy.to[lane], copy.bytes[lane]),
        };
        let kind = FaultKind::TooEarly {
            access,
            address,
            bytes: bytes as u32,
        };
        Err(Finding { kind, lane })
    }

    /// `wait_group` or `wait_all` by these lanes: lands copies as [`land_groups`](Self::land_groups) does, and orders the lanes after all
    /// their copies that have landed.
    pub(super) fn await_copies<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        which: (WaitFor, Option<u32>),
        active: u32,
    ) -> Result<(), Stop> {
        self.land_groups(machine, shared, which, active)?;
        machine.observer.copies_end(shared.index, self.id, active);
        Ok(())
    }

    /// `cp.async.mbarrier.arrive` by these lanes: lands their plain copies, and then carries out the arrivals at the mbarrier.
    pub(super) fn report_copies<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        mbarrier: &Mbarrier,
        (pc, active): (u32, u32),
    ) -> Result<(), Stop> {
        machine.observer.copies_begin(shared.index, self.id, active);
        self.land_groups(machine, shared, (WaitFor::Plain, None), active)?;
        machine.copier = machine.threads_per_block().div_ceil(32);
        let told = self.mbarrier(machine, shared, mbarrier, active);
        machine.copier = 0;
        told.map_err(|Finding { kind, lane }| self.stop(kind, pc, lane as u32))
    }

    /// Lands copies of the kind `of` that these lanes have begun. If `but` is `None`: all of them. Otherwise: those of the committed
    /// groups, except the latest `but` groups. Skips copies that report to an mbarrier.
    fn land_groups<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        (of, but): (WaitFor, Option<u32>),
        active: u32,
    ) -> Result<(), Stop> {
        let mut copies = std::mem::take(&mut shared.copies);
        let kind = of as usize;
        let limits: [u32; LANES] =
            std::array::from_fn(|lane| copies.committed(self.id, lane, kind));
        let mut outcome = Ok(());
        for copy in &mut copies.list {
            if copy.warp != self.id
                || copy.form.kind as usize != kind
                || copy.form.mbarrier.is_some()
            {
                continue;
            }
            let done = lanes(copy.unwaited & active)
                .filter(|&lane| match but {
                    None => true,
                    Some(but) => limits[lane].saturating_sub(copy.group[lane]) > but,
                })
                .fold(0, |mask, lane| mask | 1 << lane);
            outcome = self.land(machine, shared, copy, done);
            copy.unwaited &= !done;
            if outcome.is_err() {
                break;
            }
        }
        copies.list.retain(|copy| copy.unwaited != 0);
        shared.copies = copies;
        outcome
    }

    /// Of the copies of the lanes in `mask`, carries out those that are still in flight.
    fn land<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        copy: &mut Copy,
        mask: u32,
    ) -> Result<(), Stop> {
        let mask = copy.in_flight & mask;
        if mask == 0 {
            return Ok(());
        }
        copy.in_flight &= !mask;
        let place = machine.task.program.instructions[copy.pc as usize].place;
        machine.observer.at(place);
        machine.place = place;
        machine.copier = machine.threads_per_block().div_ceil(32);
        let landed = self.transfer_copy(machine, shared, copy, mask);
        let reported = landed.and_then(|()| match &copy.form.mbarrier {
            Some(address) => self.complete_bytes(
                machine,
                shared,
                address,
                (&copy.mbarrier, &copy.bytes),
                mask,
            ),
            None => Ok(()),
        });
        machine.copier = 0;
        if copy.form.mbarrier.is_some() {
            copy.unwaited &= !mask;
        }
        reported.map_err(|Finding { kind, lane }| self.stop(kind, copy.pc, lane as u32))
    }

    /// Moves the bytes of the copies of the lanes in `mask`, in pieces of at most 16 bytes.
    fn transfer_copy<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        copy: &Copy,
        mask: u32,
    ) -> Result<(), Finding> {
        let [from, to, low, high, _] = copy.form.scratch;
        self.registers.keep(from, &copy.from, mask);
        self.registers.keep(to, &copy.to, mask);
        let longest = lanes(mask).map(|lane| copy.bytes[lane]).max().unwrap_or(0);
        let piece = longest.min(16);
        let (width, count) = if piece == 16 {
            (8, 2)
        } else {
            (piece as u32, 1)
        };
        let mut offset = 0;
        while offset < longest {
            let within = |length: &Row, bytes: u64| {
                let inside = lanes(mask).filter(|&lane| length[lane] >= offset + bytes);
                inside.fold(0, |mask, lane| mask | 1 << lane)
            };
            let all = within(&copy.bytes, piece);
            let full = within(&copy.read, piece) & all;
            let transfer = |base, space, data| Transfer {
                address: at(base, offset, space),
                width,
                count,
                extend: Extend::Zero,
                data,
            };
            let data = [low, high, low, low];
            self.clear::<O>([low, high], all & !full);
            if full != 0 {
                let load = transfer(from, copy.form.from.space, data);
                self.load(machine, shared, &load, full)?;
            }
            self.read_start(machine, shared, copy, (offset, piece), all & !full)?;
            let store = transfer(to, copy.form.to.space, data);
            self.store(machine, shared, &store, all)?;
            offset += piece;
        }
        Ok(())
    }

    /// Sets registers to zero.
    fn clear<O: Observer>(&mut self, data: [Reg; 2], mask: u32) {
        for reg in data {
            self.registers.keep(reg, &[0; LANES], mask);
            if O::WATCHES {
                self.undefined.define(reg, mask);
            }
        }
    }

    /// For each lane, reads those bytes of a piece that come from the source, byte by byte.
    fn read_start<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        copy: &Copy,
        (offset, piece): (u64, u64),
        mask: u32,
    ) -> Result<(), Finding> {
        let [from, _, low, high, byte] = copy.form.scratch;
        for k in 0..piece {
            let reads = lanes(mask).filter(|&lane| copy.read[lane] > offset + k);
            let reads = reads.fold(0, |mask, lane| mask | 1 << lane);
            if reads == 0 {
                break;
            }
            let load = Transfer {
                address: at(from, offset + k, copy.form.from.space),
                width: 1,
                count: 1,
                extend: Extend::Zero,
                data: [byte; 4],
            };
            self.load(machine, shared, &load, reads)?;
            let (d, shift) = if k < 8 {
                (low, 8 * k)
            } else {
                (high, 8 * (k - 8))
            };
            let (bytes, mut row) = (*self.registers.row(byte), *self.registers.row(d));
            for lane in lanes(reads) {
                row[lane] |= bytes[lane] << shift;
            }
            self.registers.keep(d, &row, reads);
        }
        Ok(())
    }
}

impl Block {
    /// If the block has ended, lands all copies. Otherwise, lands a random selection of the copies.
    pub(super) fn land_copies<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
    ) -> Result<(), Stop> {
        if self.shared.copies.list.is_empty() {
            return Ok(());
        }
        let ended = self.is_finished();
        let mut copies = std::mem::take(&mut self.shared.copies);
        let mut list = std::mem::take(&mut copies.list);
        let mut outcome = Ok(());
        for copy in &mut list {
            if ended || copies.throw() {
                let warp = &mut self.warps[copy.warp as usize];
                outcome = warp.land(machine, &mut self.shared, copy, u32::MAX);
            }
            if outcome.is_err() {
                break;
            }
        }
        list.retain(|copy| copy.unwaited != 0 && !ended);
        copies.list = list;
        self.shared.copies = copies;
        outcome
    }
}
