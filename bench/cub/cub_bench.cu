// CUB's side of the benchmark: the device-wide calls that warpfold is compared with, for items of one type.
//
// The benchmark compiles this file once for each element type, if there is an nvcc, and loads the library:
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -cudart=static -shared -Xcompiler -fPIC \
//          -DWARPFOLD_ITEM=float -DWARPFOLD_WIDE=double -o libcub_f32.so cub_bench.cu
//
// Every function queues one call on a stream of the caller's, in the primary context that both sides share, and returns CUB's status. As
// usual in CUB, a call without temporary storage only reports how many bytes of it are needed. Nothing here measures or checks: the
// caller does both, in the same way for both sides.

#include <cub/cub.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#if !defined(WARPFOLD_ITEM) || !defined(WARPFOLD_WIDE)
#error "WARPFOLD_ITEM names the element type, WARPFOLD_WIDE the type of its wide sum"
#endif

using Item = WARPFOLD_ITEM;
using Wide = WARPFOLD_WIDE;

// The sum in a wider type. With the operator's type, CUB converts each item before it adds it.
template <typename Input, typename Output, typename Count>
cudaError_t wide_sum(void* temporary, std::size_t& temporary_bytes, Input input, Output output, Count item_count,
                     cudaStream_t stream) {
  return cub::DeviceReduce::Reduce(temporary, temporary_bytes, input, output, item_count, cuda::std::plus<Wide>{},
                                   Wide(0), stream);
}

// One case: its name, the device-wide algorithm and the output's type. CUB takes the number of items as a 64-bit integer,
// as warpfold does.
#define CASE(name, algorithm, Output)                                                                            \
  extern "C" int cub_##name(void* temporary, std::size_t* temporary_bytes, const void* input, void* output,      \
                            std::uint64_t item_count, void* stream) {                                            \
    return algorithm(temporary, *temporary_bytes, static_cast<const Item*>(input), static_cast<Output*>(output), \
                     static_cast<std::int64_t>(item_count), static_cast<cudaStream_t>(stream));                  \
  }

CASE(reduce_sum, cub::DeviceReduce::Sum, Item)
CASE(reduce_max, cub::DeviceReduce::Max, Item)
CASE(reduce_wide_sum, wide_sum, Wide)
CASE(inclusive_sum, cub::DeviceScan::InclusiveSum, Item)
CASE(exclusive_sum, cub::DeviceScan::ExclusiveSum, Item)

// The version of CUB that was compiled, as 100000 * major + 100 * minor + patch.
extern "C" int cub_version() {
  return CUB_VERSION;
}
