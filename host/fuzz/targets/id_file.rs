//! Reads files for rank 0's id with arbitrary bytes. Each file is refused, or is as long as an id.

#![no_main]

use std::fs;
use std::time::Duration;

// The target creates the file as an attacker would, so it does not use all functions of this module.
#[allow(dead_code)]
#[path = "../../../examples/many_gpus/id_file.rs"]
mod id_file;

use id_file::Fault;

/// The age of the oldest file that a reader accepts, and how long the reader waits for a complete file. Long enough for the file that was
/// just written, and short enough that an incomplete file ends the run at once.
const LIMIT: Duration = Duration::from_millis(50);

/// The number of bytes of an id here. It is small, so that the fuzzer soon finds inputs of this length.
const BYTES: usize = 16;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let path = std::env::temp_dir().join(format!("warpfold-fuzz-{}", std::process::id()));
    let _ = fs::remove_file(&path);
    let written = id_file::write(&path, input).unwrap();
    match (id_file::read::<BYTES>(&path, LIMIT), input.len()) {
        (Ok(id), BYTES) => assert_eq!(id, input),
        (Err(Fault::Missing(_)), 0..BYTES) => {}
        (Err(Fault::TooLong(BYTES)), length) if length > BYTES => {}
        (answer, length) => panic!("{length} bytes: {answer:?}"),
    }
    drop(written);
});
