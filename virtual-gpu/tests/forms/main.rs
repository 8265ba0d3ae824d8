//! Forms of instructions that are easily confused. Most tests would fail if a form were ignored, or executed as a similar form.
//! (`recorded.rs` compares forms of arithmetic with hardware.)

mod barriers;
mod dependence;
mod memory;
mod orders;
mod predication;
mod refused;
mod special;
#[path = "../support/mod.rs"]
mod support;
mod warp;

use support::{Arg, Device, kernel};
use virtual_gpu::{Dependence, FaultKind, LaunchError};

/// An operation on two numbers.
type Operation = fn(u32, u32) -> u32;

/// Operations of atomic instructions and of reductions over a warp.
const OPERATIONS: [(&str, Operation); 8] = [
    ("add.u32", u32::wrapping_add),
    ("min.u32", u32::min),
    ("max.u32", u32::max),
    ("min.s32", |a, b| (a as i32).min(b as i32) as u32),
    ("max.s32", |a, b| (a as i32).max(b as i32) as u32),
    ("and.b32", |a, b| a & b),
    ("or.b32", |a, b| a | b),
    ("xor.b32", |a, b| a ^ b),
];

/// Runs a body in one block, and returns the value of `%r39` in each thread. `%r0` is the thread's number, and `%d1` the address of the
/// results.
fn block(threads: u32, body: &str) -> Result<Vec<u32>, FaultKind> {
    block_of(Dependence::Full, threads, body)
}

/// Like [`block`], in a launch with this dependence on preceding launches.
fn block_of(dependence: Dependence, threads: u32, body: &str) -> Result<Vec<u32>, FaultKind> {
    let mut device = Device::new();
    device.options.dependence = dependence;
    device.options.step_budget = 100_000;
    let out = device.zeros(4 * u64::from(threads));
    let text = kernel(
        1,
        &format!(
            "mov.u32 %r0, %tid.x; mov.u32 %r39, 0; ld.param.u64 %d1, [p0];\n{body}\n\
             ld.param.u64 %d1, [p0]; mul.wide.u32 %d2, %r0, 4; add.u64 %d1, %d1, %d2; \
             st.global.u32 [%d1], %r39; ret;"
        ),
    );
    let text = text
        .replace(".version 8.0", ".version 8.6")
        .replace("sm_80", "sm_90");
    let module = device.load(&text);
    match device.launch(&module, "k", 1, threads, &[Arg::U64(out)]) {
        Ok(_) => Ok(device.download(out, threads as usize)),
        Err(LaunchError::Fault(fault)) => Err(fault.kind),
        Err(error) => panic!("{error}"),
    }
}

/// Checks `%r39` in each lane of one warp, which must run without a fault.
fn warp_gives(body: &str, expected: impl Fn(u32) -> u32) {
    let expected: Vec<u32> = (0..32).map(expected).collect();
    assert_eq!(block(32, body).as_deref(), Ok(&expected[..]), "{body}");
}
