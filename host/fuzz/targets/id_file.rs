//! Whatever is in the file for rank 0's id: it is refused, or has as many bytes as an id.

#![no_main]

use std::fs;
use std::time::Duration;

// The target writes the file as an attacker would.
#[allow(dead_code)]
#[path = "../../../examples/many_gpus/id_file.rs"]
mod id_file;

use id_file::Fault;

/// Long enough for the file to be of this run, and over at once where it is not complete.
const LIMIT: Duration = Duration::from_millis(50);

/// Bytes of an id here: few, so that inputs soon have as many.
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
