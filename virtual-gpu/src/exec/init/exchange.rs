//! Propagates undefinedness through instructions that lanes execute together.

use crate::checks::{DEFINED, Origin};
use crate::exec::sync::source_lane;
use crate::exec::warp::Warp;
use crate::program::{ALL_LANES, Instruction, Op, Reg, Shuffle, VoteMode, lanes};

impl Warp {
    /// Propagates undefinedness through an instruction that these lanes are about to execute together.
    pub(in crate::exec) fn spread_exchange(&mut self, instruction: &Instruction, mask: u32) {
        match &instruction.op {
            Op::Shuffle(shuffle) => self.spread_shuffle(shuffle, mask),
            Op::Vote { mode, d, p, .. } => {
                let unsure = self.undefined.predicate(*p) & mask;
                let holds = self.registers.predicate(*p) & mask & !unsure;
                let fails = mask & !unsure & !holds;
                let certain = match mode {
                    VoteMode::All => fails != 0,
                    VoteMode::Any => holds != 0,
                    VoteMode::Uniform => holds != 0 && fails != 0,
                };
                let unsure = if certain || unsure == 0 { 0 } else { ALL_LANES };
                let origin = self.undefined.predicate_origin(*p);
                self.undefined.set_predicate(*d, unsure, mask, origin);
            }
            Op::Ballot { d, p, .. } => {
                let unsure = self.undefined.predicate(*p) & mask;
                let mut found = DEFINED;
                for (byte, unsure) in found.iter_mut().zip(unsure.to_le_bytes()) {
                    *byte = if unsure == 0 { 0 } else { ALL_LANES };
                }
                let origin = self.undefined.predicate_origin(*p);
                self.undefined.set(*d, &found, mask, origin);
            }
            Op::MatchAny { d, a, .. } | Op::Reduce { d, a, .. } => {
                let found = self.any_lane(*a, mask);
                let origin = self.undefined.origin(*a);
                self.undefined.set(*d, &[found; 8], mask, origin);
            }
            Op::MatchAll { d, p, a, .. } => {
                let found = self.any_lane(*a, mask);
                let origin = self.undefined.origin(*a);
                self.undefined.set(*d, &[found; 8], mask, origin);
                if let Some(p) = p {
                    self.undefined.set_predicate(*p, found, mask, origin);
                }
            }
            Op::Elect { d, p, .. } => {
                self.undefined.set_predicate(*p, 0, mask, Origin::Register);
                if let Some(d) = d {
                    self.undefined.define(*d, mask);
                }
            }
            // The other instructions that lanes execute together have no result.
            _ => {}
        }
    }

    /// All lanes if the register is undefined in any lane of the mask, otherwise no lanes.
    fn any_lane(&self, a: Reg, mask: u32) -> u32 {
        match self.undefined.lanes(a) & mask {
            0 => 0,
            _ => ALL_LANES,
        }
    }

    fn spread_shuffle(&mut self, shuffle: &Shuffle, mask: u32) {
        let [a, b, c] = [shuffle.a, shuffle.b, shuffle.c];
        let blind = self.undefined.lanes(b) | self.undefined.lanes(c);
        let of_a = self.undefined.row(a);
        let mut found = [blind; 8];
        if of_a.iter().any(|byte| byte & ALL_LANES != 0) {
            let (sources, clamps) = (self.registers.row(b), self.registers.row(c));
            for lane in lanes(mask) {
                let (b, c) = (sources[lane], clamps[lane]);
                let (source, inside) = source_lane(shuffle.mode, lane as u32, b, c);
                let from = if inside { source as usize & 31 } else { lane };
                for (byte, of_a) in found.iter_mut().zip(of_a) {
                    *byte |= (of_a >> from & 1) << lane;
                }
            }
        }
        let origin = match blind & mask {
            0 => self.undefined.origin(a),
            _ => self.first_origin(&[b, c], mask),
        };
        self.undefined.set(shuffle.d, &found, mask, origin);
        if let Some(p) = shuffle.in_range {
            self.undefined.set_predicate(p, blind, mask, origin);
        }
    }
}
