//! Runs one instruction on all pairs of a list of values.

use super::{Arg, Device};

/// The widths of `d`, `a`, `b` and `c`: 16 bits each.
pub const W16: [u32; 4] = [16; 4];
/// The widths of `d`, `a`, `b` and `c`: 32 bits each.
pub const W32: [u32; 4] = [32; 4];
/// The widths of `d`, `a`, `b` and `c`: 64 bits each.
pub const W64: [u32; 4] = [64; 4];

/// Integers and floats, many of them extreme, and random numbers, as bits.
fn values() -> Vec<u64> {
    let mut values = vec![
        0,
        1,
        2,
        31,
        32,
        33,
        63,
        64,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x7fff_ffff_ffff_ffff,
        0x8000_0000_0000_0000,
        u64::MAX,
        u64::MAX - 1,
        0x1_0000_0000,
    ];
    let floats = [
        1.0_f32,
        -1.5,
        0.1,
        -0.0,
        3e38,
        1e-40,
        f32::INFINITY,
        f32::NAN,
        7.5,
        -8.5,
    ];
    values.extend(floats.map(|x| u64::from(x.to_bits())));
    let doubles = [
        1.0_f64,
        -2.25,
        1e300,
        -0.0,
        1e-310,
        f64::NEG_INFINITY,
        0.1,
        4e9,
        -3.5,
    ];
    values.extend(doubles.map(f64::to_bits));
    let mut state = 0x853c_49e6_748f_ea9b_u64;
    values.extend((0..23).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }));
    values
}

/// Runs `d = instruction(a, b, c)` on every pair of values, with a third value as `c`. The registers are named `a`, `b`, `c` and `d` and
/// have the given widths.
pub fn check(widths: [u32; 4], instruction: &str, expected: impl Fn(u64, u64, u64) -> u64) {
    let device = Device::new();
    let values = values();
    let mut triples = Vec::new();
    for (i, &a) in values.iter().enumerate() {
        for (j, &b) in values.iter().enumerate() {
            triples.push([a, b, values[(i * 7 + j * 3) % values.len()]]);
        }
    }
    let count = triples.len();
    let (input, output) = (
        device.upload(&triples.concat()),
        device.zeros(8 * count as u64),
    );
    let [wd, wa, wb, wc] = widths;
    let text = format!(
        ".version 8.6 .target sm_90 .address_size 64
         .entry k(.param .u64 p0, .param .u64 p1) {{
             .reg .b{wa} a; .reg .b{wb} b; .reg .b{wc} c; .reg .b{wd} d;
             .reg .pred p; .reg .b64 %d<9>; .reg .b32 %r<5>;
             mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 64, %r2;
             setp.ge.u32 p, %r3, {count}; @p ret;
             ld.param.u64 %d1, [p0]; mad.wide.u32 %d1, %r3, 24, %d1;
             ld.param.u64 %d2, [p1]; mad.wide.u32 %d2, %r3, 8, %d2;
             ld.b{wa} a, [%d1]; ld.b{wb} b, [%d1+8]; ld.b{wc} c, [%d1+16];
             {instruction}
             st.b{wd} [%d2], d; ret;
         }}"
    );
    device.run(
        &text,
        count.div_ceil(64) as u32,
        64,
        &[Arg::U64(input), Arg::U64(output)],
    );
    let cut = |value: u64, width: u32| value & (u64::MAX >> (64 - width));
    let results: Vec<u64> = device.download(output, count);
    for ([a, b, c], result) in triples.into_iter().zip(results) {
        let (a, b, c) = (cut(a, wa), cut(b, wb), cut(c, wc));
        let right = cut(expected(a, b, c), wd);
        assert_eq!(
            result, right,
            "{instruction} of {a:#x}, {b:#x}, {c:#x}: {result:#x}"
        );
    }
}
