//! The registers of one warp: rows of 32 slots, and a mask of lanes for each predicate. Registers that are not needed at the same time
//! share a row. Also the loops that compute rows.
//!
//! The loops always compute all 32 lanes, because such a loop is vectorised. They store only the lanes in the mask.

use std::sync::Arc;

use super::{ALL_LANES, CONSTANT, LANES, Pred, PredSource, Reg, Row};
use crate::alu::Value;

#[derive(Debug)]
pub(crate) struct Registers {
    /// All rows, one after the other. In contrast to a slice of rows, a slice of numbers is zeroed without a loop.
    slots: Box<[u64]>,
    constants: Arc<[Row]>,
    predicates: Box<[u32]>,
}

impl Registers {
    pub(crate) fn new(register_count: u32, predicate_count: u32, constants: Arc<[Row]>) -> Self {
        let mut predicates = vec![0; predicate_count as usize].into_boxed_slice();
        predicates[0] = ALL_LANES;
        Self {
            slots: vec![0; LANES * register_count as usize].into_boxed_slice(),
            constants,
            predicates,
        }
    }

    #[inline(always)]
    pub(crate) fn row(&self, reg: Reg) -> &Row {
        match reg.0 & CONSTANT {
            0 => &self.slots.as_chunks().0[reg.0 as usize],
            _ => &self.constants[(reg.0 & !CONSTANT) as usize],
        }
    }

    /// The row of a register, for writing. Constants are never written.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, reg: Reg) -> &mut Row {
        &mut self.slots.as_chunks_mut().0[reg.0 as usize]
    }

    #[inline(always)]
    pub(crate) fn keep(&mut self, d: Reg, values: &Row, mask: u32) {
        let row = self.row_mut(d);
        match mask {
            ALL_LANES => *row = *values,
            _ => keep_some(row, values, mask),
        }
    }

    #[inline(always)]
    pub(crate) fn predicate(&self, source: PredSource) -> u32 {
        self.predicates[source.pred.0 as usize] ^ source.flip
    }

    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, d: Pred, value: u32, mask: u32) {
        let old = &mut self.predicates[d.0 as usize];
        *old = *old & !mask | value & mask;
    }

    #[inline(always)]
    pub(crate) fn map1<A: Value, R: Value>(
        &mut self,
        d: Reg,
        a: Reg,
        mask: u32,
        f: impl Fn(A) -> R,
    ) {
        let a = self.row(a);
        let mut out = [0; LANES];
        for lane in 0..LANES {
            out[lane] = f(A::from_slot(a[lane])).to_slot();
        }
        self.keep(d, &out, mask);
    }

    #[inline(always)]
    pub(crate) fn map2<A: Value, B: Value, R: Value>(
        &mut self,
        d: Reg,
        [a, b]: [Reg; 2],
        mask: u32,
        f: impl Fn(A, B) -> R,
    ) {
        let (a, b) = (self.row(a), self.row(b));
        let mut out = [0; LANES];
        for lane in 0..LANES {
            out[lane] = f(A::from_slot(a[lane]), B::from_slot(b[lane])).to_slot();
        }
        self.keep(d, &out, mask);
    }

    #[inline(always)]
    pub(crate) fn map3<A: Value, B: Value, C: Value, R: Value>(
        &mut self,
        d: Reg,
        [a, b, c]: [Reg; 3],
        mask: u32,
        f: impl Fn(A, B, C) -> R,
    ) {
        let (a, b, c) = (self.row(a), self.row(b), self.row(c));
        let mut out = [0; LANES];
        for lane in 0..LANES {
            let (a, b) = (A::from_slot(a[lane]), B::from_slot(b[lane]));
            out[lane] = f(a, b, C::from_slot(c[lane])).to_slot();
        }
        self.keep(d, &out, mask);
    }

    #[inline(always)]
    pub(crate) fn map4<A: Value, B: Value, C: Value, D: Value, R: Value>(
        &mut self,
        d: Reg,
        s: [Reg; 4],
        mask: u32,
        f: impl Fn(A, B, C, D) -> R,
    ) {
        let [a, b, c, e] = s.map(|reg| self.row(reg));
        let mut out = [0; LANES];
        for lane in 0..LANES {
            let (a, b) = (A::from_slot(a[lane]), B::from_slot(b[lane]));
            out[lane] = f(a, b, C::from_slot(c[lane]), D::from_slot(e[lane])).to_slot();
        }
        self.keep(d, &out, mask);
    }

    /// Computes two results from four sources.
    #[inline(always)]
    pub(crate) fn map_pair<T: Value>(
        &mut self,
        d: [Reg; 2],
        s: [Reg; 4],
        mask: u32,
        f: impl Fn([T; 4]) -> (T, T),
    ) {
        let rows = s.map(|reg| self.row(reg));
        let mut out = [[0; LANES]; 2];
        for lane in 0..LANES {
            let (first, second) = f(rows.map(|row| T::from_slot(row[lane])));
            out[0][lane] = first.to_slot();
            out[1][lane] = second.to_slot();
        }
        self.keep(d[0], &out[0], mask);
        self.keep(d[1], &out[1], mask);
    }

    #[inline(always)]
    pub(crate) fn relate<T: Value>(&self, [a, b]: [Reg; 2], f: impl Fn(T, T) -> bool) -> u32 {
        let (a, b) = (self.row(a), self.row(b));
        let mut holds = 0;
        for lane in 0..LANES {
            holds |= u32::from(f(T::from_slot(a[lane]), T::from_slot(b[lane]))) << lane;
        }
        holds
    }
}

/// Stores the values of some lanes. Many loops end here, so this is not inlined into each of them: that would take long to compile.
#[inline(never)]
fn keep_some(row: &mut Row, values: &Row, mask: u32) {
    for lane in lanes(mask) {
        row[lane] = values[lane];
    }
}

/// The lanes of a mask, in order.
#[inline(always)]
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        Some(lane)
    })
}
