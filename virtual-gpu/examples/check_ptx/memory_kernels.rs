//! Kernels that move data: a product of matrices in tiles, a transposition, a sort, a reversal, and asynchronous copies.

use super::Check;
use super::bed::{Bed, Trouble, Value, expect, numbers};

pub const CHECKS: &[Check] = &[
    ("matmul_tiled", matmul_tiled),
    ("transpose", transpose),
    ("bitonic_sort", bitonic_sort),
    ("reverse_dynamic", reverse_dynamic),
    ("copied_ahead", copied_ahead),
];

fn matmul_tiled(bed: &Bed) -> Result<(), Trouble> {
    const N: usize = 48;
    let floats = |seed| -> Vec<f32> {
        numbers(seed, N * N)
            .iter()
            .map(|v| *v as f32 * 1e-9 - 2.0)
            .collect()
    };
    let (a, b) = (floats(20), floats(21));
    let product = |at: usize| {
        let (row, column) = (at / N, at % N);
        (0..N).fold(0.0, |s, k| a[row * N + k].mul_add(b[k * N + column], s))
    };
    let expected: Vec<f32> = (0..N * N).map(product).collect();
    let (first, second) = (bed.upload(&a)?, bed.upload(&b)?);
    let out = bed.upload(&vec![0.0_f32; N * N])?;
    let arguments = [
        first.bytes(),
        second.bytes(),
        out.bytes(),
        (N as u32).bytes(),
    ];
    bed.launch("matmul_tiled", [3, 3, 1], [16, 16, 1], 0, &arguments)?;
    expect(&bed.download(out, N * N)?, &expected)
}

fn transpose(bed: &Bed) -> Result<(), Trouble> {
    const WIDTH: usize = 70;
    const HEIGHT: usize = 45;
    let x: Vec<f64> = numbers(22, WIDTH * HEIGHT)
        .iter()
        .map(|v| f64::from(*v))
        .collect();
    let turned = |at: usize| x[at % HEIGHT * WIDTH + at / HEIGHT];
    let expected: Vec<f64> = (0..WIDTH * HEIGHT).map(turned).collect();
    let (from, out) = (bed.upload(&x)?, bed.upload(&vec![0.0_f64; WIDTH * HEIGHT])?);
    let sizes = [WIDTH as u32, HEIGHT as u32].map(Value::bytes);
    let arguments = [&[from.bytes(), out.bytes()], &sizes[..]].concat();
    bed.launch("transpose", [3, 2, 1], [32, 8, 1], 0, &arguments)?;
    expect(&bed.download(out, WIDTH * HEIGHT)?, &expected)
}

fn bitonic_sort(bed: &Bed) -> Result<(), Trouble> {
    let x: Vec<i32> = numbers(23, 1024).iter().map(|v| *v as i32).collect();
    let mut expected = x.clone();
    expected.chunks_mut(512).for_each(<[i32]>::sort_unstable);
    let data = bed.upload(&x)?;
    bed.launch("bitonic_sort", [2, 1, 1], [512, 1, 1], 0, &[data.bytes()])?;
    expect(&bed.download(data, 1024)?, &expected)
}

/// Uses 64 KiB of shared memory, more than a block gets without opting in.
fn reverse_dynamic(bed: &Bed) -> Result<(), Trouble> {
    const COUNT: usize = 16_384;
    let mut x: Vec<i32> = numbers(24, COUNT).iter().map(|v| *v as i32).collect();
    let data = bed.upload(&x)?;
    let arguments = [data.bytes(), (COUNT as u32).bytes()];
    let bytes = 4 * COUNT as u32;
    bed.launch("reverse_dynamic", [1, 1, 1], [256, 1, 1], bytes, &arguments)?;
    x.reverse();
    expect(&bed.download(data, COUNT)?, &x)
}

fn copied_ahead(bed: &Bed) -> Result<(), Trouble> {
    const TILES: usize = 5;
    let x: Vec<i32> = numbers(25, TILES * 128 * 4)
        .iter()
        .map(|v| *v as i32)
        .collect();
    let run = |thread: usize| {
        let mut s = [0_i32; 4];
        for tile in 0..TILES {
            let v = &x[(tile * 128 + (thread ^ 1)) * 4..][..4];
            s = [
                s[0].wrapping_add(v[0]),
                s[1] ^ v[1],
                s[2].max(v[2]),
                s[3].wrapping_sub(v[3]),
            ];
        }
        s
    };
    let expected: Vec<i32> = (0..128).flat_map(run).collect();
    let (from, out) = (bed.upload(&x)?, bed.upload(&[0_i32; 512])?);
    let arguments = [from.bytes(), out.bytes(), (TILES as u32).bytes()];
    bed.launch("copied_ahead", [1, 1, 1], [128, 1, 1], 0, &arguments)?;
    expect(&bed.download(out, 512)?, &expected)
}
