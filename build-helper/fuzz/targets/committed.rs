//! Whatever a file of device code says, with a hash that fits: it is refused, or has kernels of the source's rows alone.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| warpfold_build::judge(input));
