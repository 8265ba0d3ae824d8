//! Devices, and their properties as the driver reports them.

use std::ffi::c_int;

use super::{Result, check, raw, text};

/// The number by which the driver knows a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Device(pub(super) c_int);

pub(crate) fn device_count() -> Result<u32> {
    let mut count = 0;
    // SAFETY: the pointer is to a live local.
    check("cuDeviceGetCount", unsafe {
        raw::cuDeviceGetCount(&mut count)
    })?;
    Ok(count.max(0) as u32)
}

pub(crate) fn device(ordinal: u32) -> Result<Device> {
    let mut device = 0;
    let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
    // SAFETY: the pointer is to a live local.
    check("cuDeviceGet", unsafe {
        raw::cuDeviceGet(&mut device, ordinal)
    })?;
    Ok(Device(device))
}

pub(crate) fn device_name(device: Device) -> Result<String> {
    let mut name = [0u8; 256];
    // SAFETY: the pointer is to a live local, whose length is passed too.
    check("cuDeviceGetName", unsafe {
        raw::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, device.0)
    })?;
    Ok(text(&name))
}

/// An attribute of a device, with its number in `CUdevice_attribute`.
#[derive(Debug, Clone, Copy)]
#[repr(i32)]
pub(crate) enum DeviceAttribute {
    Multiprocessors = 16,
    ComputeCapabilityMajor = 75,
    ComputeCapabilityMinor = 76,
    /// The most bytes of shared memory that a block may have, if its kernel opts in.
    SharedBytesPerBlock = 97,
}

pub(crate) fn device_attribute(device: Device, attribute: DeviceAttribute) -> Result<u32> {
    let mut value = 0;
    // SAFETY: the pointer is to a live local.
    check("cuDeviceGetAttribute", unsafe {
        raw::cuDeviceGetAttribute(&mut value, attribute as c_int, device.0)
    })?;
    Ok(value.max(0) as u32)
}

pub(crate) fn device_memory_bytes(device: Device) -> Result<u64> {
    let mut bytes = 0;
    // SAFETY: the pointer is to a live local.
    check("cuDeviceTotalMem_v2", unsafe {
        raw::cuDeviceTotalMem_v2(&mut bytes, device.0)
    })?;
    Ok(bytes as u64)
}
