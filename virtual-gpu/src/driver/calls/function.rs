//! Functions: their attributes, settings and parameters.

use crate::driver::abi::{Handle, Out};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::current::current;
use crate::driver::objects::machine::machine;
use crate::driver::objects::module::{Function, Module};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::Ordering;

const MAX_DYNAMIC_SHARED_BYTES: i32 = 8;
const CARVEOUT: i32 = 9;

/// The function with this handle. The handle of a library's kernel stands for the kernel's function in the current context.
pub(super) fn find(handle: Handle<Function>) -> Outcome<Arc<Function>> {
    let machine = machine()?;
    let function = match machine.library_kernels.get(Handle::from_key(handle.key())) {
        Ok(kernel) => machine
            .functions
            .get(kernel.function(machine, &current()?)?)?,
        Err(_) => machine.functions.get(handle)?,
    };
    function.module.context.check()?;
    Ok(function)
}

pub(crate) fn attribute(value: Out<i32>, attribute: i32, function: Handle<Function>) -> Outcome {
    let function = find(function)?;
    let (major, minor) = function.module.context.device.config.compute_capability;
    let version = major * 10 + minor;
    let found = match attribute {
        0 => function.max_threads_per_block(),
        1 => function.kernel.static_shared_bytes(),
        2 => 0, // constant memory: the virtual device keeps it in global memory
        3 => function.kernel.local_bytes(),
        4 => function.kernel.registers(),
        5 | 6 => version, // the versions of the PTX, and of the binary that a compiler would make from it
        7 => 0,           // whether the code was compiled with the option to cache global loads
        MAX_DYNAMIC_SHARED_BYTES => function.max_dynamic_shared_bytes.load(Ordering::Relaxed),
        CARVEOUT => return value.write(function.carveout.load(Ordering::Relaxed)),
        _ => return Err(Code::INVALID_VALUE),
    };
    value.write(i32::try_from(found).unwrap_or(i32::MAX))
}

pub(crate) fn set_attribute(function: Handle<Function>, attribute: i32, value: i32) -> Outcome {
    let function = find(function)?;
    match attribute {
        MAX_DYNAMIC_SHARED_BYTES => {
            let bytes = u32::try_from(value).map_err(|_| Code::INVALID_VALUE)?;
            let config = &function.module.context.device.config;
            let own = function.kernel.static_shared_bytes();
            if bytes > config.shared_bytes_per_block_optin.saturating_sub(own) {
                return Err(Code::INVALID_VALUE);
            }
            function
                .max_dynamic_shared_bytes
                .store(bytes, Ordering::Relaxed);
        }
        CARVEOUT if (-1..=100).contains(&value) => {
            function.carveout.store(value, Ordering::Relaxed);
        }
        _ => return Err(Code::INVALID_VALUE),
    }
    Ok(())
}

/// Only checks `config`. There is no cache, so the setting has no effect.
pub(crate) fn set_cache(function: Handle<Function>, config: i32) -> Outcome {
    check_choice(function, config, 0..=3)
}

/// Only checks `config`. Banks are always four bytes wide, so the setting has no effect.
pub(crate) fn set_shared_bank(function: Handle<Function>, config: i32) -> Outcome {
    check_choice(function, config, 0..=2)
}

fn check_choice(function: Handle<Function>, config: i32, known: RangeInclusive<i32>) -> Outcome {
    find(function)?;
    if !known.contains(&config) {
        return Err(Code::INVALID_VALUE);
    }
    Ok(())
}

pub(crate) fn module(module: Out<Handle<Module>>, function: Handle<Function>) -> Outcome {
    module.write(find(function)?.handle)
}

/// The offset of a parameter in the parameter block, and its size.
pub(crate) fn parameter(
    function: Handle<Function>,
    index: usize,
    offset: Out<usize>,
    bytes: Out<usize>,
) -> Outcome {
    let function = find(function)?;
    let parameter = function.kernel.parameters().get(index);
    let parameter = parameter.ok_or(Code::INVALID_VALUE)?;
    offset.required()?.write(parameter.offset as usize)?;
    bytes.write_unless_null(parameter.bytes as usize);
    Ok(())
}
