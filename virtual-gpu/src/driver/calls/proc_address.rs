//! `cuGetProcAddress`: finds a driver call. The caller passes the call's name without a version, such as `cuMemAlloc`, and a CUDA version,
//! which decides the signature.
//!
//! If nothing is found, no address is written, as with the real driver.
//!
//! If the process uses a real device, the real driver looks up the call. If the real driver finds it, and this crate exports the same call,
//! then this crate's address replaces the real driver's address. So the call passes through the seam too. There is one exception: if the
//! caller asks for a CUDA version above [`NEWEST_VERSION`], the real driver's address is kept, because the signature may differ.

use crate::driver::abi::{Out, Text};
use crate::driver::code::{Code, Outcome};
use crate::driver::seam::symbols::{DefaultStream, Found, NEWEST_VERSION, find as find_symbol};
use std::ffi::c_void;

const LEGACY_STREAM: u64 = 1;
const STREAM_OF_THREAD: u64 = 2;

const FOUND: i32 = 0;
const NOT_FOUND: i32 = 1;
const VERSION_NOT_SUFFICIENT: i32 = 2;

pub(crate) fn find(name: Text, address: Out<*mut c_void>, version: i32, flags: u64) -> Outcome {
    let place = address.required()?;
    match look_up(name, version, flags)? {
        Found::Symbol(symbol) => place.write(symbol),
        Found::Newer | Found::Nothing => Err(Code::NOT_FOUND),
    }
}

pub(crate) fn find_with_status(
    name: Text,
    address: Out<*mut c_void>,
    version: i32,
    flags: u64,
    status: Out<i32>,
) -> Outcome {
    status.write_unless_null(match look_up(name, version, flags)? {
        Found::Symbol(_) => FOUND,
        Found::Newer => VERSION_NOT_SUFFICIENT,
        Found::Nothing => NOT_FOUND,
    });
    find(name, address, version, flags)
}

fn look_up(name: Text, version: i32, flags: u64) -> Outcome<Found> {
    let default_stream = match flags {
        0 | LEGACY_STREAM => DefaultStream::Legacy,
        STREAM_OF_THREAD => DefaultStream::OfThread,
        _ => return Err(Code::INVALID_VALUE),
    };
    let name = name.text(Code::NOT_FOUND)?;
    Ok(find_symbol(name, version, default_stream))
}

/// If the real driver found the call, and this crate exports the same call, replaces the found address by this crate's address.
pub(crate) fn replace(name: Text, address: Out<*mut c_void>, version: i32, flags: u64) {
    let found = address.read().is_ok_and(|found| !found.is_null());
    if found
        && version <= NEWEST_VERSION
        && let Ok(Found::Symbol(exported)) = look_up(name, version, flags)
    {
        address.write_unless_null(exported);
    }
}

pub(crate) fn replace_with_status(
    name: Text,
    address: Out<*mut c_void>,
    version: i32,
    flags: u64,
    _status: Out<i32>,
) {
    replace(name, address, version, flags);
}
