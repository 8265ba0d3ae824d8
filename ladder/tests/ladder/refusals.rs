//! What a rung is not for is refused, with what it is for; nothing is launched then.

use virtual_gpu::inject::record;
use warpfold::Sum;
use warpfold::cust::memory::DeviceBuffer;
use warpfold_ladder::{Error, Kind, Refusal, Result, Rung};

use crate::device::ladder;

/// Asserts that the call was refused, before any launch, with a text that says these.
#[track_caller]
fn assert_refused<T: std::fmt::Debug>(call: impl FnOnce() -> Result<T>, says: &[&str]) -> Refusal {
    let (result, calls) = record(call);
    assert!(!calls.iter().any(|call| call.starts_with("cuLaunchKernel")));
    match result {
        Err(Error::Refused(refusal)) => {
            let text = refusal.to_string();
            assert!(says.iter().all(|words| text.contains(words)), "{text}");
            refusal
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn block_sizes_that_a_rung_is_not_for() {
    let ladder = ladder();
    let items = DeviceBuffer::from_slice(&[1u32; 100]).unwrap();
    for (rung, offered, says) in [
        (Rung::Halving, 0, "1 to 1024"),
        (Rung::Halving, 1025, "1 to 1024"),
        (Rung::SharedTree, 96, "powers of two from 1 to 1024"),
        (Rung::WarpSyncTree, 128, "256 to 512"),
        (Rung::ConstantTree, 32, "powers of two from 64 to 1024"),
        (Rung::HalfThreads, 64, "powers of two from 128 to 1024"),
        (Rung::Recursive, 1, "powers of two from 2 to 1024"),
        (Rung::Ours, 128, "256"),
    ] {
        let call = || ladder.reduce::<Sum, _>(rung, &items, offered);
        let refusal = assert_refused(call, &[rung.title(), &offered.to_string(), says]);
        let allowed = rung.block_sizes();
        assert_eq!(
            refusal,
            Refusal::BlockSize {
                rung,
                offered,
                allowed
            }
        );
        assert!(!allowed.contains(offered));
    }
}

#[test]
fn rungs_that_do_something_else() {
    let ladder = ladder();
    let items = DeviceBuffer::from_slice(&[1u32; 100]).unwrap();
    for rung in Rung::ALL {
        if rung.kind() != Kind::Reduction {
            let call = || ladder.reduce::<Sum, _>(*rung, &items, 256);
            assert_refused(call, &[rung.title(), "is no reduction"]);
        }
    }
}

#[test]
fn items_that_a_rung_has_no_kernel_for() {
    let ladder = ladder();
    let items = DeviceBuffer::from_slice(&[1.0f64; 100]).unwrap();
    let call = || ladder.reduce::<Sum, _>(Rung::Halving, &items, 256);
    assert_refused(call, &["halving", "Sum", "f64"]);
    assert_eq!(ladder.reduce::<Sum, _>(Rung::Ours, &items, 256), Ok(100.0));
}

#[test]
fn what_is_said_of_a_rung() {
    for (index, rung) in Rung::ALL.iter().enumerate() {
        let titles = Rung::ALL[..index].iter().map(|other| other.title());
        assert!(
            !titles.into_iter().any(|title| title == rung.title()),
            "{rung}"
        );
        assert!(rung.idea().ends_with('.'), "{rung}");
        assert!(
            rung.improvement().is_none_or(|text| text.ends_with('.')),
            "{rung}"
        );
        assert!(
            rung.block_sizes()
                .iter()
                .all(|size| rung.block_sizes().contains(size))
        );
        assert!(rung.block_sizes().iter().next().is_some(), "{rung}");
    }
}
