//! The registers that an operation names, each with the role that it has.

use super::{
    Address, BarrierKind, CopyAsync, Exchange, LaunchGrid, Mbarrier, Op, ParameterBuffer, Print,
    Reg, Shuffle, Transfer,
};

/// What an operation does with a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Reads it in the lanes that execute the operation.
    Source,
    /// May read it in other lanes too.
    SharedSource,
    /// Writes it in all lanes that execute the operation, after it has read its sources.
    Result,
    /// Uses it at any time after the operation, and keeps nothing there. An operation has at most one register with a given number.
    Landing(usize),
    /// Does not use it.
    Filler,
}

impl Op {
    /// Calls `f` with each register. A constant is given too.
    pub(crate) fn each_register(&mut self, mut f: impl FnMut(&mut Reg, Role)) {
        let f: &mut dyn FnMut(&mut Reg, Role) = &mut f;
        match self {
            Op::Map1 { f: _, d, a } => of_map(f, std::slice::from_mut(d), [a]),
            Op::Map2 { f: _, d, s } => of_map(f, std::slice::from_mut(d), s),
            Op::Map3 { f: _, d, s } => of_map(f, std::slice::from_mut(d), s),
            Op::Map4 { f: _, d, s } => of_map(f, std::slice::from_mut(d), s),
            Op::MapPair { f: _, d, s } => of_map(f, d, s),
            Op::Compare { s, .. } => of_map(f, &mut [], s),
            Op::Select { d, a, b, p: _ } => of_map(f, std::slice::from_mut(d), [a, b]),
            Op::Pack {
                d,
                parts,
                count,
                part_bits: _,
            } => {
                let (parts, fillers) = parts.split_at_mut(*count as usize);
                of_map(f, std::slice::from_mut(d), parts);
                fillers.iter_mut().for_each(|reg| f(reg, Role::Filler));
            }
            Op::Unpack { d, a, part_bits: _ } => {
                f(a, Role::Source);
                d.iter_mut().flatten().for_each(|d| f(d, Role::Result));
            }
            Op::Special { d, which: _ } | Op::ActiveMask { d } => f(d, Role::Result),
            Op::Load(transfer) => transfer.each_register(f, Role::Result),
            Op::Store(transfer) => transfer.each_register(f, Role::Source),
            Op::Atomic(atomic) => {
                of_address(f, &mut atomic.address);
                f(&mut atomic.b, Role::Source);
                f(&mut atomic.c, Role::Source);
                atomic.d.iter_mut().for_each(|d| f(d, Role::Result));
            }
            Op::Exchange(exchange) => exchange.each_register(f),
            Op::CopyAsync(copy) => copy.each_register(f),
            Op::Mbarrier(mbarrier) | Op::CopyReport(mbarrier) => mbarrier.each_register(f),
            Op::IsSpace { d: _, a, space: _ } => f(a, Role::Source),
            Op::Switch { index, targets: _ } => f(index, Role::Source),
            Op::Print(Print { format, values, d }) => {
                of_map(f, std::slice::from_mut(d), [format, values]);
            }
            Op::ParameterBuffer(wish) => wish.each_register(f),
            Op::LaunchGrid(LaunchGrid { buffer, stream, d }) => {
                of_map(f, std::slice::from_mut(d), [buffer, stream]);
            }
            Op::AssertFails {
                message,
                file,
                line,
                function,
            } => of_map(f, &mut [], [message, file, line, function]),
            Op::Shuffle(shuffle) => shuffle.each_register(f),
            Op::Vote { members, .. } | Op::WarpBarrier { members } => f(members, Role::Source),
            Op::Ballot { d, p: _, members } => of_map(f, std::slice::from_mut(d), [members]),
            Op::MatchAny { d, a, members }
            | Op::MatchAll {
                d,
                p: _,
                a,
                members,
                ..
            }
            | Op::Reduce {
                f: _,
                d,
                a,
                members,
                ..
            } => of_map(f, std::slice::from_mut(d), [a, members]),
            Op::Elect { d, p: _, members } => {
                of_map(f, d.as_mut_slice(), [members]);
            }
            Op::Barrier(barrier) => {
                f(&mut barrier.number, Role::Source);
                let threads = barrier.threads.iter_mut();
                threads.for_each(|threads| f(threads, Role::Source));
                if let BarrierKind::Count(d) = &mut barrier.kind {
                    f(d, Role::Result);
                }
            }
            Op::Logic { .. }
            | Op::CopyCommit(_)
            | Op::CopyWait { .. }
            | Op::Fence { .. }
            | Op::Nothing
            | Op::Branch { .. }
            | Op::Exit
            | Op::Trap
            | Op::Yield
            | Op::AwaitLaunches => {}
        }
    }
}

fn of_map<'r>(
    f: &mut dyn FnMut(&mut Reg, Role),
    results: &mut [Reg],
    sources: impl IntoIterator<Item = &'r mut Reg>,
) {
    sources.into_iter().for_each(|reg| f(reg, Role::Source));
    results.iter_mut().for_each(|reg| f(reg, Role::Result));
}

fn of_address(f: &mut dyn FnMut(&mut Reg, Role), address: &mut Address) {
    address.base.iter_mut().for_each(|reg| f(reg, Role::Source));
}

impl Transfer {
    fn each_register(&mut self, f: &mut dyn FnMut(&mut Reg, Role), role: Role) {
        of_address(f, &mut self.address);
        let (data, fillers) = self.data.split_at_mut(self.count as usize);
        data.iter_mut().for_each(|reg| f(reg, role));
        fillers.iter_mut().for_each(|reg| f(reg, Role::Filler));
    }
}

impl Exchange {
    fn each_register(&mut self, f: &mut dyn FnMut(&mut Reg, Role)) {
        of_address(f, &mut self.address);
        let expected = self.expected.iter_mut().flatten();
        let sources = self.new.iter_mut().chain(expected);
        sources.for_each(|reg| f(reg, Role::Source));
        let results = self.d.iter_mut().chain(&mut self.scratch);
        results.for_each(|reg| f(reg, Role::Result));
    }
}

impl CopyAsync {
    fn each_register(&mut self, f: &mut dyn FnMut(&mut Reg, Role)) {
        let addresses = [&mut self.to, &mut self.from];
        for address in addresses.into_iter().chain(&mut self.mbarrier) {
            of_address(f, address);
        }
        f(&mut self.bytes, Role::Source);
        self.read.iter_mut().for_each(|reg| f(reg, Role::Source));
        for (number, reg) in self.scratch.iter_mut().enumerate() {
            f(reg, Role::Landing(number));
        }
    }
}

impl Mbarrier {
    fn each_register(&mut self, f: &mut dyn FnMut(&mut Reg, Role)) {
        of_address(f, &mut self.address);
        f(&mut self.operand, Role::Source);
        self.d.iter_mut().for_each(|d| f(d, Role::Result));
    }
}

impl ParameterBuffer {
    fn each_register(&mut self, f: &mut dyn FnMut(&mut Reg, Role)) {
        f(&mut self.kernel, Role::Source);
        let sizes = self.grid.iter_mut().chain(&mut self.block);
        sizes.for_each(|reg| f(reg, Role::Source));
        f(&mut self.shared_bytes, Role::Source);
        f(&mut self.d, Role::Result);
    }
}

impl Shuffle {
    fn each_register(&mut self, f: &mut dyn FnMut(&mut Reg, Role)) {
        f(&mut self.a, Role::SharedSource);
        for reg in [&mut self.b, &mut self.c, &mut self.members] {
            f(reg, Role::Source);
        }
        f(&mut self.d, Role::Result);
    }
}
