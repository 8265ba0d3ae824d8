//! Kernels as rustc's NVPTX back end emits them (LLVM 22): loops, shuffles, shared memory, calls, local arrays, jump tables, and panics
//! that are never reached.

mod support;

use support::{Arg, Device};

const COMPILED: &str = include_str!("ptx/compiled.ptx");

#[test]
fn a_grid_stride_sum_with_shuffles_and_shared_memory() {
    let device = Device::new();
    let module = device.load(COMPILED);
    let values: Vec<f32> = (0..10_000).map(|i| ((i * 7) % 100) as f32).collect();
    let input = device.upload(&values);
    let output = device.zeros(4 * 6);
    let args = [
        Arg::U64(input),
        Arg::U64(values.len() as u64),
        Arg::U64(output),
    ];
    let counters = device.launch(&module, "sum_f32", 6, 96, &args).unwrap();
    let sums: Vec<f32> = device.download(output, 6);
    assert_eq!(sums.iter().sum::<f32>(), values.iter().sum::<f32>());
    assert_eq!(counters.blocks, 6);
    assert_eq!(counters.barriers, 6);
    assert_eq!(counters.shuffles, 5 * 3 * 6);
    assert_eq!(counters.global_bytes_read, 40_000);
    assert_eq!(counters.global_bytes_written, 24);
    assert_eq!(counters.bank_conflicts, 0);
}

#[test]
fn the_same_seed_gives_the_same_counts() {
    let run = |seed| {
        let mut device = Device::new();
        device.options.seed = seed;
        let module = device.load(COMPILED);
        let input = device.upload(&[1.0_f32; 1000]);
        let output = device.zeros(40);
        let args = [Arg::U64(input), Arg::U64(1000), Arg::U64(output)];
        let counters = device.launch(&module, "sum_f32", 10, 64, &args).unwrap();
        (counters, device.download::<f32>(output, 10))
    };
    assert_eq!(run(3), run(3));
    assert_eq!(run(3).1, run(4).1);
}

/// The computation of the kernel `mix`, in Rust.
fn mix(v: [f32; 4], n: i32, sel: u32, q: i64) -> (f64, u8, i64) {
    let s = match sel {
        0 => v[0],
        1 => v[1].max(v[2]),
        2 => v[3].sqrt(),
        3 => v[0] / v[1],
        4 => v[0].mul_add(2.0, v[1]),
        5 => v[2].abs(),
        6 => -v[2],
        7 => v[1].copysign(v[2]),
        _ => v[2] % v[1],
    };
    let product = q.wrapping_mul(n.into()) / (i64::from(sel) + 1);
    let rotated = product.wrapping_add((s as i64).rotate_left(3));
    let counts = i64::from(n.leading_zeros()) + i64::from(sel.count_ones());
    (
        f64::from(s) + f64::from(n) / 3.0,
        s as u8,
        rotated ^ (counts + i64::from(sel.reverse_bits())),
    )
}

#[test]
fn arithmetic_agrees_with_the_host() {
    let device = Device::new();
    let module = device.load(COMPILED);
    let vectors: Vec<[f32; 4]> = (0..32)
        .map(|i| {
            let x = i as f32;
            [x * 1.25, 2.5 + x, 3.0 - x * 0.5, x * x]
        })
        .collect();
    let first: Vec<i64> = (0..32).map(|i| i * 1_000_003 - 7).collect();
    for sel in 0..10 {
        let n = -17 * (sel as i32 - 4);
        let x = device.upload(&vectors);
        let (y, z) = (device.zeros(256), device.zeros(32));
        let q = device.upload(&first);
        let args = [
            Arg::U64(x),
            Arg::U64(y),
            Arg::U64(z),
            Arg::U32(n as u32),
            Arg::U32(sel),
            Arg::U64(q),
        ];
        device.launch(&module, "mix", 1, 32, &args).unwrap();
        let expected: Vec<_> = (0..32).map(|i| mix(vectors[i], n, sel, first[i])).collect();
        let ballot = expected.iter().enumerate().fold(0_u32, |mask, (lane, e)| {
            let s = e.0 - f64::from(n) / 3.0;
            mask | u32::from(s > 1.0) << lane
        });
        let y: Vec<f64> = device.download(y, 32);
        let z: Vec<u8> = device.download(z, 32);
        let q: Vec<i64> = device.download(q, 32);
        for (lane, (float, byte, long)) in expected.into_iter().enumerate() {
            assert_eq!((y[lane], z[lane]), (float, byte), "sel {sel} lane {lane}");
            let added = if lane == 0 {
                0
            } else {
                i64::from(ballot as i32)
            };
            assert_eq!(q[lane], long + added, "sel {sel} lane {lane}");
        }
    }
}

#[test]
fn calls_local_arrays_and_acquire_loads() {
    let device = Device::new();
    let module = device.load(COMPILED);
    let flag = device.upload(&[5_u64 << 32 | 100]);
    let out = device.zeros(24);
    let shape = virtual_gpu::Shape {
        grid: [1, 1, 1],
        block: [5, 1, 1],
        dynamic_shared_bytes: 0,
    };
    let mut params = Vec::new();
    params.extend(flag.to_le_bytes());
    params.extend(out.to_le_bytes());
    for value in [10_u32, 20, 30, 40] {
        params.extend(value.to_le_bytes());
    }
    let kernel = module.kernel("calls").unwrap();
    let run = kernel.launch(
        &shape,
        &params,
        &device.memory,
        &device.config,
        &device.options,
    );
    let counters = run.unwrap();
    assert_eq!(kernel.parameters().len(), 3);
    assert_eq!(counters.local_bytes, 5 * (16 + 4 * 8 + 4 + 4));
    let table = [1, 2, 3, 4, 5];
    let mut results: Vec<u32> = device.download(out, 6);
    assert_eq!(results.remove(0), 5);
    for (t, result) in results.into_iter().enumerate() {
        let mut b = [10, 20, 30, 40];
        for i in 0..4 {
            b[(t + i) & 3] ^= table[(t + i) % 5];
        }
        let known = b[0] + t as u32 + b[t & 3] + 100 + table[t];
        // The result also includes the counter's old value, which is 0 to 4.
        assert!((known..known + 5).contains(&result), "thread {t}");
    }
}
