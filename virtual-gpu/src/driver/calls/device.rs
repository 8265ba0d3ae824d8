//! The calls that start the driver and report its version and its devices.

use crate::driver::abi::{Out, Text};
use crate::driver::code::{Code, Outcome};
use crate::driver::mode;
use crate::driver::objects::machine::{Device, machine};
use std::ffi::c_char;

/// The CUDA version of the driver: 13.0.
const DRIVER_VERSION: i32 = 13_000;
/// The part of a UUID that all virtual devices share.
const UUID_START: [u8; 15] = *b"virtual-gpu\0\0\0\0";

pub(crate) fn init(flags: u32) -> Outcome {
    if flags != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let machine = mode::machine().ok_or(Code::NO_DEVICE)?;
    machine.initialise();
    Ok(())
}

pub(crate) fn driver_version(version: Out<i32>) -> Outcome {
    version.write(DRIVER_VERSION)
}

pub(crate) fn count(count: Out<i32>) -> Outcome {
    let devices = machine()?.devices.len();
    count.write(i32::try_from(devices).map_err(|_| Code::INVALID_VALUE)?)
}

pub(crate) fn get(device: Out<i32>, ordinal: i32) -> Outcome {
    device.write(machine()?.device(ordinal)?.ordinal)
}

pub(crate) fn name(name: Out<c_char>, capacity: i32, device: i32) -> Outcome {
    let device = machine()?.device(device)?;
    let capacity = usize::try_from(capacity).map_err(|_| Code::INVALID_VALUE)?;
    name.write_text(&name_of(device), capacity)
}

fn name_of(device: &Device) -> String {
    let (major, minor) = device.config.compute_capability;
    let multiprocessors = device.config.multiprocessors;
    format!("Virtual GPU (sm_{major}{minor}, {multiprocessors} SMs)")
}

pub(crate) fn total_memory(bytes: Out<usize>, device: i32) -> Outcome {
    let capacity = machine()?.device(device)?.memory.capacity();
    bytes.write(usize::try_from(capacity).unwrap_or(usize::MAX))
}

pub(crate) fn uuid(uuid: Out<[u8; 16]>, device: i32) -> Outcome {
    let ordinal = machine()?.device(device)?.ordinal;
    let mut bytes = [0; 16];
    bytes[..15].copy_from_slice(&UUID_START);
    bytes[15] = ordinal.to_le_bytes()[0];
    uuid.write(bytes)
}

pub(crate) fn compute_capability(major: Out<i32>, minor: Out<i32>, device: i32) -> Outcome {
    let (of_device, in_it) = machine()?.device(device)?.config.compute_capability;
    let (major, minor) = (major.required()?, minor.required()?);
    major.write(of_device.cast_signed())?;
    minor.write(in_it.cast_signed())
}

/// `cuDeviceGetPCIBusId`: each device has a different bus.
pub(crate) fn pci_bus_id(id: Out<c_char>, capacity: i32, device: i32) -> Outcome {
    let device = machine()?.device(device)?;
    let capacity = usize::try_from(capacity).map_err(|_| Code::INVALID_VALUE)?;
    id.write_text(&pci_bus_id_of(device), capacity)
}

fn pci_bus_id_of(device: &Device) -> String {
    format!("0000:{:02X}:00.0", device.ordinal + 1)
}

pub(crate) fn by_pci_bus_id(device: Out<i32>, id: Text) -> Outcome {
    let id = id.text(Code::INVALID_VALUE)?;
    let mut devices = machine()?.devices.iter();
    let found = devices.find(|device| pci_bus_id_of(device).eq_ignore_ascii_case(id));
    device.write(found.ok_or(Code::INVALID_DEVICE)?.ordinal)
}

/// A kernel cannot access another device's memory, except managed memory.
pub(crate) fn can_access_peer(can: Out<i32>, device: i32, peer: i32) -> Outcome {
    let machine = machine()?;
    machine.device(device)?;
    machine.device(peer)?;
    can.write(0)
}
