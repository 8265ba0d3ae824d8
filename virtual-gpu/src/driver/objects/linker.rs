//! Linkers: what becomes one image.
//!
//! Modelled is what a kernel needs that calls the device runtime: one PTX text, and libraries. A
//! library is taken and not looked at, as the device runtime's calls are a part of the virtual
//! device. The image is the text again. Not modelled: several texts that refer to each other.

use crate::driver::calls::jit::Logs;
use crate::driver::objects::context::Context;
use std::ffi::CString;
use std::sync::{Arc, OnceLock};

/// A linker.
pub(crate) struct Linker {
    pub(crate) context: Arc<Context>,
    /// Where its owner wants the logs.
    pub(crate) logs: Logs,
    /// The text that was added.
    pub(crate) text: OnceLock<CString>,
}
