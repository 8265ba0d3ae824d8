//! Tests: idle lanes are kept up to a bound, and a lane is used only in its own context.

use virtual_gpu::driver::live_of_this_thread;

use super::*;
use crate::gpu::{Entered, Gpu};

fn on_gpu(work: impl FnOnce(Entered<'_>) -> Result<()>) {
    Gpu::new().unwrap().enter(work).unwrap();
}

#[test]
fn giving_up_the_last_strip_returns_the_lane() {
    on_gpu(|entered| {
        let mut lane = entered.lane(PIECE_BYTES)?;
        for (bytes, strip_count) in [(1, 1), (64, 1), (65, 2), (1000, 16)] {
            let strips = lane.into_strips(bytes, 64);
            assert_eq!(strips.len(), strip_count);
            // Each strip is given up before the next strip is looked at, as if workers were faster than the thread that hands out strips.
            let mut back: Vec<_> = strips.into_iter().filter_map(Strip::give_up).collect();
            lane = back.pop().unwrap();
            assert!(back.is_empty());
        }
        Ok(())
    });
}

#[test]
fn calls_share_the_lanes_and_keep_a_bounded_number() {
    on_gpu(|entered| {
        let before = live_of_this_thread();
        let first = entered.lanes(30, PIECE_BYTES)?;
        let second = entered.lanes(30, PIECE_BYTES)?;
        assert_eq!((first.len(), second.len()), (30, PIECES.most - 30));
        drop((first, second));
        let kept = live_of_this_thread();
        if let (Some(before), Some(kept)) = (before, kept) {
            let bytes = |count: usize| (count * PIECE_BYTES) as u64;
            assert_eq!(
                kept.allocated_bytes - before.allocated_bytes,
                bytes(PIECES.idle)
            );
            assert_eq!(kept.pinned_bytes - before.pinned_bytes, bytes(PIECES.idle));
        }
        entered.trim();
        assert_eq!(live_of_this_thread(), before);
        Ok(())
    });
}

#[test]
fn a_lane_is_not_used_in_another_context() {
    let gpu = Gpu::new().unwrap();
    let other = cust::context::legacy::Context::create_and_push(
        cust::context::legacy::ContextFlags::SCHED_AUTO,
        cust::device::Device::get_device(0).unwrap(),
    )
    .unwrap();
    cust::context::legacy::ContextStack::pop().unwrap();
    let make_foreign = || cust::context::legacy::CurrentContext::set_current(&other).unwrap();

    // Another context becomes current before a lane is made.
    let made = gpu.enter(|entered| {
        make_foreign();
        entered.lane(1).map(drop)
    });
    assert_eq!(made, Err(Error::ContextChanged));
    // Another context becomes current before an idle lane is taken.
    gpu.enter(|entered| entered.lane(1).map(drop)).unwrap();
    let taken = gpu.enter(|entered| {
        make_foreign();
        entered.lane(1).map(drop)
    });
    assert_eq!(taken, Err(Error::ContextChanged));
    // Another context becomes current after a lane was taken, and before the lane is used.
    let used = gpu.enter(|entered| {
        let lane = entered.lane(1)?;
        make_foreign();
        lane.send(1).map(drop)
    });
    assert_eq!(used, Err(Error::ContextChanged));
    // Another context becomes current before a call gets a stream.
    let call = gpu.enter(|entered| {
        make_foreign();
        entered.call().map(drop)
    });
    assert_eq!(call, Err(Error::ContextChanged));
    assert_eq!(gpu.enter(|entered| entered.lane(1).map(drop)), Ok(()));
}
