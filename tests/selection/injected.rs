//! Makes each driver call of a request fail in turn. The request then returns an error, and works when it is repeated.

use cust::memory::DeviceBuffer;
use virtual_gpu::driver::Code;
use virtual_gpu::inject::{Calls, Failure, Moment, fail, record};
use warpfold::{Equal, cust, runs};

use crate::gpus::gpu;
use crate::{assert_begins, place};

#[test]
fn every_driver_call_may_fail() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[4_u32, 4, 4, 2]).unwrap();
    let (mut keys, mut lengths) = (place::<u32>(4), place::<u32>(4));
    let mut call = || {
        runs::<Equal, _>(&input)
            .to(&mut keys)
            .lengths_to(&mut lengths)
            .wait(gpu)
    };
    assert_eq!(call(), Ok(2));
    let (_, calls) = record(&mut call);
    assert!(
        calls.iter().any(|name| name.starts_with("cuLaunchKernel")),
        "{calls:?}"
    );
    for (nth, name) in calls.iter().enumerate() {
        let armed = fail(Failure {
            calls: Calls::Any,
            nth: nth as u64 + 1,
            code: Code(1),
            moment: Moment::Before,
        });
        let answer = call();
        assert!(armed.has_fired(), "{name}");
        drop(armed);
        assert!(answer.is_err(), "{name}: {answer:?}");
        assert_eq!(call(), Ok(2), "after {name}");
    }
    assert_begins(&keys, &[4, 2], "keys");
    assert_begins(&lengths, &[3, 1], "lengths");
}
