//! The calls for contexts, except those for primary contexts.

use crate::driver::abi::{Handle, HostPointer, In, Out};
use crate::driver::calls::finish_context;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::{Context, Kind, PENDING_LAUNCHES, Preference};
use crate::driver::objects::current::{self, current, current_in_any_state};
use crate::driver::objects::machine::{Device, Machine, machine};
use crate::driver::objects::table::new_key;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The allowed flags of a context.
const FLAGS: u32 = 0xff;
/// The version that `cuCtxGetApiVersion` returns.
const API_VERSION: u32 = 3020;
/// The range of priorities. The highest priority has the lowest number.
pub(crate) const LEAST_PRIORITY: i32 = 0;
pub(crate) const GREATEST_PRIORITY: i32 = -5;
/// The initial limits: the stack of a thread, the buffer of `printf`, the heap of kernels, pending launches by kernels, and the granularity
/// of L2 fetches.
const LIMITS: [(i32, usize); 5] = [
    (0, 1 << 10),
    (1, 1 << 20),
    (2, 8 << 20),
    (PENDING_LAUNCHES, 2048),
    (5, 64),
];
/// The highest number of a limit in CUDA.
const HIGHEST_LIMIT: i32 = 9;

pub(crate) fn create(context: Out<Handle<Context>>, flags: u32, device: i32) -> Outcome {
    let machine = machine()?;
    let device = machine.device(device)?;
    let place = context.required()?;
    if flags & !FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let handle = Handle::from_key(new_key());
    let context = Context::new(device, handle, Kind::Created, flags);
    machine.contexts.insert_at(handle, context);
    current::push(handle);
    place.write(handle)
}

/// `cuCtxCreate_v3`: limits on the context's multiprocessors are not supported.
pub(crate) fn create_with_affinity(
    context: Out<Handle<Context>>,
    _limits: HostPointer,
    limit_count: i32,
    flags: u32,
    device: i32,
) -> Outcome {
    if limit_count != 0 {
        return Err(Code::NOT_SUPPORTED);
    }
    create(context, flags, device)
}

/// `CUctxCreateParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Parameters {
    limits: HostPointer,
    limit_count: i32,
    graphics: HostPointer,
}

/// `cuCtxCreate_v4`: parameters that set limits, or that are for graphics, are not supported.
pub(crate) fn create_with_parameters(
    context: Out<Handle<Context>>,
    parameters: In<Parameters>,
    flags: u32,
    device: i32,
) -> Outcome {
    if !parameters.is_null() {
        let parameters = parameters.read()?;
        if !parameters.graphics.is_null() {
            return Err(Code::NOT_SUPPORTED);
        }
        return create_with_affinity(
            context,
            parameters.limits,
            parameters.limit_count,
            flags,
            device,
        );
    }
    create(context, flags, device)
}

pub(crate) fn destroy(handle: Handle<Context>) -> Outcome {
    let machine = machine()?;
    let context = machine.contexts.get(handle)?;
    if context.kind == Kind::Primary {
        return Err(Code::INVALID_CONTEXT);
    }
    machine.let_go(&context);
    current::pop_if(handle);
    Ok(())
}

/// Counts one more use of the current context. `flags` must be 0.
pub(crate) fn attach(place: Out<Handle<Context>>, flags: u32) -> Outcome {
    let place = place.required()?;
    let context = current()?;
    if flags != 0 {
        return Err(Code::INVALID_VALUE);
    }
    context.uses.fetch_add(1, Ordering::Relaxed);
    place.write(context.handle)
}

/// Ends one use of the current context. Ending the last use destroys the context.
pub(crate) fn detach(handle: Handle<Context>) -> Outcome {
    let context = machine()?.contexts.get(handle)?;
    let is_current = current::top().is_some_and(|top| top.key() == handle.key());
    if !is_current || context.kind == Kind::Primary {
        return Err(Code::INVALID_CONTEXT);
    }
    if context.uses.fetch_sub(1, Ordering::Relaxed) > 1 {
        return Ok(());
    }
    destroy(handle)
}

pub(crate) fn push(handle: Handle<Context>) -> Outcome {
    check_handle(machine()?, handle)?;
    current::push(handle);
    Ok(())
}

/// Fails unless the handle belongs to a context. As with the real driver, the handle of a primary context is valid even while the context
/// does not exist. But while it does not exist, calls that need the context fail.
fn check_handle(machine: &Machine, handle: Handle<Context>) -> Outcome {
    let is_primary = |device: &Device| device.primary.handle().key() == handle.key();
    if machine.devices.iter().any(is_primary) {
        return Ok(());
    }
    machine.contexts.get(handle).map(drop)
}

pub(crate) fn pop(context: Out<Handle<Context>>) -> Outcome {
    machine()?;
    let handle = current::pop().ok_or(Code::INVALID_CONTEXT)?;
    context.write_unless_null(handle);
    Ok(())
}

/// As with the real driver, a context that is current already is not checked, even if it has been destroyed.
pub(crate) fn set_current(handle: Handle<Context>) -> Outcome {
    let machine = machine()?;
    if current::top().is_some_and(|top| top.key() == handle.key()) {
        return Ok(());
    }
    if handle.is_null() {
        current::pop();
        return Ok(());
    }
    check_handle(machine, handle)?;
    current::pop();
    current::push(handle);
    Ok(())
}

pub(crate) fn get_current(context: Out<Handle<Context>>) -> Outcome {
    machine()?;
    context.write(current::top().unwrap_or(Handle::NULL))
}

pub(crate) fn device(device: Out<i32>) -> Outcome {
    device.write(current_in_any_state()?.device.ordinal)
}

pub(crate) fn flags(flags: Out<u32>) -> Outcome {
    flags.write(current_in_any_state()?.flags())
}

pub(crate) fn api_version(handle: Handle<Context>, version: Out<u32>) -> Outcome {
    if handle.is_null() {
        current_in_any_state()?;
    } else {
        machine()?.contexts.get(handle)?;
    }
    version.write(API_VERSION)
}

/// `cuCtxGetId`: a number that no other context of the process has ever had.
pub(crate) fn id(handle: Handle<Context>, id: Out<u64>) -> Outcome {
    let context = if handle.is_null() {
        current_in_any_state()?
    } else {
        machine()?.contexts.get(handle)?
    };
    id.write(context.id)
}

pub(crate) fn synchronize() -> Outcome {
    let context = current()?;
    machine()?.captures.check_context(&context)?;
    finish_context(&context)
}

pub(crate) fn priority_range(least: Out<i32>, greatest: Out<i32>) -> Outcome {
    current()?;
    least.write_unless_null(LEAST_PRIORITY);
    greatest.write_unless_null(GREATEST_PRIORITY);
    Ok(())
}

pub(crate) fn limit(value: Out<usize>, limit: i32) -> Outcome {
    let context = current()?;
    let at_first = first_value(limit)?;
    value.write(
        context
            .preference(Preference::Limit(limit))
            .unwrap_or(at_first),
    )
}

pub(crate) fn set_limit(limit: i32, value: usize) -> Outcome {
    let context = current()?;
    first_value(limit)?;
    context.set_preference(Preference::Limit(limit), value);
    Ok(())
}

fn first_value(limit: i32) -> Outcome<usize> {
    let known = LIMITS.iter().find(|(number, _)| *number == limit);
    match known {
        Some((_, value)) => Ok(*value),
        None if (0..=HIGHEST_LIMIT).contains(&limit) => Err(Code::UNSUPPORTED_LIMIT),
        None => Err(Code::INVALID_VALUE),
    }
}

pub(crate) fn cache(config: Out<i32>) -> Outcome {
    read(config, Preference::Cache)
}

pub(crate) fn set_cache(config: i32) -> Outcome {
    set(config, 0..=3, Preference::Cache)
}

pub(crate) fn shared_bank(config: Out<i32>) -> Outcome {
    read(config, Preference::SharedBank)
}

pub(crate) fn set_shared_bank(config: i32) -> Outcome {
    set(config, 0..=2, Preference::SharedBank)
}

fn read(config: Out<i32>, which: Preference) -> Outcome {
    let value = current()?.preference(which).unwrap_or(0);
    config.write(i32::try_from(value).map_err(|_| Code::INVALID_VALUE)?)
}

fn set(config: i32, allowed: std::ops::RangeInclusive<i32>, which: Preference) -> Outcome {
    let context: Arc<Context> = current()?;
    if !allowed.contains(&config) {
        return Err(Code::INVALID_VALUE);
    }
    let value = usize::try_from(config).map_err(|_| Code::INVALID_VALUE)?;
    context.set_preference(which, value);
    Ok(())
}
