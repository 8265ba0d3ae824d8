//! Lets a test say that this machine cannot run it. The message is written to stderr directly, because the harness shows only the output of
//! failed tests.

use std::io::{self, Write};

/// Prints that a test is skipped, and why.
pub fn skip(test: &str, reason: &str) {
    let line = format!("SKIPPED: {test}: {reason}\n");
    io::stderr().write_all(line.as_bytes()).unwrap();
}
