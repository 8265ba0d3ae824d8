//! Memory pools: the default pool of each device, and pools that programs create.

use crate::driver::abi::{Handle, HostPointer, In, Location, Out};
use crate::driver::calls::memory::alloc_async;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::machine::machine;
use crate::driver::objects::pool::{Kind, Pool, Value, is_wide};
use crate::driver::objects::stream::{Stream, resolve};

/// CUDA's numbers for the allocation type "pinned", and for the location type "device".
const PINNED: i32 = 1;
const DEVICE: i32 = 1;
/// The access flag for reads and writes.
const READ_WRITE: i32 = 3;

/// The fields of `CUmemPoolProps` that are read.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Properties {
    kind: i32,
    handle_types: i32,
    place: Location,
}

/// `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Access {
    place: Location,
    flags: i32,
}

pub(crate) fn of_device(pool: Out<Handle<Pool>>, device: i32) -> Outcome {
    pool.write(machine()?.device(device)?.pool)
}

/// `cuDeviceSetMemPool`: only the pool that the device already has can be set.
pub(crate) fn set_of_device(device: i32, pool: Handle<Pool>) -> Outcome {
    let machine = machine()?;
    machine.pools.get(pool)?;
    match machine.device(device)?.pool.key() == pool.key() {
        true => Ok(()),
        false => Err(Code::NOT_SUPPORTED),
    }
}

pub(crate) fn create(pool: Out<Handle<Pool>>, properties: In<Properties>) -> Outcome {
    let machine = machine()?;
    let place = pool.required()?;
    let properties = properties.read()?;
    if properties.kind != PINNED {
        return Err(Code::INVALID_VALUE);
    }
    if properties.handle_types != 0 || properties.place.kind != DEVICE {
        return Err(Code::NOT_SUPPORTED);
    }
    let device = machine.device(properties.place.id)?.ordinal;
    place.write(machine.pools.insert(Pool::new(device, Kind::Created)))
}

/// Memory that was allocated from the pool stays allocated.
pub(crate) fn destroy(pool: Handle<Pool>) -> Outcome {
    let machine = machine()?;
    if machine.pools.get(pool)?.kind == Kind::Default {
        return Err(Code::INVALID_VALUE);
    }
    machine.pools.remove(pool).map(drop)
}

/// Freed memory is not kept, so there is nothing to release.
pub(crate) fn trim(pool: Handle<Pool>, _kept_bytes: usize) -> Outcome {
    machine()?.pools.get(pool).map(drop)
}

pub(crate) fn get(pool: Handle<Pool>, setting: i32, value: HostPointer) -> Outcome {
    match machine()?.pools.get(pool)?.get(setting)? {
        Value::Switch(switch) => value.write(&switch.to_ne_bytes()),
        Value::Bytes(bytes) => value.write(&bytes.to_ne_bytes()),
    }
}

pub(crate) fn set(pool: Handle<Pool>, setting: i32, value: HostPointer) -> Outcome {
    let pool = machine()?.pools.get(pool)?;
    let number = if is_wide(setting) {
        let mut bytes = [0; 8];
        value.read_into(&mut bytes)?;
        u64::from_ne_bytes(bytes)
    } else {
        let mut bytes = [0; 4];
        value.read_into(&mut bytes)?;
        u32::from_ne_bytes(bytes).into()
    };
    pool.set(setting, number)
}

/// A device can access its own pools only.
pub(crate) fn set_access(pool: Handle<Pool>, accesses: In<Access>, count: usize) -> Outcome {
    let pool = machine()?.pools.get(pool)?;
    for index in 0..count {
        let access = accesses.read_element(index)?;
        let is_own = access.place.kind == DEVICE && access.place.id == pool.device;
        if !is_own || access.flags != READ_WRITE {
            return Err(Code::NOT_SUPPORTED);
        }
    }
    Ok(())
}

pub(crate) fn access(flags: Out<i32>, pool: Handle<Pool>, place: In<Location>) -> Outcome {
    let pool = machine()?.pools.get(pool)?;
    let place = place.read()?;
    let is_own = place.kind == DEVICE && place.id == pool.device;
    flags.write(if is_own { READ_WRITE } else { 0 })
}

pub(crate) fn alloc(
    address: Out<u64>,
    bytes: usize,
    pool: Handle<Pool>,
    stream: Handle<Stream>,
) -> Outcome {
    let pool = machine()?.pools.get(pool)?;
    if resolve(stream)?.context.device.ordinal != pool.device {
        return Err(Code::INVALID_VALUE);
    }
    alloc_async(address, bytes, stream)
}
