//! Two simultaneous scans over two GPUs both end, even if each GPU has only one free lane.

use std::env;
use std::iter;
use std::process::{self, Command};
use std::thread;
use std::time::Duration;

use warpfold_kernels::op::Sum;

use super::scan_shared;
use crate::gpu::{Gpu, PIECE_BYTES};
use crate::kernel::kind::inclusive_scan as Inclusive;

/// How long the scans may take before they count as hung.
const PATIENCE: Duration = Duration::from_secs(200);

/// Runs the test of this name again, in a new process with two devices. In that process, runs `body`.
fn on_two_devices(test: &str, body: impl FnOnce()) {
    const VARIABLE: &str = "WARPFOLD_TEST_CHILD";
    if env::var_os(VARIABLE).is_none_or(|name| name != test) {
        let child = Command::new(env::current_exe().unwrap())
            .args([test, "--exact", "--nocapture"])
            .envs([
                (VARIABLE, test),
                ("VIRTUAL_GPU", "on"),
                ("VIRTUAL_GPU_DEVICES", "2"),
                ("VIRTUAL_GPU_CHECKS", "none"),
            ])
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&child.stdout);
        let complaints = String::from_utf8_lossy(&child.stderr);
        let has_passed = child.status.success() && printed.contains("1 passed");
        assert!(has_passed, "{printed}\n{complaints}");
        return;
    }
    thread::spawn(|| {
        thread::sleep(PATIENCE);
        eprintln!("the scans did not end in {PATIENCE:?}");
        process::exit(1);
    });
    body();
}

#[test]
fn scans_share_one_lane_of_each_gpu() {
    let test = "staged::shared_scan::tests::scans_share_one_lane_of_each_gpu";
    on_two_devices(test, || {
        let gpus = [0, 1].map(|ordinal| Gpu::with_device(ordinal).unwrap());
        // One scan begins on the first GPU, and the other scan on the second GPU. Suppose each scan could take its first lane on the GPU on
        // which it begins. Then each scan would wait forever for the lane that the other scan holds.
        but_one_lane(&gpus[0], || {
            but_one_lane(&gpus[1], || {
                thread::scope(|scope| {
                    scope.spawn(|| scan(&gpus, [Duration::ZERO, LATE]));
                    scope.spawn(|| scan(&gpus, [LATE, Duration::ZERO]));
                });
            });
        });
    });
}

/// How much later one rank of a scan begins than the other rank.
const LATE: Duration = Duration::from_millis(500);

/// Scans items of several pieces over two GPUs. The rank on `gpus[i]` begins after the delay `late[i]`.
fn scan(gpus: &[Gpu], late: [Duration; 2]) {
    let items = vec![1u64; 2 * PIECE_BYTES / 8 + 1];
    let scanned = scan_shared::<Inclusive, Sum, _>(&items, 2, |shares, chain| {
        thread::scope(|scope| {
            let ranks: Vec<_> = iter::zip(shares, iter::zip(gpus, late))
                .map(|(share, (gpu, late))| {
                    scope.spawn(move || {
                        thread::sleep(late);
                        gpu.enter(|entered| share.scan::<Inclusive, Sum>(entered, chain))
                    })
                })
                .collect();
            ranks.into_iter().try_for_each(|rank| rank.join().unwrap())
        })
    });
    assert!(scanned.unwrap().into_iter().eq(1..=items.len() as u64));
}

/// Runs `work` while all lanes for pieces except one are in use.
fn but_one_lane(gpu: &Gpu, work: impl FnOnce()) {
    let done = gpu.enter(|entered| {
        let mut lanes = entered.lanes(usize::MAX, PIECE_BYTES)?;
        lanes.pop();
        work();
        Ok(())
    });
    assert_eq!(done, Ok(()));
}
