//! Reductions, scans, votes, atomic operations, and waits between blocks.

use super::Check;
use super::bed::{Bed, Trouble, Value, expect, numbers};

pub const CHECKS: &[Check] = &[
    ("sum_naive", sum_naive),
    ("sum_shared", |bed| sum(bed, "sum_shared", 12)),
    ("sum_shuffle", |bed| sum(bed, "sum_shuffle", 3)),
    ("dot_dp4a", dot_dp4a),
    ("scan_kogge_stone", scan_kogge_stone),
    ("histogram", histogram),
    ("last_block_sum", last_block_sum),
    ("handed_on", handed_on),
    ("votes", votes),
    ("atomics64", atomics64),
];

const BLOCK: [u32; 3] = [256, 1, 1];

fn sum_naive(bed: &Bed) -> Result<(), Trouble> {
    let x: Vec<f32> = numbers(10, 3000).iter().map(|v| *v as f32 * 1e-9).collect();
    let run = |thread: usize| x.iter().skip(thread).step_by(512).fold(0.0, |s, v| s + v);
    let expected: Vec<f32> = (0..512).map(run).collect();
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0.0_f32; 512])?);
    let arguments = [from.bytes(), out.bytes(), 3000_u32.bytes()];
    bed.launch("sum_naive", [2, 1, 1], BLOCK, 0, &arguments)?;
    expect(&bed.download(out, 512)?, &expected)
}

fn sum(bed: &Bed, kernel: &str, blocks: u32) -> Result<(), Trouble> {
    let x: Vec<i32> = numbers(11, 3000).iter().map(|v| *v as i32).collect();
    let expected = x.iter().fold(0_i32, |s, v| s.wrapping_add(*v));
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0_i32])?);
    let arguments = [from.bytes(), out.bytes(), 3000_u32.bytes()];
    bed.launch(kernel, [blocks, 1, 1], BLOCK, 0, &arguments)?;
    expect(&bed.download(out, 1)?, &[expected])
}

fn dot_dp4a(bed: &Bed) -> Result<(), Trouble> {
    let (a, b) = (numbers(12, 2000), numbers(13, 2000));
    let dot = |(a, b): (&u32, &u32)| {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        products
            .map(|(a, b)| i32::from(a as i8) * i32::from(b as i8))
            .sum::<i32>()
    };
    let expected: i32 = a.iter().zip(&b).map(dot).sum();
    let (first, second) = (bed.upload(&a)?, bed.upload(&b)?);
    let out = bed.upload(&[0_i32])?;
    let arguments = [first.bytes(), second.bytes(), out.bytes(), 2000_u32.bytes()];
    bed.launch("dot_dp4a", [2, 1, 1], BLOCK, 0, &arguments)?;
    expect(&bed.download(out, 1)?, &[expected])
}

fn scan_kogge_stone(bed: &Bed) -> Result<(), Trouble> {
    let x = numbers(14, 1000);
    let scan = |block: &[u32]| {
        let add = |s: &mut u32, v: &u32| {
            *s = s.wrapping_add(*v);
            Some(*s)
        };
        block.iter().scan(0_u32, add).collect::<Vec<_>>()
    };
    let expected: Vec<u32> = x.chunks(256).flat_map(scan).collect();
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0_u32; 1000])?);
    let arguments = [from.bytes(), out.bytes(), 1000_u32.bytes()];
    bed.launch("scan_kogge_stone", [4, 1, 1], BLOCK, 0, &arguments)?;
    expect(&bed.download(out, 1000)?, &expected)
}

fn histogram(bed: &Bed) -> Result<(), Trouble> {
    let x: Vec<u8> = numbers(15, 5000).iter().map(|v| (v % 97) as u8).collect();
    let mut expected = [0_u32; 256];
    x.iter().for_each(|v| expected[usize::from(*v)] += 1);
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0_u32; 256])?);
    let arguments = [from.bytes(), out.bytes(), 5000_u32.bytes()];
    bed.launch("histogram", [3, 1, 1], [128, 1, 1], 0, &arguments)?;
    expect(&bed.download(out, 256)?, &expected)
}

fn last_block_sum(bed: &Bed) -> Result<(), Trouble> {
    let x = numbers(16, 2500);
    let expected = x.iter().fold(0_u32, |s, v| s.wrapping_add(*v));
    let (from, partial) = (bed.upload(&x)?, bed.upload(&[0_u32; 10])?);
    let (count, out) = (bed.upload(&[0_u32])?, bed.upload(&[0_u32])?);
    let addresses = [from, partial, count, out].map(Value::bytes);
    let arguments = [&addresses[..], &[2500_u32.bytes()]].concat();
    bed.launch("last_block_sum", [10, 1, 1], BLOCK, 0, &arguments)?;
    expect(&bed.download(out, 1)?, &[expected])?;
    expect(&bed.download(count, 1)?, &[0_u32])
}

fn handed_on(bed: &Bed) -> Result<(), Trouble> {
    let mut value = 1_u32;
    let mut expected = Vec::new();
    for block in 0..20 {
        expected.push(value);
        value = value.wrapping_mul(3).wrapping_add(block);
    }
    let (flag, values) = (bed.upload(&[0_u32; 20])?, bed.upload(&[0_u32; 20])?);
    let out = bed.upload(&[0_u32; 20])?;
    let arguments = [flag, values, out].map(Value::bytes);
    bed.launch("handed_on", [20, 1, 1], [32, 1, 1], 0, &arguments)?;
    expect(&bed.download(out, 20)?, &expected)
}

fn votes(bed: &Bed) -> Result<(), Trouble> {
    let x: Vec<u32> = numbers(17, 512).iter().map(|v| v % 700).collect();
    let of_warp = |warp: &[u32]| {
        let mask = |holds: &dyn Fn(u32) -> bool| {
            let lanes = warp.iter().enumerate().filter(|(_, v)| holds(**v));
            lanes.fold(0_u32, |mask, (lane, _)| mask | 1 << lane)
        };
        let odd = mask(&|v| v % 2 == 1);
        let any = if warp.contains(&0) { 5 } else { 0 };
        let all = if warp.iter().all(|v| *v < 1000) { 9 } else { 0 };
        let (sum, max) = (
            warp.iter().sum::<u32>(),
            warp.iter().max().copied().unwrap_or(0),
        );
        let lane = |&v: &u32| {
            let same = mask(&|other| other % 4 == v % 4);
            let mut r = odd ^ same.wrapping_mul(3) ^ any ^ all;
            if v % 2 == 1 {
                r = r.wrapping_add(warp[odd.trailing_zeros() as usize]);
            }
            r.wrapping_add(sum).wrapping_add(max)
        };
        warp.iter().map(lane).collect::<Vec<_>>()
    };
    let expected: Vec<u32> = x.chunks(32).flat_map(of_warp).collect();
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0_u32; 512])?);
    let arguments = [from.bytes(), out.bytes(), 512_u32.bytes()];
    bed.launch("votes", [2, 1, 1], BLOCK, 0, &arguments)?;
    expect(&bed.download(out, 512)?, &expected)
}

fn atomics64(bed: &Bed) -> Result<(), Trouble> {
    let words = numbers(18, 1200);
    let x: Vec<u64> = words
        .chunks_exact(2)
        .map(|w| u64::from(w[0]) << 32 | u64::from(w[1]))
        .collect();
    let signed = |v: &u64| *v as i64;
    let expected = [
        x.iter().fold(0_u64, |s, v| s.wrapping_add(*v)),
        x.iter().copied().max().unwrap_or(0),
        x.iter().map(signed).min().unwrap_or(0).min(0) as u64,
        x.iter().fold(0, |s, v| s ^ v),
        x.iter().fold(0, |s, v| s | v >> 32),
    ];
    let largest = x.iter().map(|v| *v as i64 as f64).fold(-1e300, f64::max);
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0_u64; 5])?);
    let double = bed.upload(&[-1e300])?;
    let arguments = [from.bytes(), out.bytes(), double.bytes(), 600_u32.bytes()];
    bed.launch("atomics64", [3, 1, 1], BLOCK, 0, &arguments)?;
    expect(&bed.download(out, 5)?, &expected)?;
    expect(&bed.download(double, 1)?, &[largest])
}
