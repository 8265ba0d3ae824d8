//! Linkers: what becomes one image.
//!
//! Added are PTX texts that name each other's functions and variables, and libraries. A library is taken and not looked at, as
//! the device runtime's calls are a part of the virtual device. The image is one text that says what all of them say. A fault
//! names lines of that text: those of the first are as they were.

use crate::driver::calls::jit::Logs;
use crate::driver::objects::context::Context;
use std::ffi::CString;
use std::sync::{Arc, Mutex, OnceLock};

/// A linker.
pub(crate) struct Linker {
    pub(crate) context: Arc<Context>,
    /// Where its owner wants the logs.
    pub(crate) logs: Logs,
    /// The texts that were added.
    pub(crate) texts: Mutex<Vec<String>>,
    pub(crate) image: OnceLock<CString>,
}
