//! Linkers. A linker holds the inputs of one image.
//!
//! An input is a PTX text or a library. The texts may refer to functions and variables of each other. A library is accepted, but its
//! contents are ignored, because the functions of the device runtime are built in. The image is one combined text, and faults report line
//! numbers of this text. In the combined text, the lines of the first input text keep their numbers.

use crate::driver::calls::jit::Logs;
use crate::driver::objects::context::Context;
use std::ffi::CString;
use std::sync::{Arc, Mutex, OnceLock};

/// A linker.
pub(crate) struct Linker {
    pub(crate) context: Arc<Context>,
    /// The log buffers that `cuLinkCreate` was given.
    pub(crate) logs: Logs,
    /// The texts that were added.
    pub(crate) texts: Mutex<Vec<String>>,
    pub(crate) image: OnceLock<CString>,
}
