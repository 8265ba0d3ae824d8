//! Reads rank 0's id from a file with arbitrary bytes. The file is refused unless it is as long as an id.

#![no_main]

use std::fs;
use std::time::Duration;

// The target need not use all of this module.
#[allow(dead_code)]
#[path = "../../../examples/many_gpus/id_file.rs"]
mod id_file;

use id_file::Fault;

/// A reader accepts files up to this age, and waits this long for a complete file. This target has just written the file, so the file is
/// younger. The limit is short, so that a run with an incomplete file ends soon.
const LIMIT: Duration = Duration::from_millis(50);

/// Bytes of an id in this test. The number is small, so that the fuzzer soon finds inputs of this length.
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
