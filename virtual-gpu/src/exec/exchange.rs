//! Atomic operations on 16 bytes: exchange, and compare and swap.
//!
//! A lane's operation is a load and, unless a comparison fails, a store. No other atomic operation comes between the two.

use super::block::Shared;
use super::machine::{Finding, Machine};
use super::warp::Warp;
use crate::checks::Observer;
use crate::program::{Address, Exchange, Extend, Reg, Strength, Transfer, lanes};

impl Warp {
    /// Exchanges 16 bytes, lane after lane.
    pub(super) fn exchange_wide<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &mut Shared,
        exchange: &Exchange,
        active: u32,
    ) -> Result<(), Finding> {
        machine.counters.atomics += u64::from(active.count_ones());
        let memory = machine.memory;
        let new = exchange.new.map(|reg| *self.registers.row(reg));
        let expected = exchange.expected;
        let expected = expected.map(|pair| pair.map(|reg| *self.registers.row(reg)));
        for (reg, row) in exchange.scratch.into_iter().zip(&new) {
            self.registers.keep(reg, row, active);
            if O::WATCHES {
                self.undefined.define(reg, active);
            }
        }
        for lane in lanes(active) {
            let _guard = memory.lock_atomics();
            let load = exchange.transfer(exchange.d, Strength::Acquire);
            self.load(machine, shared, &load, 1 << lane)?;
            let old = exchange.d.map(|reg| self.registers.row(reg)[lane]);
            if expected.is_none_or(|pair| pair.map(|row| row[lane]) == old) {
                let store = exchange.transfer(exchange.scratch, Strength::Release);
                self.store(machine, shared, &store, 1 << lane)?;
            }
        }
        Ok(())
    }
}

impl Exchange {
    /// The load or the store of an exchange. `part` is acquire for the load and release for the store. If the operation has this order, the
    /// transfer has it too. Otherwise the transfer is relaxed.
    fn transfer(&self, data: [Reg; 2], part: Strength) -> Transfer {
        let whole = self.address.strength;
        Transfer {
            address: Address {
                strength: match whole == part || whole == Strength::AcquireRelease {
                    true => part,
                    false => Strength::Relaxed,
                },
                ..self.address
            },
            width: 8,
            count: 2,
            extend: Extend::Zero,
            data: [data[0], data[1], data[0], data[0]],
        }
    }
}
