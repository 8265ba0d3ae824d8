//! Schedules of every policy: a correct kernel is unaffected, and a kernel that relies on the order of its blocks may hang.

mod support;

use support::{Arg, Device, kernel};
use virtual_gpu::{FaultKind, LaunchError, Policy};

/// Every block sets its own flag. Before that, every block but the first waits for the flag of the block before it. `number` is the code
/// that sets `%r1`, the block's position.
fn chain(number: &str) -> String {
    kernel(
        1,
        &format!(
            "ld.param.u64 %d1, [p0]; {number} mad.wide.u32 %d2, %r1, 4, %d1; \
             setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 1; @%p1 bra SET; \
             SPIN: ld.acquire.gpu.global.u32 %r2, [%d2+60]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN; \
             add.u32 %r2, %r2, 1; SET: st.release.gpu.global.u32 [%d2+64], %r2; ret;"
        ),
    )
}

fn run(policy: Policy, blocks: u32, text: &str) -> Result<Vec<u32>, LaunchError> {
    let mut device = Device::new();
    device.options.policy = policy;
    device.options.step_budget = 10_000_000;
    let buffer = device.zeros(64 + 4 * 300);
    let module = device.load(text);
    device.launch(&module, "k", blocks, 1, &[Arg::U64(buffer)])?;
    Ok(device.download(buffer + 64, blocks as usize))
}

#[test]
fn blocks_numbered_on_arrival_finish_under_every_schedule() {
    let text = chain("atom.relaxed.gpu.global.add.u32 %r1, [%d1], 1;");
    for policy in Policy::ALL {
        let flags = run(policy, 20, &text).unwrap();
        assert!(flags.into_iter().eq(1..=20), "{policy:?}");
    }
}

#[test]
fn blocks_that_rely_on_launch_order_hang_in_reverse() {
    let text = chain("mov.u32 %r1, %ctaid.x;");
    for policy in [Policy::Seeded, Policy::OneBlock] {
        assert!(
            run(policy, 300, &text).unwrap().into_iter().eq(1..=300),
            "{policy:?}"
        );
    }
    match run(Policy::ReversedBlocks, 300, &text) {
        Err(LaunchError::Fault(fault)) => {
            assert_eq!(fault.kind, FaultKind::StepBudget { steps: 10_000_000 });
        }
        other => panic!("{other:?}"),
    }
}
