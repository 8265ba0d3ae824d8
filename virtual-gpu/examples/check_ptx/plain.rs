//! Kernels whose threads do not communicate.

use super::Check;
use super::bed::{Bed, Trouble, Value, expect, numbers};

pub const CHECKS: &[Check] = &[
    ("saxpy_half", saxpy_half),
    ("saxpy_half2", saxpy_half2),
    ("interpret", interpret),
    ("calls", calls),
    ("normalise", normalise),
    ("bits", bits),
    ("local_array", local_array),
];

const THREADS: [u32; 3] = [64, 1, 1];

/// A small whole number as an f16.
fn half(value: u32) -> u16 {
    match value.checked_ilog2() {
        None => 0,
        Some(log) => (((15 + log) << 10) | ((value << 10 >> log) & 0x3ff)) as u16,
    }
}

/// `x`, `y` and `2 x + y`, all of them whole numbers that an f16 holds.
fn halves() -> (Vec<u16>, Vec<u16>, Vec<u16>) {
    let x: Vec<u32> = numbers(1, 512).iter().map(|v| v % 500).collect();
    let y: Vec<u32> = numbers(2, 512).iter().map(|v| v % 1000).collect();
    let sum = x.iter().zip(&y).map(|(x, y)| half(2 * x + y)).collect();
    let to_halves = |values: &[u32]| values.iter().map(|&v| half(v)).collect();
    (to_halves(&x), to_halves(&y), sum)
}

fn saxpy_half(bed: &Bed) -> Result<(), Trouble> {
    let (x, y, sum) = halves();
    let (xs, ys) = (bed.upload(&x)?, bed.upload(&y)?);
    let arguments = [512_u32.bytes(), half(2).bytes(), xs.bytes(), ys.bytes()];
    bed.launch("saxpy_half", [9, 1, 1], THREADS, 0, &arguments)?;
    expect(&bed.download::<u16>(ys, 512)?, &sum)
}

fn saxpy_half2(bed: &Bed) -> Result<(), Trouble> {
    let (x, y, sum) = halves();
    let (xs, ys) = (bed.upload(&x)?, bed.upload(&y)?);
    let two = u32::from(half(2)) * 0x1_0001;
    let arguments = [256_u32.bytes(), two.bytes(), xs.bytes(), ys.bytes()];
    bed.launch("saxpy_half2", [5, 1, 1], THREADS, 0, &arguments)?;
    expect(&bed.download::<u16>(ys, 512)?, &sum)
}

fn interpret(bed: &Bed) -> Result<(), Trouble> {
    let code: Vec<u8> = numbers(3, 40).iter().map(|v| *v as u8).collect();
    let run = |thread: u32| {
        let mut v = thread;
        for (pc, &op) in code.iter().enumerate() {
            v = match (u32::from(op) + (v & 1)) % 10 {
                0 => v.wrapping_add(7),
                1 => v.wrapping_mul(2_654_435_761),
                2 => v ^ (v >> 13),
                3 => v.reverse_bits(),
                4 => v.wrapping_sub(pc as u32),
                5 => v.rotate_left(5),
                6 => !v,
                7 => v / 3 + v % 5,
                8 => v.wrapping_add(v.count_ones()),
                _ => v.max(1),
            };
        }
        v
    };
    let (codes, out) = (bed.upload(&code)?, bed.upload(&[0_u32; 256])?);
    let arguments = [codes.bytes(), 40_u32.bytes(), out.bytes()];
    bed.launch("interpret", [4, 1, 1], THREADS, 0, &arguments)?;
    expect(
        &bed.download(out, 256)?,
        &(0..256).map(run).collect::<Vec<u32>>(),
    )
}

fn collatz(mut n: u64) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
        steps += 1;
    }
    steps
}

fn calls(bed: &Bed) -> Result<(), Trouble> {
    let pair = |a: u64, b: u32, c: f32| [a.bytes(), b.bytes(), c.bytes()].concat();
    let run = |thread: u32| {
        let mut p = (
            99 + u64::from(thread) * 1_234_567_891_011,
            5_u32,
            0.25 + thread as f32,
        );
        for _ in 0..thread % 5 {
            p = (
                p.0 / 7 + u64::from(p.1),
                (p.0 % 1_000_003) as u32,
                p.2.mul_add(0.5, -1.0),
            );
        }
        pair(p.0, p.1, p.2)
    };
    let (steps, out) = (bed.upload(&[0_u32; 128])?, bed.upload(&[0_u64; 256])?);
    let arguments = [pair(99, 5, 0.25), steps.bytes(), out.bytes()];
    bed.launch("calls", [2, 1, 1], THREADS, 0, &arguments)?;
    let expected: Vec<u32> = (1..=128).map(collatz).collect();
    expect(&bed.download(steps, 128)?, &expected)?;
    let expected: Vec<u8> = (0..128).flat_map(run).collect();
    expect(&bed.download::<u8>(out, 128 * 16)?, &expected)
}

fn normalise(bed: &Bed) -> Result<(), Trouble> {
    let points: Vec<f32> = numbers(4, 400)
        .iter()
        .map(|v| *v as f32 * 1e-6 - 2000.0)
        .collect();
    let normal = |p: &[f32]| {
        let length = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
        [p[0] / length, p[1] / length, p[2] / length, length]
    };
    let expected: Vec<f32> = points.chunks_exact(4).flat_map(normal).collect();
    let (from, out) = (bed.upload(&points)?, bed.upload(&[0.0_f32; 400])?);
    let arguments = [from.bytes(), out.bytes(), 100_u32.bytes()];
    bed.launch("normalise", [2, 1, 1], THREADS, 0, &arguments)?;
    expect(&bed.download(out, 400)?, &expected)
}

fn bits(bed: &Bed) -> Result<(), Trouble> {
    let x = numbers(5, 1000);
    let run = |(&a, &b): (&u32, &u32)| {
        let first_set = if a == 0 { 0 } else { a.trailing_zeros() + 1 };
        let mut r = a.count_ones() + 33 * b.leading_zeros() + 1000 * first_set;
        let (low, high) = (a.to_le_bytes(), b.to_le_bytes());
        let permuted = u32::from_le_bytes([low[0], high[3], low[2], high[1]]);
        let wide = u64::from(a) << 32 | u64::from(b);
        let funnel = (((u64::from(b) << 32) | u64::from(a)) << (a & 31) >> 32) as u32;
        r ^= permuted.wrapping_add(funnel);
        let high = ((u64::from(a) * u64::from(b)) >> 32) as u32;
        let signed_high = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
        r = r.wrapping_add(a.reverse_bits() ^ high ^ signed_high);
        r = r
            .wrapping_add(wide.count_ones())
            .wrapping_add(wide.leading_zeros());
        r = r.wrapping_add((wide / u64::from(a | 1)) as u32);
        r = r.wrapping_add((wide % u64::from(b | 1)) as u32);
        r = r.wrapping_add((wide as i64 >> 37) as u32);
        r = r.wrapping_add((a as i32).wrapping_div((b | 1) as i32) as u32);
        r.wrapping_add(a.abs_diff(b)).wrapping_add(3)
    };
    let expected: Vec<u32> = x.iter().zip(x.iter().cycle().skip(1)).map(run).collect();
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0_u32; 1000])?);
    let arguments = [from.bytes(), out.bytes(), 1000_u32.bytes()];
    bed.launch("bits", [16, 1, 1], THREADS, 0, &arguments)?;
    expect(&bed.download(out, 1000)?, &expected)
}

fn local_array(bed: &Bed) -> Result<(), Trouble> {
    const PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];
    let x = numbers(6, 256);
    let run = |thread: usize| {
        let mut stack: [u32; 16] = std::array::from_fn(|k| 1000 + k as u32);
        for k in 0..32 {
            let at = x[(thread + k) % 256].wrapping_add(k as u32) % 16;
            stack[at as usize] += PRIMES[(thread + k) % 8];
        }
        let at = |k: u32| stack[(k.wrapping_mul(x[thread]) % 16) as usize];
        (0..16).fold(0_u32, |r, k| r.wrapping_mul(31).wrapping_add(at(k)))
    };
    let expected: Vec<u32> = (0..256).map(run).collect();
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0_u32; 256])?);
    let arguments = [from.bytes(), out.bytes(), 256_u32.bytes()];
    bed.launch("local_array", [4, 1, 1], THREADS, 0, &arguments)?;
    expect(&bed.download(out, 256)?, &expected)
}
