"""Kernels in CUDA C++ that are made of NVIDIA's headers: block algorithms of CUB, barriers and copies of libcu++, intrinsics.

Runs in the Python environment of `numba-cuda`'s tests. Prints a line for each kernel, as `cargo test` does.
"""

import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

THREADS = 128
HEADERS = Path(driver.__file__).parents[2] / "nvidia" / "cu13" / "include"
RANDOM = np.random.default_rng(7)
WORDS = RANDOM.integers(0, 1 << 32, 4 * THREADS, np.uint32)
FLOATS = RANDOM.normal(0, 100, 4 * THREADS).astype(np.float32)


def parts(words, kind):
    return words.view(kind).astype(np.int64)


def absolute_differences(bits):
    kind = {8: np.uint8, 16: np.uint16}[bits]
    return abs(parts(WORDS, kind) - parts(np.roll(WORDS, 1), kind)), kind


def sums(bits):
    differences, _ = absolute_differences(bits)
    return differences.reshape(len(WORDS), -1).sum(1).astype(np.uint32)


def dot_products():
    pairs = parts(WORDS, np.uint8) * parts(np.roll(WORDS, 1), np.uint8)
    return (pairs.reshape(len(WORDS), -1).sum(1) + 5).astype(np.uint32)


def tensor_floats():
    """Rounded to ten bits behind the point, ties away from zero."""
    return ((FLOATS.view(np.uint32) + 0x1000) & 0xFFFFE000).view(np.float32)


EACH = "for (int i = threadIdx.x; i < 512; i += 128) out[i] = {};"
CUB = "#include <cub/{}.cuh>\n"
COPIES = "#include <cuda/barrier>\n#include <cuda/ptx>\n"

# Headers, the kernel's body on `in` and `out` of 512 items, the input, what is expected.
KERNELS = {
    "vabsdiffu4": ("", EACH.format("__vabsdiffu4(in[i], in[(i + 511) % 512])"), WORDS,
        lambda: absolute_differences(8)[0].astype(np.uint8).view(np.uint32)),
    "vsadu4": ("", EACH.format("__vsadu4(in[i], in[(i + 511) % 512])"), WORDS, lambda: sums(8)),
    "vsadu2": ("", EACH.format("__vsadu2(in[i], in[(i + 511) % 512])"), WORDS, lambda: sums(16)),
    "dp4a": ("", EACH.format("__dp4a(in[i], in[(i + 511) % 512], 5u)"), WORDS, dot_products),
    "tensor_floats": ("#include <mma.h>\n", EACH.format("nvcuda::wmma::__float_to_tf32(in[i])"), FLOATS, tensor_floats),
    "block_scan": (CUB.format("block/block_scan"), """
        using Scan = cub::BlockScan<unsigned, 128>;
        __shared__ typename Scan::TempStorage storage;
        unsigned items[4];
        for (int k = 0; k < 4; k++) items[k] = in[4 * threadIdx.x + k];
        Scan(storage).InclusiveSum(items, items);
        for (int k = 0; k < 4; k++) out[4 * threadIdx.x + k] = items[k];""", WORDS, lambda: np.cumsum(WORDS, dtype=np.uint32)),
    "block_radix_sort": (CUB.format("block/block_radix_sort"), """
        using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
        __shared__ typename Sort::TempStorage storage;
        unsigned items[4];
        for (int k = 0; k < 4; k++) items[k] = in[4 * threadIdx.x + k];
        Sort(storage).Sort(items);
        for (int k = 0; k < 4; k++) out[4 * threadIdx.x + k] = items[k];""", WORDS, lambda: np.sort(WORDS)),
    "barrier": ("#include <cuda/barrier>\n", """
        using Barrier = cuda::barrier<cuda::thread_scope_block>;
        #pragma nv_diag_suppress static_var_with_dynamic_init
        __shared__ Barrier barrier;
        __shared__ unsigned row[128];
        if (threadIdx.x == 0) init(&barrier, 128);
        __syncthreads();
        for (int k = 0; k < 4; k++) {
            row[threadIdx.x] = in[128 * k + threadIdx.x];
            barrier.wait(barrier.arrive());
            out[128 * k + threadIdx.x] = row[127 - threadIdx.x];
            barrier.arrive_and_wait();
        }""", WORDS, lambda: WORDS.reshape(4, 128)[:, ::-1].ravel()),
    "copies_to_shared_memory": ("#include <cuda/barrier>\n", """
        using Barrier = cuda::barrier<cuda::thread_scope_block>;
        __shared__ alignas(16) unsigned rows[512];
        #pragma nv_diag_suppress static_var_with_dynamic_init
        __shared__ Barrier barrier;
        if (threadIdx.x == 0) { init(&barrier, 128); cuda::device::experimental::fence_proxy_async_shared_cta(); }
        __syncthreads();
        Barrier::arrival_token token;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(rows, in, cuda::aligned_size_t<16>(sizeof(rows)), barrier);
            token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(rows));
        } else token = barrier.arrive();
        barrier.wait(std::move(token));
        for (int i = threadIdx.x; i < 512; i += 128) out[i] = rows[511 - i];""", WORDS, lambda: WORDS[::-1]),
    "copies_from_shared_memory": (COPIES, """
        __shared__ alignas(16) unsigned rows[512];
        for (int i = threadIdx.x; i < 512; i += 128) rows[i] = in[i] + 1;
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, rows, sizeof(rows));
            cuda::ptx::cp_async_bulk_commit_group();
            cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
        }""", WORDS, lambda: WORDS + np.uint32(1)),
    "pipeline": ("#include <cuda/pipeline>\n", """
        __shared__ alignas(16) unsigned rows[2][128];
        auto pipeline = cuda::make_pipeline();
        auto fetch = [&](int k) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&rows[k % 2][threadIdx.x], &in[128 * k + threadIdx.x], cuda::aligned_size_t<4>(4), pipeline);
            pipeline.producer_commit();
        };
        fetch(0);
        for (int k = 0; k < 4; k++) {
            if (k < 3) fetch(k + 1);
            if (k < 3) cuda::pipeline_consumer_wait_prior<1>(pipeline); else cuda::pipeline_consumer_wait_prior<0>(pipeline);
            out[128 * k + threadIdx.x] = 2 * rows[k % 2][threadIdx.x];
            pipeline.consumer_release();
        }""", WORDS, lambda: WORDS * np.uint32(2)),
}


def checked(result):
    code, *values = result
    if code != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(code))
    return values[0] if values else None


def run(device, stream, headers, body, given, expected):
    kind = "float" if given.dtype == np.float32 else "unsigned"
    text = f'{headers}extern "C" __global__ void __launch_bounds__(128) k({kind} *in, {kind} *out) {{ {body} }}'
    options = ProgramOptions(std="c++17", arch="sm_90", include_path=[str(HEADERS), str(HEADERS / "cccl")])
    kernel = Program(text, code_type="c++", options=options).compile("ptx").get_kernel("k")
    result = np.zeros_like(given)
    to, out = (checked(driver.cuMemAlloc(given.nbytes)) for _ in range(2))
    checked(driver.cuMemcpyHtoD(to, given.ctypes.data, given.nbytes))
    launch(stream, LaunchConfig(grid=1, block=THREADS), kernel, int(to), int(out))
    stream.sync()
    checked(driver.cuMemcpyDtoH(result.ctypes.data, out, given.nbytes))
    np.testing.assert_array_equal(result, expected())


def main():
    device = Device()
    device.set_current()
    stream = device.create_stream()
    for name in sys.argv[1:] or KERNELS:
        try:
            run(device, stream, *KERNELS[name])
            print(f"test {name} ... ok", flush=True)
        except Exception as error:
            print(f"{type(error).__name__}: {error}\ntest {name} ... FAILED", flush=True)


if __name__ == "__main__":
    main()
