//! Tests of warpfold with `cudarc`, and without `cust`. They open `libcuda.so.1`: NVIDIA's, or the one made from `virtual-gpu`.
