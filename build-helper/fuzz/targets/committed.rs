//! A file of device code with a hash that fits is refused, or has kernels of the source's rows and no others, whatever it contains.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| warpfold_build::judge(input));
