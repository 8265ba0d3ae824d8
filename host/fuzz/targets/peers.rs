//! Gives a rank arbitrary messages from its peers about their shares. The rank must either refuse the messages with a fault that can be
//! printed, or compute shares that are within bounds.

#![no_main]

// The target uses only a part of these modules.
#[allow(dead_code)]
#[path = "../../src/error/fault.rs"]
mod fault;
#[allow(dead_code)]
#[path = "../../src/group/header.rs"]
mod header;
#[allow(dead_code)]
#[path = "../../src/group/layout.rs"]
mod layout;
#[path = "../../src/group/trial.rs"]
mod trial;

use fault::{Fault, Matter};

libfuzzer_sys::fuzz_target!(|input: &[u8]| trial::judge(input));
