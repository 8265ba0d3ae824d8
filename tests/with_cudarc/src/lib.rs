//! Tests of warpfold with `cudarc`, and without `cust`. They open `libcuda.so.1`: NVIDIA's, or the one that is built of `virtual-gpu`.
