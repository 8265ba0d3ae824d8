// CUB's side of the benchmark's shapes: segments, columns, selections and keys, for items of f32.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -cudart=static -shared -Xcompiler -fPIC -o libcub_shapes.so shapes.cu
//
// Every function queues one call on a stream of the caller's, and returns CUB's status. As usual in CUB, a call without temporary storage
// only reports how many bytes of it are needed. If this version of CUB has no call for a shape, the shape has no function. Nothing here
// measures or checks: the caller does both, in the same way for both sides.

#include <cub/cub.cuh>
#include <cub/version.cuh>
#include <cuda/std/functional>
#include <cuda_runtime.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cstddef>
#include <cstdint>

#define NEWER (CUB_VERSION >= 300600)
#if NEWER
#include <cub/device/device_segmented_scan.cuh>
#endif

// The memory of a call; each shape uses a part of it.
struct Arguments {
  const float* input;
  const float* second;
  // Numbers of 32 bits, one more than there are segments.
  const std::int32_t* offsets;
  const std::uint8_t* flags;
  const std::uint32_t* keys;
  float* output;
  std::uint32_t* keys_out;
  std::int64_t* index;
  std::int64_t item_count;
  std::int64_t segment_count;
  std::int64_t segment_items;
};

struct Squared {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

struct Times {
  template <class Pair> __host__ __device__ float operator()(const Pair& p) const {
    return thrust::get<0>(p) * thrust::get<1>(p);
  }
};

struct NonZero {
  __host__ __device__ bool operator()(float x) const { return x != 0.0f; }
};

struct Extremes {
  float least, largest;
};

struct ToExtremes {
  __host__ __device__ Extremes operator()(float x) const { return {x, x}; }
};

struct MergeExtremes {
  __host__ __device__ Extremes operator()(const Extremes& a, const Extremes& b) const {
    return {a.least < b.least ? a.least : b.least, a.largest > b.largest ? a.largest : b.largest};
  }
};

#define SHAPE(name, call)                                                                                        \
  extern "C" int shape_##name(void* temporary, std::size_t* temporary_bytes, const Arguments* a, void* stream_) { \
    auto stream = static_cast<cudaStream_t>(stream_);                                                            \
    std::size_t& bytes = *temporary_bytes;                                                                       \
    return call;                                                                                                 \
  }

SHAPE(arg_min, cub::DeviceReduce::ArgMin(temporary, bytes, a->input, a->output, a->index, a->item_count, stream))
SHAPE(arg_max, cub::DeviceReduce::ArgMax(temporary, bytes, a->input, a->output, a->index, a->item_count, stream))
SHAPE(min_max, cub::DeviceReduce::TransformReduce(temporary, bytes, a->input, reinterpret_cast<Extremes*>(a->output),
                                                  a->item_count, MergeExtremes{}, ToExtremes{}, Extremes{2.0f, -1.0f},
                                                  stream))
SHAPE(sum_of_squares, cub::DeviceReduce::TransformReduce(temporary, bytes, a->input, a->output, a->item_count,
                                                         cuda::std::plus<>{}, Squared{}, 0.0f, stream))
SHAPE(dot, cub::DeviceReduce::TransformReduce(
               temporary, bytes, thrust::make_zip_iterator(thrust::make_tuple(a->input, a->second)), a->output,
               a->item_count, cuda::std::plus<>{}, Times{}, 0.0f, stream))
SHAPE(segmented_sum, cub::DeviceSegmentedReduce::Sum(temporary, bytes, a->input, a->output, a->segment_count,
                                                     a->offsets, a->offsets + 1, stream))
SHAPE(select_if, cub::DeviceSelect::If(temporary, bytes, a->input, a->output, a->index, a->item_count,
                                       NonZero{}, stream))
SHAPE(select_flagged, cub::DeviceSelect::Flagged(temporary, bytes, a->input, a->flags, a->output, a->index,
                                                 a->item_count, stream))
SHAPE(partition_if, cub::DevicePartition::If(temporary, bytes, a->input, a->output, a->index, a->item_count,
                                             NonZero{}, stream))
SHAPE(run_length_encode,
      cub::DeviceRunLengthEncode::Encode(temporary, bytes, a->keys, a->keys_out,
                                         reinterpret_cast<std::int32_t*>(a->output), a->index, a->item_count, stream))
SHAPE(reduce_by_key, cub::DeviceReduce::ReduceByKey(temporary, bytes, a->keys, a->keys_out, a->input, a->output, a->index,
                                                    cuda::std::plus<>{}, a->item_count, stream))
SHAPE(inclusive_sum_by_key, cub::DeviceScan::InclusiveSumByKey(temporary, bytes, a->keys, a->input, a->output,
                                                               a->item_count, cuda::std::equal_to<>{}, stream))
SHAPE(exclusive_sum_by_key, cub::DeviceScan::ExclusiveSumByKey(temporary, bytes, a->keys, a->input, a->output,
                                                               a->item_count, cuda::std::equal_to<>{}, stream))
#if NEWER
SHAPE(segmented_sum_of_rows, cub::DeviceSegmentedReduce::Sum(temporary, bytes, a->input, a->output, a->segment_count,
                                                             static_cast<int>(a->segment_items), stream))
SHAPE(segmented_inclusive_sum,
      cub::DeviceSegmentedScan::InclusiveSegmentedSum(temporary, bytes, a->input, a->output, a->offsets,
                                                      a->offsets + 1, a->segment_count, stream))
#endif

// The version of CUB that was compiled, as 100000 * major + 100 * minor + patch.
extern "C" int cub_version() {
  return CUB_VERSION;
}
