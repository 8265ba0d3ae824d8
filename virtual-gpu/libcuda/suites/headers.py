"""Kernels in CUDA C++ that use NVIDIA's headers: intrinsics, block algorithms of CUB, barriers and copies of libcu++.

Runs in the Python environment of `numba-cuda`'s tests. Prints a line for each kernel, as `cargo test` does.
"""

import sys
from pathlib import Path

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
from intrinsics import KERNELS as INTRINSICS, WORDS

THREADS = 128
HEADERS = Path(driver.__file__).parents[2] / "nvidia" / "cu13" / "include"

CUB = "#include <cub/{}.cuh>\n"
COPIES = "#include <cuda/barrier>\n#include <cuda/ptx>\n"

# Each entry has the same fields as those of `KERNELS` in `intrinsics.py`.
BLOCK_KERNELS = {
    "block_scan": (CUB.format("block/block_scan"), """
        using Scan = cub::BlockScan<unsigned, 128>;
        __shared__ typename Scan::TempStorage storage;
        unsigned items[4];
        for (int k = 0; k < 4; k++) items[k] = in[4 * threadIdx.x + k];
        Scan(storage).InclusiveSum(items, items);
        for (int k = 0; k < 4; k++) out[4 * threadIdx.x + k] = items[k];""", WORDS, lambda: np.cumsum(WORDS, dtype=np.uint32),
        "shfl.sync.up"),
    "block_radix_sort": (CUB.format("block/block_radix_sort"), """
        using Sort = cub::BlockRadixSort<unsigned, 128, 4>;
        __shared__ typename Sort::TempStorage storage;
        unsigned items[4];
        for (int k = 0; k < 4; k++) items[k] = in[4 * threadIdx.x + k];
        Sort(storage).Sort(items);
        for (int k = 0; k < 4; k++) out[4 * threadIdx.x + k] = items[k];""", WORDS, lambda: np.sort(WORDS), "st.shared.u32"),
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
        }""", WORDS, lambda: WORDS.reshape(4, 128)[:, ::-1].ravel(), "mbarrier.try_wait"),
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
        for (int i = threadIdx.x; i < 512; i += 128) out[i] = rows[511 - i];""", WORDS, lambda: WORDS[::-1],
        "cp.async.bulk.shared"),
    "copies_from_shared_memory": (COPIES, """
        __shared__ alignas(16) unsigned rows[512];
        for (int i = threadIdx.x; i < 512; i += 128) rows[i] = in[i] + 1;
        cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, rows, sizeof(rows));
            cuda::ptx::cp_async_bulk_commit_group();
            cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
        }""", WORDS, lambda: WORDS + np.uint32(1), "cp.async.bulk.global"),
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
        }""", WORDS, lambda: WORDS * np.uint32(2), "cp.async.ca.shared"),
}


def checked(result):
    code, *values = result
    if code != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(str(code))
    return values[0] if values else None


def run(device, stream, headers, body, given, expected, instruction):
    kind = "float" if given.dtype == np.float32 else "unsigned"
    text = f'{headers}extern "C" __global__ void __launch_bounds__(128) k({kind} *in, {kind} *out) {{ {body} }}'
    options = ProgramOptions(std="c++17", arch="sm_90", include_path=[str(HEADERS), str(HEADERS / "cccl")])
    code = Program(text, code_type="c++", options=options).compile("ptx")
    if instruction.encode() not in code.code:
        raise RuntimeError(f"the compiled text has no `{instruction}`")
    kernel = code.get_kernel("k")
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
    kernels = INTRINSICS | BLOCK_KERNELS
    for name in sys.argv[1:] or kernels:
        try:
            run(device, stream, *kernels[name])
            print(f"test {name} ... ok", flush=True)
        except Exception as error:
            print(f"{type(error).__name__}: {error}\ntest {name} ... FAILED", flush=True)


if __name__ == "__main__":
    main()
