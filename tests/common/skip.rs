//! Tests that a machine cannot run: they say so past the harness, which shows the output of failed tests only.

use std::io::{self, Write};

/// Prints that a test is skipped, and why.
pub fn skip(test: &str, reason: &str) {
    let line = format!("SKIPPED: {test}: {reason}\n");
    io::stderr().write_all(line.as_bytes()).unwrap();
}
