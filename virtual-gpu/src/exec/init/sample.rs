//! Finds by trial the bytes of a result that depend on undefined bytes of the operands.
//!
//! The instruction is executed four times with different values for the undefined bytes. A byte of
//! the result that differs between the runs is certainly undefined. A byte that is always the same
//! counts as defined, for example after `and` with zero. An undefined byte is missed only in the rare
//! case that all four runs agree on it.

use super::transpose::{bits_by_lane, lanes_by_byte};
use crate::checks::{ByteMasks, Undefined};
use crate::program::{ALL_LANES, CONSTANT, Reg, Registers};

/// Four sets of values for up to four operands. The values of a set differ from each other.
const FILLINGS: [[u64; 4]; 4] = [
    [0, u64::MAX, 0x5e21_c7f8_034d_9ba6, 0x9a6c_04e5_7fb8_213d],
    [u64::MAX, 0, 0x81fa_3c56_d4e7_1029, 0x26e1_b75c_8d03_f94a],
    [0x3f17_5ac4_b921_d683, 0x69d3_14ae_7f02_c85b, 0, u64::MAX],
    [0xc2a8_0d71_469e_3b5c, 0x17b4_e92d_a360_5cf8, u64::MAX, 0],
];

/// The undefined bytes of each of `results` after `run`, in the lanes of `mask`. Restores the
/// registers.
#[cold]
pub(super) fn sample<const RESULTS: usize>(
    registers: &mut Registers,
    undefined: &Undefined,
    results: [Reg; RESULTS],
    sources: &[Reg],
    mask: u32,
    run: impl Fn(&mut Registers),
) -> [ByteMasks; RESULTS] {
    let is_variable = |reg: Reg| reg.0 & CONSTANT == 0;
    let mut operands = [[0; 32]; FILLINGS.len()];
    let mut unsure = [[0; 32]; FILLINGS.len()];
    for (index, &source) in sources.iter().enumerate() {
        operands[index] = *registers.row(source);
        unsure[index] = bits_by_lane(undefined.row(source));
    }
    let before = results.map(|d| *registers.row(d));
    let mut differs = [[0; 32]; RESULTS];
    let mut first = before;
    for (filling, values) in FILLINGS.iter().enumerate() {
        for (index, &source) in sources.iter().enumerate() {
            let again = sources[..index].contains(&source);
            if is_variable(source) && !again {
                let row = registers.row_mut(source);
                for lane in 0..row.len() {
                    let unsure = unsure[index][lane];
                    row[lane] = operands[index][lane] & !unsure | values[index] & unsure;
                }
            }
        }
        run(registers);
        for (result, &d) in results.iter().enumerate() {
            let outcome = registers.row(d);
            if filling == 0 {
                first[result] = *outcome;
            }
            for (lane, differs) in differs[result].iter_mut().enumerate() {
                *differs |= outcome[lane] ^ first[result][lane];
            }
        }
    }
    for (&d, row) in results.iter().zip(&before) {
        registers.keep(d, row, ALL_LANES);
    }
    for (&source, row) in sources.iter().zip(&operands) {
        if is_variable(source) {
            registers.keep(source, row, ALL_LANES);
        }
    }
    differs.map(|row| lanes_by_byte(&row).map(|lanes| lanes & mask))
}
