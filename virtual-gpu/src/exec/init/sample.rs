//! Which bytes of a result depend on undefined bytes of the operands: told by trying.
//!
//! The instruction is carried out four times with the undefined bytes filled differently. A byte
//! of the result that is always the same counts as defined: `and` with zero gives zero, a shift
//! leaves some bytes behind. What this calls undefined is; rarely something is missed, where four
//! fillings happen to agree.

use crate::checks::{ByteMasks, DEFINED, Undefined};
use crate::exec::Registers;
use crate::exec::registers::lanes;
use crate::program::{ALL_LANES, CONSTANT, Reg, Row};

/// Fillings for up to four operands, four of each. No two operands are ever filled alike.
const FILLINGS: [[u64; 4]; 4] = [
    [0, u64::MAX, 0x3f17_5ac4_b921_d683, 0xc2a8_0d71_469e_3b5c],
    [u64::MAX, 0, 0x69d3_14ae_7f02_c85b, 0x17b4_e92d_a360_5cf8],
    [0x5e21_c7f8_034d_9ba6, 0x81fa_3c56_d4e7_1029, 0, u64::MAX],
    [0x9a6c_04e5_7fb8_213d, 0x26e1_b75c_8d03_f94a, u64::MAX, 0],
];

/// The bytes of each of `results` that are undefined after `run`, of the lanes in `mask`. Leaves
/// the registers as they are.
#[cold]
pub(super) fn sample<const RESULTS: usize>(
    registers: &mut Registers,
    undefined: &Undefined,
    results: [Reg; RESULTS],
    sources: &[Reg],
    mask: u32,
    run: impl Fn(&mut Registers),
) -> [ByteMasks; RESULTS] {
    let before: Vec<(Reg, Row)> = sources
        .iter()
        .chain(&results)
        .filter(|reg| reg.0 & CONSTANT == 0)
        .map(|&reg| (reg, *registers.row(reg)))
        .collect();
    let restore = |registers: &mut Registers| {
        for (reg, row) in &before {
            registers.keep(*reg, row, ALL_LANES);
        }
    };
    let mut outcomes = [[[0; 32]; RESULTS]; 4];
    for (filling, outcome) in outcomes.iter_mut().enumerate() {
        restore(registers);
        for (index, &source) in sources.iter().enumerate() {
            let again = sources[..index].contains(&source);
            if source.0 & CONSTANT == 0 && !again {
                let value = FILLINGS[index][filling];
                fill(registers.row_mut(source), undefined.row(source), value);
            }
        }
        run(registers);
        *outcome = results.map(|d| *registers.row(d));
    }
    restore(registers);
    std::array::from_fn(|result| depending(outcomes.map(|rows| rows[result]), mask))
}

/// The bytes that are not the same in all outcomes.
fn depending(outcomes: [Row; 4], mask: u32) -> ByteMasks {
    let mut found = DEFINED;
    for lane in lanes(mask) {
        let first = outcomes[0][lane];
        let differs = outcomes.iter().fold(0, |all, row| all | row[lane] ^ first);
        for (byte, differs) in found.iter_mut().zip(differs.to_le_bytes()) {
            *byte |= u32::from(differs != 0) << lane;
        }
    }
    found
}

/// Puts a value's bytes in place of those that are undefined.
fn fill(row: &mut Row, undefined: &ByteMasks, value: u64) {
    for (lane, slot) in row.iter_mut().enumerate() {
        let mut bytes = slot.to_le_bytes();
        for ((byte, mask), new) in bytes.iter_mut().zip(undefined).zip(value.to_le_bytes()) {
            if mask >> lane & 1 == 1 {
                *byte = new;
            }
        }
        *slot = u64::from_le_bytes(bytes);
    }
}
