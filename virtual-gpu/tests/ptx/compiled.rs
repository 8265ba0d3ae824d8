//! The source of `compiled.ptx`. To make the PTX again, compile this as a separate crate with `crate-type = ["cdylib"]`,
//! `opt-level = 3`, `lto = "fat"`, `panic = "abort"` and `codegen-units = 1`:
//!
//!     cargo +nightly rustc --release -Zbuild-std=core --target nvptx64-nvidia-cuda -- \
//!       --emit=asm -Clinker=/bin/true -Ctarget-cpu=sm_80 -Zmir-enable-passes=-JumpThreading
//!
//! Mangled names were shortened by hand afterwards.

#![no_std]
#![feature(
    abi_ptx,
    stdarch_nvptx,
    asm_experimental_arch,
    link_llvm_intrinsics,
    core_intrinsics,
    gpu_intrinsics,
    simd_ffi,
    gpu_launch_sized_workgroup_mem
)]
#![allow(internal_features)]
use core::arch::asm;
use core::arch::nvptx::*;
#[panic_handler]
fn p(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
unsafe extern "C" {
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_down(m: i32, v: i32, d: i32, c: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32p"]
    fn shfl_up_p(m: i32, v: i32, d: i32, c: i32) -> (i32, bool);
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn ballot(m: i32, p: bool) -> i32;
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sum_f32(x: *const f32, n: usize, out: *mut f32) {
    unsafe {
        let smem = core::intrinsics::gpu::gpu_launch_sized_workgroup_mem::<f32>();
        let t = _thread_idx_x() as usize;
        let b = _block_dim_x() as usize;
        let mut i = _block_idx_x() as usize * b + t;
        let mut acc = 0.0f32;
        while i < n {
            acc += *x.add(i);
            i += b * _grid_dim_x() as usize;
        }
        let mut d = 16;
        while d > 0 {
            acc += f32::from_bits(shfl_down(-1, acc.to_bits() as i32, d, 31) as u32);
            d /= 2;
        }
        if t % 32 == 0 {
            *smem.add(t / 32) = acc;
        }
        _syncthreads();
        if t == 0 {
            let mut s = 0.0;
            let mut k = 0;
            while k < b / 32 {
                s += *smem.add(k);
                k += 1;
            }
            *out.add(_block_idx_x() as usize) = s;
        }
    }
}
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct V4([f32; 4]);
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn mix(
    x: *const V4,
    y: *mut f64,
    z: *mut u8,
    n: i32,
    sel: u32,
    q: *mut i64,
) {
    unsafe {
        let i = _thread_idx_x() as usize;
        let v = *x.add(i);
        let s = match sel {
            0 => v.0[0],
            1 => v.0[1].max(v.0[2]),
            2 => core::intrinsics::sqrtf32(v.0[3]),
            3 => v.0[0] / v.0[1],
            4 => core::intrinsics::fmaf32(v.0[0], 2.0, v.0[1]),
            5 => v.0[2].abs(),
            6 => -v.0[2],
            7 => v.0[1].copysign(v.0[2]),
            _ => v.0[2] % v.0[1],
        };
        *y.add(i) = s as f64 + (n as f64) / 3.0;
        *z.add(i) = s as u8;
        *q.add(i) = ((*q.add(i)).wrapping_mul(n as i64) / (sel as i64 + 1))
            .wrapping_add((s as i64).rotate_left(3))
            ^ (n.leading_zeros() as i64) + (sel.count_ones() as i64) + (sel.reverse_bits() as i64);
        let b = ballot(-1, s > 1.0);
        let (w, p) = shfl_up_p(-1, b, 1, 0);
        if p {
            *q.add(i) += w as i64;
        }
    }
}
static TABLE: [u32; 5] = [1, 2, 3, 4, 5];
#[inline(never)]
fn helper(a: u32, b: &mut [u32; 4]) -> u32 {
    let mut i = 0;
    while i < 4 {
        b[(a as usize + i) & 3] ^= TABLE[(a as usize + i) % 5];
        i += 1;
    }
    b[0] + a
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn calls(flag: *mut u64, out: *mut u32, arr: [u32; 4]) {
    unsafe {
        let mut b = arr;
        let t = _thread_idx_x() as u32;
        let r = helper(t, &mut b);
        let mut v: u64;
        loop {
            asm!("ld.acquire.gpu.global.u64 {}, [{}];", out(reg64) v, in(reg64) flag);
            if v >> 32 != 0 {
                break;
            }
        }
        let old: u32;
        asm!("atom.acq_rel.gpu.global.add.u32 {}, [{}], {};", out(reg32) old, in(reg64) out, in(reg32) 1u32);
        *out.add(1 + t as usize) = r + b[(t & 3) as usize] + v as u32 + old + TABLE[(t as usize)];
    }
}
