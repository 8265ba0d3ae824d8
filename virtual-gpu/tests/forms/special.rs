//! Special registers: their values in every thread of a launch.

use super::support::Device;
use virtual_gpu::Shape;

const GRID: [u32; 3] = [2, 3, 4];
const BLOCK: [u32; 3] = [5, 4, 3];
const THREADS: u32 = 60;

/// For each thread, its number in the block, the block's number, and the value of a register.
fn values(register: &str, bits: u32) -> Vec<(u32, u32, u64)> {
    let device = Device::new();
    let count = 24 * THREADS;
    let out = device.zeros(8 * u64::from(count));
    let text = format!(
        ".version 8.0 .target sm_80 .address_size 64
         .entry k(.param .u64 p0) {{
             .reg .b32 %r<20>; .reg .b64 %d<9>;
             mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
             mad.lo.u32 %r2, %r3, 4, %r2; mad.lo.u32 %r1, %r2, 5, %r1;
             mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z;
             mad.lo.u32 %r5, %r6, 3, %r5; mad.lo.u32 %r4, %r5, 2, %r4;
             mad.lo.u32 %r1, %r4, {THREADS}, %r1;
             mov.u{bits} %{}1, {register}; {}
             ld.param.u64 %d3, [p0]; mad.wide.u32 %d3, %r1, 8, %d3; st.global.u64 [%d3], %d1; ret;
         }}",
        if bits == 64 { "d" } else { "r1" },
        if bits == 64 {
            ""
        } else {
            "cvt.u64.u32 %d1, %r11;"
        },
    );
    let module = device.load(&text);
    let kernel = module.kernel("k").unwrap();
    let shape = Shape {
        grid: GRID,
        block: BLOCK,
        dynamic_shared_bytes: 640,
    };
    let outcome = kernel.launch(
        &shape,
        &out.to_le_bytes(),
        &device.memory,
        &device.config,
        &device.options,
    );
    assert!(outcome.is_ok(), "{register}: {outcome:?}");
    let values: Vec<u64> = device.download(out, count as usize);
    let placed = (0..).zip(values);
    placed
        .map(|(index, value)| (index % THREADS, index / THREADS, value))
        .collect()
}

fn check(register: &str, expected: impl Fn(u32, u32) -> u32) {
    for (thread, block, value) in values(register, 32) {
        let right = u64::from(expected(thread, block));
        assert_eq!(
            value, right,
            "{register} of thread {thread} of block {block}"
        );
    }
}

#[test]
fn indices_in_the_block_and_in_the_grid() {
    check("%tid.x", |thread, _| thread % 5);
    check("%tid.y", |thread, _| thread / 5 % 4);
    check("%tid.z", |thread, _| thread / 20);
    check("%ctaid.x", |_, block| block % 2);
    check("%ctaid.y", |_, block| block / 2 % 3);
    check("%ctaid.z", |_, block| block / 6);
    check("%clusterid.y", |_, block| block / 2 % 3);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        check(&format!("%ntid.{name}"), |_, _| BLOCK[axis]);
        check(&format!("%nctaid.{name}"), |_, _| GRID[axis]);
        check(&format!("%nclusterid.{name}"), |_, _| GRID[axis]);
        check(&format!("%cluster_ctaid.{name}"), |_, _| 0);
        check(&format!("%cluster_nctaid.{name}"), |_, _| 1);
    }
}

#[test]
fn indices_in_the_warp_and_lane_masks() {
    check("%laneid", |thread, _| thread % 32);
    check("%warpid", |thread, _| thread / 32);
    check("%nwarpid", |_, _| 2);
    check("WARP_SZ", |_, _| 32);
    check("%lanemask_eq", |thread, _| 1 << (thread % 32));
    check("%lanemask_lt", |thread, _| (1 << (thread % 32)) - 1);
    check("%lanemask_le", |thread, _| u32::MAX >> (31 - thread % 32));
    check("%lanemask_gt", |thread, _| {
        !(u32::MAX >> (31 - thread % 32))
    });
    check("%lanemask_ge", |thread, _| u32::MAX << (thread % 32));
}

#[test]
fn registers_of_the_device_and_the_launch() {
    let config = Device::new().config;
    check("%nsmid", |_, _| config.multiprocessors);
    check("%dynamic_smem_size", |_, _| 640);
    check("%total_smem_size", |_, _| 640);
    for (_, _, multiprocessor) in values("%smid", 32) {
        assert!(multiprocessor < u64::from(config.multiprocessors));
    }
    for register in ["%clock64", "%globaltimer"] {
        assert!(
            values(register, 64).iter().any(|value| value.2 > 0),
            "{register}"
        );
    }
    for register in [
        "%clock_hi",
        "%globaltimer_hi",
        "%cluster_ctarank",
        "%pm3",
        "%envreg31",
    ] {
        check(register, |_, _| 0);
    }
    assert!(values("%gridid", 64).iter().all(|value| value.2 == 0));
    // The upper and the lower half of the address of the grid's workspace.
    for register in ["%envreg1", "%envreg2"] {
        let halves = values(register, 32);
        let (_, _, first) = halves[0];
        assert!(first != 0 && halves.iter().all(|half| half.2 == first));
    }
}
