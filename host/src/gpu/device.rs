//! Finds a device and its properties, before there is a context. If there is no device, the error says why.

use crate::driver::{self, Device, DeviceAttribute, Failure};
use crate::error::{DriverCode, Error, Result};
use crate::ptx;

use super::fork;

#[derive(Debug)]
pub(super) struct Properties {
    pub name: String,
    pub compute_capability: (u32, u32),
    pub multiprocessors: u32,
    /// Bytes of shared memory that a block may have.
    pub shared_bytes_per_block: u32,
    pub memory_bytes: u64,
}

/// The device with the driver's number `ordinal`. An error if this library has no kernels for it.
pub(super) fn find(ordinal: u32) -> Result<(Device, Properties)> {
    driver::init().map_err(no_device)?;
    fork::watch();
    let device = driver::device(ordinal).map_err(|failure| match driver::device_count() {
        Ok(0) => no_device(failure),
        Ok(count) if failure.code == DriverCode::INVALID_DEVICE => {
            Error::NoSuchDevice { ordinal, count }
        }
        _ => failure.into(),
    })?;
    let properties = Properties::of(device)?;
    match properties.compute_capability < ptx::LOWEST_CAPABILITY {
        true => Err(Error::UnsupportedDevice {
            name: properties.name,
            capability: properties.compute_capability,
            needed: ptx::LOWEST_CAPABILITY,
        }),
        false => Ok((device, properties)),
    }
}

impl Properties {
    fn of(device: Device) -> Result<Self> {
        let attribute = |attribute| driver::device_attribute(device, attribute);
        Ok(Self {
            name: driver::device_name(device)?,
            compute_capability: (
                attribute(DeviceAttribute::ComputeCapabilityMajor)?,
                attribute(DeviceAttribute::ComputeCapabilityMinor)?,
            ),
            multiprocessors: attribute(DeviceAttribute::Multiprocessors)?,
            shared_bytes_per_block: attribute(DeviceAttribute::SharedBytesPerBlock)?,
            memory_bytes: driver::device_memory_bytes(device)?,
        })
    }
}

/// The error for a failure of the first driver calls: there is no device, or the settings of the virtual GPU are wrong.
fn no_device(Failure { call, code }: Failure) -> Error {
    match wrong_settings() {
        Some(reason) => Error::Settings { reason },
        None => Error::NoDevice {
            call,
            code,
            advice: advice(),
        },
    }
}

/// The mistake in the settings of the virtual GPU, if there is one.
#[cfg(feature = "virtual-gpu")]
fn wrong_settings() -> Option<String> {
    match virtual_gpu::mode() {
        Err(virtual_gpu::ModeError::Settings(error)) => Some(error.to_string()),
        _ => None,
    }
}

#[cfg(not(feature = "virtual-gpu"))]
fn wrong_settings() -> Option<String> {
    None
}

#[cfg(feature = "virtual-gpu")]
fn advice() -> String {
    let reason = match virtual_gpu::mode() {
        Err(reason) => format!(" {reason}."),
        Ok(_) => String::new(),
    };
    reason
        + " This build has the virtual GPU: VIRTUAL_GPU=on in the environment asks for that, off for a real one, \
           and auto, or none of it, for a real one where there is one."
}

#[cfg(not(feature = "virtual-gpu"))]
fn advice() -> String {
    let reason = match driver::why_missing() {
        Some(reason) => format!(" {reason}."),
        None => String::new(),
    };
    reason + " With the feature `virtual-gpu` of this library, programs run without a GPU."
}
