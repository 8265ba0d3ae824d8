//! Propagates undefinedness from an instruction's operands to its results.

use super::sample::sample;
use crate::checks::{ByteMasks, DEFINED, Origin};
use crate::exec::machine::{Finding, Machine};
use crate::exec::warp::Warp;
use crate::program::{
    Barrier, BarrierKind, Instruction, Logic, Op, Pred, PredSource, Reg, Registers, Relate,
};

impl Warp {
    /// Propagates undefinedness through an instruction that some lanes are about to execute. If the instruction is a load, a store or an
    /// atomic operation, only the addresses are checked here. `memory` does the rest.
    #[inline(always)]
    pub(in crate::exec) fn spread<O>(
        &mut self,
        machine: &Machine<'_, O>,
        instruction: &Instruction,
        active: u32,
    ) -> Result<(), Finding> {
        match &instruction.op {
            Op::Map1 { f, d, a } => {
                self.map([*d], &[*a], active, |r| f(r, *d, *a, active));
            }
            Op::Map2 { f, d, s } => {
                self.map([*d], s, active, |r| f(r, *d, *s, active));
            }
            Op::Map3 { f, d, s } => {
                self.map([*d], s, active, |r| f(r, *d, *s, active));
            }
            Op::Map4 { f, d, s } => {
                self.map([*d], s, active, |r| f(r, *d, *s, active));
            }
            Op::MapPair { f, d, s } => {
                self.map(*d, s, active, |r| f(r, *d, *s, active));
            }
            Op::Compare {
                f,
                s,
                d,
                inverse,
                with,
            } => self.spread_compare(*f, *s, [*d, *inverse], *with, active),
            Op::Logic { f, d, a, b } => {
                let value = self.registers.predicate(*a);
                let unsure = self.undefined.predicate(*a);
                let origin = self.undefined.predicate_origin(*a);
                self.combine(*d, Some((*f, *b)), (value, unsure), origin, active);
            }
            Op::Select { d, a, b, p } => self.spread_select(*d, [*a, *b], *p, active),
            Op::Pack {
                d,
                parts,
                count,
                part_bits,
            } => self.spread_pack(*d, &parts[..*count as usize], *part_bits, active),
            Op::Unpack { d, a, part_bits } => self.spread_unpack(d, *a, *part_bits, active),
            Op::Special { d, .. } | Op::ActiveMask { d } => self.undefined.define(*d, active),
            Op::IsSpace { d, a, .. } => {
                let (unsure, origin) = (self.undefined.lanes(*a), self.undefined.origin(*a));
                self.undefined.set_predicate(*d, unsure, active, origin);
            }
            Op::Load(transfer) | Op::Store(transfer) => {
                return self.check_address(machine, &transfer.address, active);
            }
            Op::Atomic(atomic) => return self.check_address(machine, &atomic.address, active),
            Op::Barrier(barrier) => return self.spread_barrier(machine, barrier, active),
            Op::Exchange(exchange) => {
                return self.check_address(machine, &exchange.address, active);
            }
            Op::Print(_)
            | Op::ParameterBuffer(_)
            | Op::LaunchGrid(_)
            | Op::CopyAsync(_)
            | Op::Mbarrier(_)
            | Op::CopyReport(_) => return self.spread_service(machine, &instruction.op, active),
            Op::CopyCommit(_)
            | Op::CopyWait { .. }
            | Op::Fence { .. }
            | Op::AwaitLaunches
            | Op::Nothing
            | Op::Branch { .. }
            | Op::Switch { .. }
            | Op::Exit
            | Op::Trap
            | Op::AssertFails { .. }
            | Op::Yield
            | Op::WarpBarrier { .. } => {}
            Op::Shuffle(_)
            | Op::Vote { .. }
            | Op::Ballot { .. }
            | Op::MatchAny { .. }
            | Op::MatchAll { .. }
            | Op::Reduce { .. }
            | Op::Elect { .. } => {}
        }
        Ok(())
    }

    /// For a print, a launch of a grid, an asynchronous copy or an mbarrier instruction: fails if an operand is undefined, and marks the
    /// results as defined.
    fn spread_service<O>(
        &mut self,
        machine: &Machine<'_, O>,
        op: &Op,
        active: u32,
    ) -> Result<(), Finding> {
        match op {
            Op::Print(print) => {
                for address in [print.format, print.values] {
                    self.check_register(machine, "what is printed", address, active)?;
                }
                self.undefined.define(print.d, active);
            }
            Op::ParameterBuffer(wish) => {
                let sizes = wish.grid.iter().chain(&wish.block).copied();
                for what in sizes.chain([wish.kernel, wish.shared_bytes]) {
                    self.check_register(machine, "what is launched", what, active)?;
                }
                self.undefined.define(wish.d, active);
            }
            Op::LaunchGrid(launch) => {
                for what in [launch.buffer, launch.stream] {
                    self.check_register(machine, "what is launched", what, active)?;
                }
                self.undefined.define(launch.d, active);
            }
            Op::CopyAsync(form) => {
                let addresses = [Some(&form.to), Some(&form.from), form.mbarrier.as_ref()];
                for address in addresses.into_iter().flatten() {
                    self.check_address(machine, address, active)?;
                }
                for size in [Some(form.bytes), form.read].into_iter().flatten() {
                    self.check_register(machine, "how much is copied", size, active)?;
                }
            }
            Op::Mbarrier(mbarrier) | Op::CopyReport(mbarrier) => {
                self.check_address(machine, &mbarrier.address, active)?;
                let what = "what the mbarrier is told";
                self.check_register(machine, what, mbarrier.operand, active)?;
                if let Some(d) = mbarrier.d {
                    self.undefined.define(d, active);
                }
                if let Some(p) = mbarrier.p {
                    self.undefined.set_predicate(p, 0, active, Origin::Register);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Propagates undefinedness through a comparison. Its outcome is undefined in the lanes where an operand is undefined.
    #[inline(always)]
    fn spread_compare(
        &mut self,
        f: Relate,
        s: [Reg; 2],
        [d, inverse]: [Option<Pred>; 2],
        with: Option<(Logic, PredSource)>,
        active: u32,
    ) {
        let unsure = self.undefined.lanes(s[0]) | self.undefined.lanes(s[1]);
        let holds = match unsure {
            0 => 0,
            _ => f(&self.registers, s),
        };
        let origin = self.first_origin(&s, active);
        for (d, holds) in [(d, holds), (inverse, !holds)] {
            if let Some(d) = d {
                self.combine(d, with, (holds, unsure), origin, active);
            }
        }
    }

    /// Propagates undefinedness through a selection. In lanes with an undefined predicate, the whole result is undefined. In other lanes
    /// the result has the undefined bytes of the chosen value.
    #[inline(always)]
    fn spread_select(&mut self, d: Reg, [a, b]: [Reg; 2], p: PredSource, active: u32) {
        let chosen = self.registers.predicate(p);
        let unsure = self.undefined.predicate(p);
        let (of_a, of_b) = (self.undefined.row(a), self.undefined.row(b));
        let byte = |k: usize| unsure | chosen & of_a[k] | !chosen & of_b[k];
        let found: ByteMasks = std::array::from_fn(byte);
        let origin = match unsure & active {
            0 => self.first_origin(&[a, b], active),
            _ => self.undefined.predicate_origin(p),
        };
        self.undefined.set(d, &found, active, origin);
    }

    #[inline(always)]
    fn spread_pack(&mut self, d: Reg, parts: &[Reg], part_bits: u32, active: u32) {
        let part_bytes = part_bits as usize / 8;
        let mut found = DEFINED;
        for (part, bytes) in parts.iter().zip(found.chunks_mut(part_bytes.max(1))) {
            bytes.copy_from_slice(&self.undefined.row(*part)[..bytes.len()]);
        }
        let origin = self.first_origin(parts, active);
        self.undefined.set(d, &found, active, origin);
    }

    #[inline(always)]
    fn spread_unpack(&mut self, parts: &[Option<Reg>], a: Reg, part_bits: u32, active: u32) {
        let part_bytes = part_bits as usize / 8;
        let (whole, origin) = (*self.undefined.row(a), self.undefined.origin(a));
        for (part, bytes) in parts.iter().zip(whole.chunks(part_bytes.max(1))) {
            if let Some(part) = part {
                let mut found = DEFINED;
                found[..bytes.len()].copy_from_slice(bytes);
                self.undefined.set(*part, &found, active, origin);
            }
        }
    }

    /// Propagates undefinedness through `run`, a function from the sources to the results.
    #[inline(always)]
    fn map<const RESULTS: usize>(
        &mut self,
        results: [Reg; RESULTS],
        sources: &[Reg],
        active: u32,
        run: impl Fn(&mut Registers),
    ) {
        let lanes_of = |source: &Reg| self.undefined.lanes(*source);
        let unsure = active
            & sources
                .iter()
                .map(lanes_of)
                .fold(0, |any, lanes| any | lanes);
        if unsure == 0 {
            for d in results {
                self.undefined.define(d, active);
            }
            return;
        }
        let origin = self.first_origin(sources, active);
        let registers = &mut self.registers;
        let found = sample(registers, &self.undefined, results, sources, unsure, run);
        for (d, found) in results.into_iter().zip(found) {
            self.undefined.set(d, &found, active, origin);
        }
    }

    /// Records the lanes in which the predicate `d` becomes undefined. If `with` names another predicate, `d` is `value` combined with that
    /// predicate. Then `d` is undefined in the lanes where an undefined input can change the result.
    fn combine(
        &mut self,
        d: Pred,
        with: Option<(Logic, PredSource)>,
        (value, unsure): (u32, u32),
        origin: Origin,
        active: u32,
    ) {
        let Some((f, other)) = with else {
            self.undefined.set_predicate(d, unsure, active, origin);
            return;
        };
        let other_unsure = self.undefined.predicate(other);
        if (unsure | other_unsure) & active == 0 {
            self.undefined.set_predicate(d, 0, active, origin);
            return;
        }
        let other_value = self.registers.predicate(other);
        let (flipped, other_flipped) = (value ^ unsure, other_value ^ other_unsure);
        let first = f(value, other_value);
        let differs = (f(flipped, other_value) ^ first)
            | (f(value, other_flipped) ^ first)
            | (f(flipped, other_flipped) ^ first);
        let origin = match unsure & active {
            0 => self.undefined.predicate_origin(other),
            _ => origin,
        };
        self.undefined.set_predicate(d, differs, active, origin);
    }

    /// The origin of the first undefined register among the sources.
    pub(super) fn first_origin(&self, sources: &[Reg], active: u32) -> Origin {
        let unsure = |source: &&Reg| self.undefined.lanes(**source) & active != 0;
        let first = sources.iter().find(unsure);
        first.map_or(Origin::Register, |source| self.undefined.origin(*source))
    }

    fn spread_barrier<O>(
        &mut self,
        machine: &Machine<'_, O>,
        barrier: &Barrier,
        active: u32,
    ) -> Result<(), Finding> {
        self.check_register(machine, "the barrier's number", barrier.number, active)?;
        if let Some(threads) = barrier.threads {
            self.check_register(machine, "the barrier's count", threads, active)?;
        }
        let unsure = self.undefined.predicate(barrier.predicate) & active;
        if unsure != 0 {
            let origin = self.undefined.predicate_origin(barrier.predicate);
            let what = "the barrier's predicate";
            return Err(super::decided(machine.task.program, what, unsure, origin));
        }
        match barrier.kind {
            BarrierKind::Count(d) => self.undefined.define(d, active),
            BarrierKind::All(d) | BarrierKind::Any(d) => {
                self.undefined.set_predicate(d, 0, active, Origin::Register);
            }
            BarrierKind::Sync | BarrierKind::Arrive => {}
        }
        Ok(())
    }

    /// Fails if the member mask of an instruction is undefined.
    pub(in crate::exec) fn check_members<O>(
        &self,
        machine: &Machine<'_, O>,
        members: Option<Reg>,
        active: u32,
    ) -> Result<(), Finding> {
        match members {
            Some(members) => self.check_register(machine, "the member mask", members, active),
            None => Ok(()),
        }
    }
}
