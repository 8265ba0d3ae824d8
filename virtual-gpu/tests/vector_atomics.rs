//! Atomic operations on vectors of floats, and mbarriers that wait for bytes.

mod support;

use support::{Arg, Device, kernel};

fn half(x: f32) -> u16 {
    // Whole numbers up to 2048 are exact.
    let exponent = x.to_bits() >> 23 & 0xff;
    if x == 0.0 {
        return 0;
    }
    ((exponent - 112) << 10 | x.to_bits() >> 13 & 0x3ff) as u16
}

#[test]
fn vector_atomics_add_elements_and_return_old_values() {
    let device = Device::new();
    let sums = device.upload(&[1.0_f32, 2.0, 3.0, 4.0]);
    let old = device.zeros(16);
    let text = kernel(
        2,
        "ld.param.u64 %d0, [p0]; ld.param.u64 %d1, [p1];
         mov.f32 %f0, 0f3f800000; mov.f32 %f1, 0f40000000;
         atom.global.add.v2.f32 {%f2, %f3}, [%d0], {%f0, %f1};
         st.global.v2.f32 [%d1], {%f2, %f3};
         red.global.add.v4.f32 [%d0], {%f1, %f1, %f1, %f0};",
    );
    device.run(&text, 1, 1, &[Arg::U64(sums), Arg::U64(old)]);
    assert_eq!(device.download::<f32>(sums, 4), [4.0, 6.0, 5.0, 5.0]);
    assert_eq!(device.download::<f32>(old, 2), [1.0, 2.0]);
}

#[test]
fn a_destination_register_may_be_a_later_operand() {
    let device = Device::new();
    let sums_and_old = device.upload(&[10.0_f32, 20.0, 0.0, 0.0]);
    let text = kernel(
        1,
        "ld.param.u64 %d0, [p0]; mov.f32 %f0, 0f3f800000; mov.f32 %f1, 0f40000000;
         atom.global.add.v2.f32 {%f1, %f0}, [%d0], {%f0, %f1};
         st.global.v2.f32 [%d0+8], {%f1, %f0};",
    );
    device.run(&text, 1, 1, &[Arg::U64(sums_and_old)]);
    let all = device.download::<f32>(sums_and_old, 4);
    assert_eq!(all, [11.0, 22.0, 10.0, 20.0]);
}

#[test]
fn a_warps_vector_reductions_of_halves() {
    let device = Device::new();
    let start = [0.0, 5.0, 100.0, -0.0].map(half);
    let [sums, least, greatest] = [(); 3].map(|()| device.upload(&start));
    let text = kernel(
        3,
        "ld.param.u64 %d0, [p0]; ld.param.u64 %d1, [p1]; ld.param.u64 %d2, [p2];
         mov.u32 %r0, %tid.x; cvt.rn.f16.u32 %h0, %r0; mov.b32 %r1, {%h0, %h0};
         red.global.add.noftz.v4.f16 [%d0], {%h0, %h0, %h0, %h0};
         red.global.min.noftz.v2.f16x2 [%d1], {%r1, %r1};
         red.relaxed.gpu.global.max.noftz.v2.f16x2 [%d2], {%r1, %r1};",
    );
    let args = [sums, least, greatest].map(Arg::U64);
    device.run(&text, 1, 32, &args);
    let all = (0..32).sum::<i32>() as f32;
    let expected = [all, 5.0 + all, 100.0 + all, all].map(half);
    assert_eq!(device.download::<u16>(sums, 4), expected);
    assert_eq!(device.download::<u16>(least, 4), [0.0; 4].map(half));
    assert_eq!(
        device.download::<u16>(greatest, 4),
        [31.0, 31.0, 100.0, 31.0].map(half)
    );
}

#[test]
fn unsupported_vectors_are_refused() {
    let device = Device::new();
    for line in [
        "red.global.add.v2.u32 [%d0], {%r0, %r1};",
        "red.global.add.v8.f32 [%d0], {%f0, %f0, %f0, %f0, %f0, %f0, %f0, %f0};",
        "red.global.add.v2.f32 [%d0], {%f0, %f0, %f0};",
        "red.shared.add.v2.f32 [%r0], {%f0, %f0};",
        "atom.global.add.v2.f32 %f0, [%d0], {%f0, %f0};",
    ] {
        assert_eq!(device.problems(&kernel(0, line)).len(), 1, "{line}");
    }
}

#[test]
fn arrive_drop_may_also_expect_bytes() {
    let device = Device::new();
    let output = device.zeros(8);
    let text = kernel(
        1,
        ".shared .align 8 .b64 bar;
         ld.param.u64 %d0, [p0]; mov.u32 %r0, bar;
         mbarrier.init.shared.b64 [%r0], 2;
         mbarrier.arrive_drop.expect_tx.shared.b64 %d1, [%r0], 16;
         mbarrier.arrive.shared.b64 _, [%r0];
         mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 0; selp.u32 %r1, 1, 0, %p0;
         mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%r0], 16;
         mbarrier.arrive.shared.b64 _, [%r0];
         mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 1; selp.u32 %r2, 1, 0, %p0;
         st.global.v2.u32 [%d0], {%r1, %r2};",
    );
    device.run(&text, 1, 1, &[Arg::U64(output)]);
    // The first phase waits for the bytes; the second is complete with one arrival.
    assert_eq!(device.download::<u32>(output, 2), [0, 1]);
}

#[test]
fn bytes_may_land_before_they_are_expected() {
    let device = Device::new();
    let output = device.zeros(8);
    let text = kernel(
        1,
        ".shared .align 8 .b64 bar;
         ld.param.u64 %d0, [p0]; mov.u32 %r0, bar;
         mbarrier.init.shared.b64 [%r0], 1;
         mbarrier.complete_tx.relaxed.cluster.shared::cta.b64 [%r0], 16;
         mbarrier.arrive.shared.b64 _, [%r0];
         mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 0; selp.u32 %r1, 1, 0, %p0;
         mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r0], 16;
         mbarrier.test_wait.parity.shared.b64 %p0, [%r0], 0; selp.u32 %r2, 1, 0, %p0;
         st.global.v2.u32 [%d0], {%r1, %r2};",
    );
    device.run(&text, 1, 1, &[Arg::U64(output)]);
    // The landed bytes keep the phase pending until they are expected.
    assert_eq!(device.download::<u32>(output, 2), [0, 1]);
}
