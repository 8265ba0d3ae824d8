//! Reduction and scan kernels.
#![no_std]
