//! `cuGetProcAddress`: a call of the driver by its plain name, as in `cuMemAlloc`, of whichever
//! symbol is newest.
//!
//! Versions are not told apart: what is exported is there for every version. Where nothing is found
//! nothing is written, as by the real driver. Of what the real driver finds, what is exported is
//! given in its place, so that these calls too pass through the seam.

use crate::driver::abi::{Out, Text};
use crate::driver::code::{Code, Outcome};
use crate::driver::seam::address_of;
use std::ffi::c_void;

const FOUND: i32 = 0;
const NOT_FOUND: i32 = 1;

pub(crate) fn find(name: Text, address: Out<*mut c_void>, _version: i32, _flags: u64) -> Outcome {
    let name = name.text(Code::NOT_FOUND)?;
    let place = address.required()?;
    place.write(newest(name).ok_or(Code::NOT_FOUND)?)
}

pub(crate) fn find_with_status(
    name: Text,
    address: Out<*mut c_void>,
    version: i32,
    flags: u64,
    status: Out<i32>,
) -> Outcome {
    let found = find(name, address, version, flags);
    status.write_unless_null(if found.is_ok() { FOUND } else { NOT_FOUND });
    found
}

/// Replaces the address that the real driver found.
pub(crate) fn replace(name: Text, address: Out<*mut c_void>, _version: i32, _flags: u64) {
    let found = address.read().is_ok_and(|found| !found.is_null());
    if let Ok(name) = name.text(Code::NOT_FOUND)
        && let Some(exported) = newest(name)
        && found
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

fn newest(name: &str) -> Option<*mut c_void> {
    if name.ends_with("_v2") {
        return None;
    }
    address_of(&format!("{name}_v2")).or_else(|| address_of(name))
}
