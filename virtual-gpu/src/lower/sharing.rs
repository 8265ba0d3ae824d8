//! Lets registers share rows: a text names many registers, of which a thread needs few at a time.
//!
//! A register is *live* at an instruction if the instruction names it, or if a later instruction may read a value that was there before. A
//! register needs its row from the first to the last instruction at which it is live, in the order of the text. Two registers share a row
//! if these ranges are disjoint. So a program finds the same values in its registers as with a row for each register. In particular, a
//! register that may be read before it is written is live at the first instruction, so nothing else was in its row.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::order::Graph;
use crate::program::{CONSTANT, Instruction, PredSource, Reg, Role};

/// A kernel with more than this number of words in the sets of one kind keeps a row for each register.
const MOST_WORDS: usize = 1 << 20;

/// Renumbers the registers of a program. Returns the number of rows that it needs.
pub(super) fn share_rows(code: &mut [Instruction], graph: &Graph, register_count: u32) -> u32 {
    let words = (register_count as usize).div_ceil(64);
    if words * graph.len() > MOST_WORDS {
        return register_count;
    }
    let mut registers = Registers::new(register_count as usize, code.len());
    registers.gather(code);
    registers.extend_over_blocks(code, graph, words);
    let (rows, count) = registers.assign();
    for instruction in code {
        instruction.op.each_register(|reg, _| {
            if reg.0 & CONSTANT == 0 {
                reg.0 = rows.get(reg.0 as usize).copied().unwrap_or(0);
            }
        });
    }
    count
}

/// What is known of each register.
struct Registers {
    /// The first and the last instruction at which it is live. The first is greater than the last if it is never live.
    ranges: Vec<(u32, u32)>,
    /// The number of the landing register.
    landings: Vec<Option<usize>>,
    end: u32,
}

impl Registers {
    fn new(count: usize, code_len: usize) -> Self {
        Self {
            ranges: vec![(u32::MAX, 0); count],
            landings: vec![None; count],
            end: code_len as u32,
        }
    }

    fn include(&mut self, register: usize, at: usize) {
        let (first, last) = &mut self.ranges[register];
        *first = (*first).min(at as u32);
        *last = (*last).max(at as u32);
    }

    /// Includes the instructions that name a register.
    fn gather(&mut self, code: &mut [Instruction]) {
        let end = self.end as usize;
        for (at, instruction) in code.iter_mut().enumerate() {
            each_register(instruction, |register, role| match role {
                Role::Source | Role::Result => self.include(register, at),
                Role::SharedSource => {
                    self.include(register, 0);
                    self.include(register, end);
                }
                Role::Landing(number) => self.landings[register] = Some(number),
                Role::Filler => {}
            });
        }
    }

    /// Includes the first or the last instruction of each basic block if the register's value is needed from before or after this block.
    fn extend_over_blocks(&mut self, code: &mut [Instruction], graph: &Graph, words: usize) {
        let count = graph.len();
        let (mut needed, mut written) = (Sets::new(count, words), Sets::new(count, words));
        for block in 0..count {
            for instruction in &mut code[graph.extent(block)] {
                let certain = instruction.guard == PredSource::TRUE;
                each_register(instruction, |register, role| match role {
                    Role::Source | Role::SharedSource if !written.has(block, register) => {
                        needed.add(block, register);
                    }
                    Role::Result if certain => written.add(block, register),
                    _ => {}
                });
            }
        }
        let mut after = Sets::new(count, words);
        let mut before = needed.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..count).rev() {
                for &next in graph.successors(block) {
                    after.join(block, before.of(next));
                }
                let new = after.of(block).iter().zip(written.of(block));
                let new: Vec<u64> = new.map(|(after, written)| after & !written).collect();
                changed |= before.join(block, &new);
            }
        }
        for block in 0..count {
            let extent = graph.extent(block);
            before.each(block, |register| self.include(register, extent.start));
            after.each(block, |register| self.include(register, extent.end - 1));
        }
    }

    /// A row for each register, and the number of rows.
    fn assign(&self) -> (Vec<u32>, u32) {
        let landings = self
            .landings
            .iter()
            .flatten()
            .max()
            .map_or(0, |most| most + 1) as u32;
        let mut count = landings;
        let mut rows = vec![0; self.ranges.len()];
        let mut order: Vec<usize> = (0..self.ranges.len()).collect();
        order.sort_by_key(|&register| self.ranges[register].0);
        let mut free = BinaryHeap::new();
        let mut taken = BinaryHeap::new();
        for register in order {
            let (first, last) = self.ranges[register];
            if let Some(number) = self.landings[register] {
                rows[register] = number as u32;
                continue;
            }
            if first > last {
                continue;
            }
            while let Some(&Reverse((end, row))) = taken.peek()
                && end < first
            {
                taken.pop();
                free.push(Reverse(row));
            }
            let row = match free.pop() {
                Some(Reverse(row)) => row,
                None => {
                    count += 1;
                    count - 1
                }
            };
            taken.push(Reverse((last, row)));
            rows[register] = row;
        }
        // A register that nothing uses has row 0, so there must be such a row.
        (rows, count.max(self.ranges.len().min(1) as u32))
    }
}

/// Calls `f` with each register of an instruction that is not a constant. The results come last.
fn each_register(instruction: &mut Instruction, mut f: impl FnMut(usize, Role)) {
    instruction.op.each_register(|&mut Reg(number), role| {
        if number & CONSTANT == 0 {
            f(number as usize, role);
        }
    });
}

/// A set of registers for each basic block.
#[derive(Clone)]
struct Sets {
    bits: Vec<u64>,
    words: usize,
}

impl Sets {
    fn new(count: usize, words: usize) -> Self {
        Self {
            bits: vec![0; count * words],
            words,
        }
    }

    fn of(&self, block: usize) -> &[u64] {
        &self.bits[block * self.words..][..self.words]
    }

    fn has(&self, block: usize, register: usize) -> bool {
        self.of(block)[register / 64] >> (register % 64) & 1 == 1
    }

    fn add(&mut self, block: usize, register: usize) {
        self.bits[block * self.words + register / 64] |= 1 << (register % 64);
    }

    /// Adds registers to a block's set. Returns whether the set has grown.
    fn join(&mut self, block: usize, other: &[u64]) -> bool {
        let mut grown = 0;
        for (mine, theirs) in self.bits[block * self.words..].iter_mut().zip(other) {
            grown |= theirs & !*mine;
            *mine |= theirs;
        }
        grown != 0
    }

    fn each(&self, block: usize, mut f: impl FnMut(usize)) {
        for (word, &bits) in self.of(block).iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                f(word * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::DeviceConfig;
    use crate::memory::Memory;
    use crate::module::Module;

    /// The registers of a kernel's text, and the rows of its program.
    fn registers_and_rows(body: &str) -> (u32, u32) {
        let text = format!(
            ".version 8.0 .target sm_80 .address_size 64
            .entry k(.param .u64 p) {{ .reg .b32 %r<100>; .reg .pred %p<9>; {body} ret; }}"
        );
        let device = DeviceConfig::default();
        let memory = Memory::new(device.memory_bytes);
        let module = Module::load(&text, &device, &memory).unwrap();
        let program = module.kernel("k").unwrap().program();
        (program.register_count, program.row_count)
    }

    #[test]
    fn registers_that_are_needed_one_after_the_other_share_rows() {
        let step = |k: u32| format!("add.u32 %r{k}, %r{}, 1;", k - 1);
        let body: String = (2..20).map(step).collect();
        assert_eq!(
            registers_and_rows(&format!("mov.u32 %r1, 0; {body}")),
            (19, 2)
        );
        // Nothing writes the first register, so its row has nothing else before it is read.
        let body = format!("mov.u32 %r50, 0; mov.u32 %r51, %r50; {body}");
        assert_eq!(registers_and_rows(&body), (21, 3));
    }

    #[test]
    fn a_register_keeps_its_row_in_a_loop() {
        // At the end of the loop, the second register is read no more, but the loop begins again.
        let body = "mov.u32 %r1, 0; mov.u32 %r2, 7;
            L: add.u32 %r1, %r1, %r2; mov.u32 %r3, 5; setp.lt.u32 %p1, %r1, %r3; @%p1 bra L;";
        assert_eq!(registers_and_rows(body), (3, 3));
        // A guarded instruction may leave the earlier value.
        let body = "mov.u32 %r1, 0; setp.lt.u32 %p1, %r1, 5; mov.u32 %r2, 1; mov.u32 %r3, %r2;
            @%p1 mov.u32 %r4, 1; mov.u32 %r5, %r4;";
        assert_eq!(registers_and_rows(body), (5, 3));
    }

    #[test]
    fn what_a_shuffle_reads_keeps_its_row() {
        let body = "mov.u32 %r1, 0; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;
            mov.u32 %r3, 1; mov.u32 %r4, %r3;";
        assert_eq!(registers_and_rows(body), (4, 3));
    }
}
