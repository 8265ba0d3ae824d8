//! Atomic operations on 16 bytes: exchange, and compare and swap.
//!
//! A lane's operation is a load and, unless a comparison fails, a store. No other atomic operation comes between the two.

use super::block::Shared;
use super::machine::{Finding, Machine};
use super::warp::Warp;
use crate::checks::{Observer, Origin};
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
        }
        let mut undecided = 0;
        if O::WATCHES {
            for (reg, new) in exchange.scratch.into_iter().zip(exchange.new) {
                let (bytes, origin) = (*self.undefined.row(new), self.undefined.origin(new));
                self.undefined.set(reg, &bytes, active, origin);
            }
            for reg in exchange.expected.into_iter().flatten() {
                undecided |= self.undefined.lanes(reg);
            }
        }
        for lane in lanes(active) {
            let _guard = memory.lock_atomics();
            let load = exchange.transfer(exchange.d, Strength::Acquire);
            self.load(machine, shared, &load, 1 << lane)?;
            let old = exchange.d.map(|reg| self.registers.row(reg)[lane]);
            let mut stores = expected.is_none_or(|pair| pair.map(|row| row[lane]) == old);
            if O::WATCHES && expected.is_some() {
                let [low, high] = exchange.d.map(|reg| self.undefined.lanes(reg));
                if (undecided | low | high) >> lane & 1 == 1 {
                    // Undefined bytes decide the comparison, so the bytes in memory are undefined afterwards.
                    for (reg, old) in exchange.scratch.into_iter().zip(old) {
                        if !stores {
                            self.registers.keep(reg, &[old; 32], 1 << lane);
                        }
                        let everything = [u32::MAX; 8];
                        self.undefined
                            .set(reg, &everything, 1 << lane, Origin::Register);
                    }
                    stores = true;
                }
            }
            if stores {
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
