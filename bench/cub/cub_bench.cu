// CUB's side of the benchmark: the device-wide calls that warpfold is compared with, for items of one type.
//
// The benchmark compiles this once for each element type, where there is an nvcc, and loads the library:
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -shared -Xcompiler -fPIC -DITEM=float -o libcub_f32.so cub_bench.cu
//
// Every function queues one call on a stream of the caller's, in the primary context that both sides share, and gives
// CUB's status. As is CUB's way, a call without temporary storage only says how many bytes of it are needed.
// Nothing here measures or checks: the caller does both, in the same way for both sides.

#include <cub/cub.cuh>
#include <cub/version.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#ifndef ITEM
#error "ITEM names the element type"
#endif

// One case: its name, and the device-wide algorithm. CUB takes the number of items as a 64-bit integer, as warpfold does.
#define CASE(name, algorithm)                                                                                  \
  extern "C" int cub_##name(void* temporary, std::size_t* temporary_bytes, const void* input, void* output,    \
                            std::uint64_t item_count, void* stream) {                                          \
    return algorithm(temporary, *temporary_bytes, static_cast<const ITEM*>(input), static_cast<ITEM*>(output), \
                     static_cast<std::int64_t>(item_count), static_cast<cudaStream_t>(stream));                \
  }

CASE(reduce_sum, cub::DeviceReduce::Sum)
CASE(reduce_max, cub::DeviceReduce::Max)
CASE(inclusive_sum, cub::DeviceScan::InclusiveSum)
CASE(exclusive_sum, cub::DeviceScan::ExclusiveSum)

// The version of CUB that was compiled, as 100000 * major + 100 * minor + patch.
extern "C" int cub_version() {
  return CUB_VERSION;
}
