//! `cuGetErrorName` and `cuGetErrorString`.

use crate::driver::abi::Out;
use crate::driver::code::{Code, Outcome};
use std::ffi::{CStr, c_char};

pub(crate) fn name(number: i32, text: Out<*const c_char>) -> Outcome {
    answer(Code(number).name(), text)
}

pub(crate) fn description(number: i32, text: Out<*const c_char>) -> Outcome {
    answer(Code(number).description(), text)
}

fn answer(found: Option<&'static CStr>, text: Out<*const c_char>) -> Outcome {
    match found {
        Some(found) => text.write(found.as_ptr()),
        None => {
            text.write(std::ptr::null())?;
            Err(Code::INVALID_VALUE)
        }
    }
}
