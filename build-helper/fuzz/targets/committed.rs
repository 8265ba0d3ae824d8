//! Reads files of device code with arbitrary contents and a correct hash. Each file is refused, or has only kernels of the source's rows.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| warpfold_build::judge(input));
