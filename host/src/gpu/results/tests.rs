//! Slots as calls find them: apart from each other, and used again.

use std::collections::HashSet;

use cust::memory::DeviceBuffer;
use virtual_gpu::driver::Code;
use virtual_gpu::inject::{Calls, Failure, Moment, fail};
use warpfold_kernels::op::Sum;

use super::*;
use crate::gpu::Gpu;
use crate::reduce;

#[test]
fn slots_that_are_taken_are_apart_and_more_are_made() {
    let gpu = Gpu::new().unwrap();
    gpu.enter(|_| {
        let results = Results::new();
        let count = 2 * PAGE_BYTES / SLOT_BYTES + 1;
        let slots = (0..count)
            .map(|_| results.take())
            .collect::<Result<Vec<_>>>()?;
        let addresses: HashSet<Address> = slots.iter().map(ResultSlot::address).collect();
        assert_eq!(addresses.len(), count);
        assert!(
            addresses
                .iter()
                .all(|address| address % SLOT_BYTES as u64 == 0)
        );
        slots.into_iter().for_each(|slot| results.give_back(slot));
        for _ in 0..count {
            let slot = results.take()?;
            assert!(addresses.contains(&slot.address()));
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_call_gives_its_slot_back() {
    let gpu = Gpu::new().unwrap();
    gpu.make_current().unwrap();
    let items = DeviceBuffer::from_slice(&[1.5f64, 2.0]).unwrap();
    let next_slot = || {
        gpu.enter(|entered| {
            let slot = entered.result_slot()?;
            let address = slot.address();
            entered.return_result_slot(slot);
            Ok(address)
        })
        .unwrap()
    };
    let slot = next_slot();
    assert_eq!(reduce::<Sum, _>(&gpu, &items), Ok(3.5));
    assert_eq!(next_slot(), slot);
    let launch = Failure {
        calls: Calls::Named("cuLaunchKernelEx"),
        nth: 1,
        code: Code(1),
        moment: Moment::Before,
    };
    let _armed = fail(launch);
    assert!(reduce::<Sum, _>(&gpu, &items).is_err());
    assert_eq!(next_slot(), slot);
}
