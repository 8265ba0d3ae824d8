//! Modules: loading PTX, and finding what is in it.

use crate::driver::calls::jit::Logs;
use crate::driver::calls::{check_unsafe_call, finish_context};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::current::current;
use crate::driver::objects::machine::machine;
use crate::driver::objects::module::{Function, Module};
use crate::driver::seam::abi::{Handle, HostPointer, In, Out, Text};
use std::sync::Arc;

/// How device code that is already compiled begins: an ELF file, or NVIDIA's container of several.
const BINARY_STARTS: [&[u8]; 2] = [b"\x7fELF", b"\x50\xed\x55\xba"];

/// The highest major version of PTX that is read.
const HIGHEST_PTX_MAJOR: u32 = 9;

pub(crate) fn load_file(module: Out<Handle<Module>>, name: Text) -> Outcome {
    let place = ready(module)?;
    let name = name.text(Code::FILE_NOT_FOUND)?;
    let image = std::fs::read(name).map_err(|_| Code::FILE_NOT_FOUND)?;
    let end = image.iter().position(|byte| *byte == 0);
    place.write(load_image(&image[..end.unwrap_or(image.len())], |error| {
        eprintln!("virtual-gpu: {name}: {error}");
    })?)
}

pub(crate) fn load(module: Out<Handle<Module>>, image: Text) -> Outcome {
    let place = ready(module)?;
    place.write(load_image(image.bytes()?, |error| {
        eprintln!("virtual-gpu: {error}");
    })?)
}

pub(crate) fn load_with_options(
    module: Out<Handle<Module>>,
    image: Text,
    count: u32,
    options: In<i32>,
    values: Out<HostPointer>,
) -> Outcome {
    let place = ready(module)?;
    let logs = Logs::read(count, options, values)?;
    let mut errors = String::new();
    let loaded = load_image(image.bytes()?, |error| {
        errors = error.to_owned();
    });
    logs.write(&errors)?;
    place.write(loaded?)
}

fn ready(module: Out<Handle<Module>>) -> Outcome<Out<Handle<Module>>> {
    current()?;
    check_unsafe_call()?;
    module.required()
}

/// Loads an image, and tells why it cannot be.
fn load_image(image: &[u8], tell: impl FnOnce(&str)) -> Outcome<Handle<Module>> {
    let context = current()?;
    if image.is_empty() {
        return Err(Code::INVALID_IMAGE);
    }
    if BINARY_STARTS.iter().any(|start| image.starts_with(start)) {
        tell("the image is compiled device code, and only PTX can be interpreted");
        return Err(Code::NO_BINARY_FOR_GPU);
    }
    let Ok(text) = std::str::from_utf8(image) else {
        tell("the PTX is not UTF-8");
        return Err(Code::INVALID_PTX);
    };
    let Some((_, version)) = text.split_once(".version") else {
        tell("the image is neither PTX, which has a `.version`, nor compiled device code");
        return Err(Code::INVALID_IMAGE);
    };
    if is_newer(version) {
        tell(&format!(
            "the PTX is of a version above {HIGHEST_PTX_MAJOR}.x"
        ));
        return Err(Code::UNSUPPORTED_PTX_VERSION);
    }
    match Module::load(context, text) {
        Ok(module) => Ok(machine()?.modules.insert(module)),
        Err(error) => {
            tell(&error.to_string());
            Err(Code(error.cu_result()))
        }
    }
}

/// Whether the version that a text begins with is above what is known. One that cannot be read is
/// left to the parser.
fn is_newer(version: &str) -> bool {
    let major = version.trim_start().split('.').next();
    let major = major.and_then(|digits| digits.parse::<u32>().ok());
    major.is_some_and(|major| major > HIGHEST_PTX_MAJOR)
}

/// Waits for all work of the context first, as it may run the module's kernels.
pub(crate) fn unload(handle: Handle<Module>) -> Outcome {
    let machine = machine()?;
    let module = machine.modules.get(handle)?;
    check_unsafe_call()?;
    finish_context(&module.context)?;
    machine.modules.remove(handle)?;
    machine
        .functions
        .retain(|function| !Arc::ptr_eq(&function.module, &module));
    Ok(())
}

pub(crate) fn function(
    function: Out<Handle<Function>>,
    handle: Handle<Module>,
    name: Text,
) -> Outcome {
    let machine = machine()?;
    let module = machine.modules.get(handle)?;
    module.context.check()?;
    let place = function.required()?;
    let name = name.text(Code::NOT_FOUND)?;
    place.write(module.function(machine, handle, name)?)
}

pub(crate) fn global(
    address: Out<u64>,
    bytes: Out<usize>,
    handle: Handle<Module>,
    name: Text,
) -> Outcome {
    let module = machine()?.modules.get(handle)?;
    module.context.check()?;
    let variable = module.variable(name.text(Code::NOT_FOUND)?)?;
    address.write_unless_null(variable.address);
    bytes.write_unless_null(usize::try_from(variable.bytes).unwrap_or(usize::MAX));
    Ok(())
}
