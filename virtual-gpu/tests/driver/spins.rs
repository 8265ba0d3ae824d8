//! Kernels that wait: for the host, and for the clock.

use crate::raw::*;
use crate::support::*;
use std::ffi::CStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use virtual_gpu::driver::{last_fault, run_with};
use virtual_gpu::{FaultKind, RunOptions};

const LAUNCH_TIMEOUT: i32 = 702;

/// `answer(p)`: p[0] = 1; waits until p[1] is not zero; then p[2] = p[1] + 1.
/// `wait_ticks(p, ticks)`: waits until `clock64` has advanced by `ticks`; then p[0] = 1.
const PTX: &CStr = cr#"
.version 7.0
.target sm_80
.address_size 64

.visible .entry answer(.param .u64 p)
{
    .reg .pred %p<2>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    st.volatile.global.u32 [%rd1], 1;
SPIN:
    ld.volatile.global.u32 %r1, [%rd1+4];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra SPIN;
    add.u32 %r2, %r1, 1;
    st.volatile.global.u32 [%rd1+8], %r2;
    ret;
}

.visible .entry wait_ticks(.param .u64 p, .param .u64 ticks)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [p];
    ld.param.u64 %rd2, [ticks];
    mov.u64 %rd3, %clock64;
SPIN:
    mov.u64 %rd4, %clock64;
    sub.u64 %rd5, %rd4, %rd3;
    setp.lt.u64 %p1, %rd5, %rd2;
    @%p1 bra SPIN;
    st.global.u32 [%rd1], 1;
    ret;
}
"#;

/// Three zeros in page-locked memory, which the kernel and the host both read and write while the kernel runs.
fn shared_words() -> &'static [AtomicU32; 3] {
    let words = pinned(3).cast::<[AtomicU32; 3]>();
    // SAFETY: `words` points to twelve bytes, aligned by the driver, that stay until the context is destroyed at the end of the test. The
    // driver has just allocated them, so nothing else refers to them yet. From here on, the device and the host access them atomically.
    unsafe {
        words.write([const { AtomicU32::new(0) }; 3]);
        &*words
    }
}

fn device_address(words: &[AtomicU32; 3]) -> u64 {
    std::ptr::from_ref(words).expose_provenance() as u64
}

#[test]
fn a_kernel_that_waits_for_the_host_ends_when_a_host_thread_writes() {
    let _context = Context::new();
    let (answer, words) = (function(load(PTX), c"answer"), shared_words());
    assert_eq!(launch(answer, 1, 1, 0, &[device_address(words)]), 0);
    let host = std::thread::spawn(|| {
        let begun = Instant::now();
        // The main thread synchronises, so the kernel runs. The kernel writes the first word, and then waits until this thread writes the
        // second word.
        while words[0].load(Ordering::Acquire) == 0 && begun.elapsed() < LONGEST_WAIT {
            std::thread::yield_now();
        }
        words[1].store(41, Ordering::Release);
    });
    assert_eq!(cuCtxSynchronize(), 0);
    host.join().unwrap();
    let seen = [0, 1, 2].map(|at: usize| words[at].load(Ordering::Acquire));
    assert_eq!(seen, [1, 41, 42]);
}

#[test]
fn a_kernel_that_waits_for_a_silent_host_times_out() {
    if virtual_only("a real device may wait for ever") {
        return;
    }
    let _context = Context::new();
    let (answer, words) = (function(load(PTX), c"answer"), shared_words());
    let options = RunOptions {
        step_budget: 10_000,
        ..Default::default()
    };
    run_with(options, || {
        assert_eq!(launch(answer, 1, 1, 0, &[device_address(words)]), 0);
    });
    assert_eq!(cuCtxSynchronize(), LAUNCH_TIMEOUT);
    let kind = last_fault().unwrap().kind;
    assert!(matches!(kind, FaultKind::StepBudget { .. }), "{kind:?}");
    let seen = [0, 1, 2].map(|at: usize| words[at].load(Ordering::Acquire));
    assert_eq!(seen, [1, 0, 0], "it began, and went no further");
}

#[test]
fn a_kernel_that_waits_for_the_clock_ends() {
    let _context = Context::new();
    let (wait, done) = (function(load(PTX), c"wait_ticks"), zeros(1));
    let options = RunOptions {
        // The step budget is smaller than the number of ticks that the kernel waits.
        step_budget: 1_000_000,
        ..Default::default()
    };
    run_with(options, || {
        assert_eq!(launch(wait, 1, 1, 0, &[done, 1_000_000_000]), 0);
    });
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(done), 1);
}
