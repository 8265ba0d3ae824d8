//! Reads files of device code with arbitrary contents and a correct hash. The reader must refuse the file, or return only kernels of the
//! source's rows.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| warpfold_build::judge(input));
