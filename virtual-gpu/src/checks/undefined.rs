//! Tracks which bytes of a warp's registers, predicates and local memory are undefined: never written, or computed from such bytes.
//!
//! A register has eight bytes in each of 32 lanes; for each byte there is a mask of lanes in which it is undefined. A program may move
//! undefined bytes and compute with them; `exec/init` says where they are an error.

use crate::fault::Space;
use crate::program::{ALL_LANES, CONSTANT, Pred, PredSource, Reg};

/// For each byte of a register, the lanes in which it is undefined.
pub(crate) type ByteMasks = [u32; 8];

/// Nothing is undefined.
pub(crate) const DEFINED: ByteMasks = [0; 8];

/// The origin of an undefined value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A register or predicate that nothing wrote.
    Register,
    /// A read of undefined bytes of memory.
    Read {
        /// Index into the program's places.
        place: u32,
        space: Space,
        address: u64,
    },
}

/// The undefined bytes of one warp.
#[derive(Debug)]
pub(crate) struct Undefined {
    rows: Box<[ByteMasks]>,
    row_origins: Box<[Origin]>,
    predicates: Box<[u32]>,
    predicate_origins: Box<[Origin]>,
    /// For each byte of the threads' local memory, whether it is defined. The flags are laid out like that memory.
    pub local_written: Box<[bool]>,
}

impl Undefined {
    /// Everything is defined.
    pub(crate) fn nothing(registers: u32, predicates: u32, local_bytes: usize) -> Self {
        Self::in_lanes(0, registers, predicates, local_bytes)
    }

    /// Everything is undefined except the predicate that is always true.
    pub(crate) fn everything(registers: u32, predicates: u32, local_bytes: usize) -> Self {
        Self::in_lanes(ALL_LANES, registers, predicates, local_bytes)
    }

    /// Registers and predicates, except the predicate that is always true, are undefined in these lanes. Unless `lanes` is 0, all local
    /// memory is undefined too.
    fn in_lanes(lanes: u32, registers: u32, predicates: u32, local_bytes: usize) -> Self {
        let (registers, predicates) = (registers as usize, predicates as usize);
        let mut account = Self {
            rows: vec![[lanes; 8]; registers].into(),
            row_origins: vec![Origin::Register; registers].into(),
            predicates: vec![lanes; predicates].into(),
            predicate_origins: vec![Origin::Register; predicates].into(),
            local_written: vec![lanes == 0; local_bytes].into(),
        };
        if let Some(always) = account.predicates.first_mut() {
            *always = 0;
        }
        account
    }

    #[inline(always)]
    pub(crate) fn row(&self, reg: Reg) -> &ByteMasks {
        match reg.0 & CONSTANT {
            0 => &self.rows[reg.0 as usize],
            _ => &DEFINED,
        }
    }

    /// The lanes in which any byte of a register is undefined.
    #[inline(always)]
    pub(crate) fn lanes(&self, reg: Reg) -> u32 {
        self.row(reg).iter().fold(0, |any, byte| any | byte)
    }

    #[inline(always)]
    pub(crate) fn predicate(&self, source: PredSource) -> u32 {
        self.predicates[source.pred.0 as usize]
    }

    pub(crate) fn origin(&self, reg: Reg) -> Origin {
        let origin = self.row_origins.get(reg.0 as usize);
        origin.copied().unwrap_or(Origin::Register)
    }

    pub(crate) fn predicate_origin(&self, source: PredSource) -> Origin {
        self.predicate_origins[source.pred.0 as usize]
    }

    /// Marks these lanes of a register as defined.
    #[inline(always)]
    pub(crate) fn define(&mut self, d: Reg, mask: u32) {
        for byte in &mut self.rows[d.0 as usize] {
            *byte &= !mask;
        }
    }

    /// Marks the lanes `mask` of a register: the bytes in `undefined` as undefined, and the other bytes as defined.
    pub(crate) fn set(&mut self, d: Reg, undefined: &ByteMasks, mask: u32, origin: Origin) {
        let mut any = 0;
        for (byte, new) in self.rows[d.0 as usize].iter_mut().zip(undefined) {
            *byte = *byte & !mask | new & mask;
            any |= new & mask;
        }
        if any != 0 {
            self.row_origins[d.0 as usize] = origin;
        }
    }

    /// Marks a predicate in the lanes `mask`: as undefined in those that are also in `undefined`, and as defined in the others.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, d: Pred, undefined: u32, mask: u32, origin: Origin) {
        let old = &mut self.predicates[d.0 as usize];
        *old = *old & !mask | undefined & mask;
        if undefined & mask != 0 {
            self.predicate_origins[d.0 as usize] = origin;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_lanes_and_bytes_are_tracked_separately() {
        let mut undefined = Undefined::everything(2, 2, 0);
        let (r, p) = (Reg(1), Pred(1));
        let read = Origin::Read {
            place: 3,
            space: Space::Global,
            address: 64,
        };
        assert_eq!(undefined.lanes(r), ALL_LANES);
        undefined.define(r, 0xffff);
        assert_eq!(undefined.lanes(r), 0xffff_0000);
        let mut bytes = DEFINED;
        bytes[2] = 0b110;
        undefined.set(r, &bytes, ALL_LANES, read);
        assert_eq!((undefined.lanes(r), undefined.origin(r)), (0b110, read));
        assert_eq!(undefined.lanes(Reg(CONSTANT)), 0);
        assert_eq!(undefined.predicate(PredSource::TRUE), 0);
        undefined.set_predicate(p, 1, 3, read);
        let source = PredSource { pred: p, flip: 0 };
        assert_eq!(undefined.predicate(source), !2);
        assert_eq!(undefined.predicate_origin(source), read);
    }
}
