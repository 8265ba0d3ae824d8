//! Changes a valid file of device code, corrects the file's hash, and reads the file. The reader must refuse it, or return only kernels of
//! the source's rows.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| warpfold_build::judge(input));
