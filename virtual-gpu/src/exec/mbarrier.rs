//! Mbarriers: barriers that lie in shared memory and count arrivals and bytes.
//!
//! The layout of an mbarrier's word is in `alu/mbarrier.rs`. When no arrivals and no bytes are pending, the phase is complete and the next
//! phase begins.
//!
//! As in the PTX memory model, an arrival releases and a successful test acquires, unless the instruction is `.relaxed`. Every operation is
//! reported to the race check. Faults are, for example, a word that no `init` wrote, more arrivals than a phase expects, and a
//! `.noComplete` arrival that completes the phase.

use super::block::Shared;
use super::machine::{Finding, Machine};
use super::memory::{self, Wish};
use super::warp::Warp;
use crate::alu::Word;
use crate::checks::Observer;
use crate::fault::{AccessKind, FaultKind};
use crate::program::{Address, AddressSpace, Mbarrier, MbarrierKind, Phase, Row, Strength, lanes};

/// The size of an mbarrier in bytes.
const BYTES: u32 = 8;

impl Warp {
    /// Carries out an operation on mbarriers.
    pub(super) fn mbarrier<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        mbarrier: &Mbarrier,
        active: u32,
    ) -> Result<(), Finding> {
        let operand = *self.registers.row(mbarrier.operand);
        let addresses = self.addresses(&mbarrier.address);
        let (mut states, mut holds) = ([0; 32], 0);
        for lane in lanes(active) {
            let place = (&mbarrier.address, addresses[lane], lane);
            let kind = mbarrier.kind;
            let (state, yes) = self.one(machine, shared, place, (kind, operand[lane]))?;
            let ends = |word: Word| word.pending == operand[lane] && word.bytes == 0;
            if mbarrier.phase == Phase::GoesOn && Word::decode(state).is_some_and(ends) {
                let what = "an arrival with `.noComplete` completes a phase of an mbarrier".into();
                return Err(Finding {
                    kind: FaultKind::InvalidBarrier { what },
                    lane,
                });
            }
            states[lane] = state;
            holds |= u32::from(yes) << lane;
        }
        if let Some(d) = mbarrier.d {
            self.registers.keep(d, &states, active);
        }
        if let Some(p) = mbarrier.p {
            self.registers.set_predicate(p, holds, active);
        }
        Ok(())
    }

    /// Reports landed bytes to mbarriers.
    pub(super) fn complete_bytes<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        address: &Address,
        (addresses, bytes): (&Row, &Row),
        mask: u32,
    ) -> Result<(), Finding> {
        for lane in lanes(mask) {
            let place = (address, addresses[lane], lane);
            let what = (MbarrierKind::Complete, bytes[lane]);
            self.one(machine, shared, place, what)?;
        }
        Ok(())
    }

    /// Carries out one lane's operation. Returns the state before the operation, and whether a tested phase is complete.
    fn one<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        (form, address, lane): (&Address, u64, usize),
        (kind, operand): (MbarrierKind, u64),
    ) -> Result<(u64, bool), Finding> {
        let invalid = |what: String| Finding {
            kind: FaultKind::InvalidBarrier {
                what: format!("mbarrier at shared address {address:#x}: {what}"),
            },
            lane,
        };
        let access = match kind {
            MbarrierKind::Init | MbarrierKind::Invalidate => AccessKind::Write,
            MbarrierKind::TestState | MbarrierKind::TestParity => AccessKind::Read,
            _ => AccessKind::Atomic,
        };
        let group = memory::single(form, address, lane);
        if group.space != AddressSpace::Shared {
            return Err(invalid("it does not lie in shared memory".into()));
        }
        let at = group.addresses[lane];
        let old = memory::read_shared(shared, access, at, BYTES);
        let old = old.map_err(|kind| Finding { kind, lane })?;
        let word = Word::decode(old).ok_or_else(|| "nothing initialised it".to_owned());
        let (new, yes) = outcome(word, old, kind, operand).map_err(invalid)?;
        if access != AccessKind::Read {
            memory::write_shared(shared, at, BYTES, new);
        }
        let mut told = *form;
        told.strength = match (access, yes) {
            (AccessKind::Write, _) => Strength::Weak,
            (AccessKind::Read, false) => Strength::Relaxed,
            (AccessKind::Atomic, _) if form.strength == Strength::Acquire => Strength::Release,
            _ => form.strength,
        };
        let wish = Wish {
            kind: access,
            address: told,
            bytes: BYTES,
        };
        self.watch(machine, shared, &wish, &group)?;
        Ok((old, yes))
    }
}

/// The state of an mbarrier after an operation, and whether a tested phase is complete. `old` is the state before the
/// operation, and `word` is the same state, decoded.
fn outcome(
    word: Result<Word, String>,
    old: u64,
    kind: MbarrierKind,
    operand: u64,
) -> Result<(u64, bool), String> {
    let mut yes = false;
    let new = match kind {
        MbarrierKind::Init if (1..=Word::MOST_ARRIVALS).contains(&operand) => {
            Word::new(operand).encode()
        }
        MbarrierKind::Init => return Err(format!("a count of {operand}")),
        MbarrierKind::Invalidate => {
            word?;
            0
        }
        MbarrierKind::Arrive | MbarrierKind::ArriveAndDrop => {
            let mut word = word?;
            if kind == MbarrierKind::ArriveAndDrop {
                word.expected = word.expected.saturating_sub(operand);
            }
            word.arrive(operand)?;
            word.encode()
        }
        MbarrierKind::ExpectAndArrive => {
            let mut word = word?;
            word.bytes += operand as u32 as i64;
            word.arrive(1)?;
            word.encode()
        }
        MbarrierKind::Expect | MbarrierKind::Complete => {
            let mut word = word?;
            let bytes = operand as u32 as i64;
            word.bytes += match kind == MbarrierKind::Expect {
                true => bytes,
                false => -bytes,
            };
            // Bytes may also land before an `expect_tx` announces them. Then the `expect_tx` may end the phase.
            word.turn_over();
            word.encode()
        }
        MbarrierKind::TestState | MbarrierKind::TestParity => {
            let phase = match Word::decode(operand) {
                Some(state) if kind == MbarrierKind::TestState => state.phase,
                None if kind == MbarrierKind::TestState => {
                    return Err("a state that no arrival gave".into());
                }
                _ => operand & 1,
            };
            yes = word?.phase != phase;
            old
        }
    };
    Ok((new, yes))
}
