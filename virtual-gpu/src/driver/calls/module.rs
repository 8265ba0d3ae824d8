//! Modules: loading and unloading PTX, and finding its functions and variables.

use crate::LoadError;
use crate::driver::abi::{Handle, HostPointer, In, Out, Text};
use crate::driver::calls::jit::Logs;
use crate::driver::calls::{check_unsafe_call, finish_context};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::current::current;
use crate::driver::objects::machine::machine;
use crate::driver::objects::module::{Function, Module};
use std::sync::Arc;

/// The first bytes of compiled device code: an ELF file, or a fat binary.
const BINARY_STARTS: [&[u8]; 2] = [b"\x7fELF", b"\x50\xed\x55\xba"];

/// The highest supported major version of PTX.
const HIGHEST_PTX_MAJOR: u32 = 9;

/// Why an image cannot be loaded.
pub(crate) struct Refusal {
    pub(crate) code: Code,
    pub(crate) why: String,
}

impl Refusal {
    pub(crate) fn new(code: Code, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { code, why }
    }
}

impl From<LoadError> for Refusal {
    fn from(error: LoadError) -> Self {
        Self::new(Code(error.cu_result()), error.to_string())
    }
}

pub(crate) fn load_file(module: Out<Handle<Module>>, name: Text) -> Outcome {
    let place = ready(module)?;
    let image = read_file(name)?;
    let loaded = load_image(&image)?;
    let name = name.text(Code::FILE_NOT_FOUND)?;
    place.write(loaded.map_err(|refusal| {
        eprintln!("virtual-gpu: {name}: {}", refusal.why);
        refusal.code
    })?)
}

/// Reads a file up to its first NUL.
pub(crate) fn read_file(name: Text) -> Outcome<Vec<u8>> {
    let name = name.text(Code::FILE_NOT_FOUND)?;
    let mut image = std::fs::read(name).map_err(|_| Code::FILE_NOT_FOUND)?;
    let end = image.iter().position(|byte| *byte == 0);
    image.truncate(end.unwrap_or(image.len()));
    Ok(image)
}

pub(crate) fn load(module: Out<Handle<Module>>, image: Text) -> Outcome {
    let place = ready(module)?;
    let loaded = load_image(image.bytes()?)?;
    place.write(loaded.map_err(|refusal| {
        eprintln!("virtual-gpu: {}", refusal.why);
        refusal.code
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
    let loaded = load_image(image.bytes()?)?;
    logs.write(loaded.as_ref().map_or_else(|refusal| &*refusal.why, |_| ""))?;
    place.write(loaded.map_err(|refusal| refusal.code)?)
}

fn ready(module: Out<Handle<Module>>) -> Outcome<Out<Handle<Module>>> {
    current()?;
    check_unsafe_call()?;
    module.required()
}

fn load_image(image: &[u8]) -> Outcome<Result<Handle<Module>, Refusal>> {
    let (context, machine) = (current()?, machine()?);
    Ok(checked_text(image)
        .and_then(|text| Ok(Module::load(context, text)?))
        .map(|module| machine.modules.insert(module)))
}

/// Returns an image as text. Fails if the image cannot be PTX of a supported version.
pub(crate) fn checked_text(image: &[u8]) -> Result<&str, Refusal> {
    let refuse = |code, why: &str| Err(Refusal::new(code, why));
    if image.is_empty() {
        return refuse(Code::INVALID_IMAGE, "the image is empty");
    }
    if BINARY_STARTS.iter().any(|start| image.starts_with(start)) {
        let why = "the image is compiled device code, and only PTX can be interpreted";
        return refuse(Code::NO_BINARY_FOR_GPU, why);
    }
    let Ok(text) = std::str::from_utf8(image) else {
        return refuse(Code::INVALID_PTX, "the PTX is not UTF-8");
    };
    let Some((_, version)) = text.split_once(".version") else {
        let why = "the image is neither PTX, which has a `.version`, nor compiled device code";
        return refuse(Code::INVALID_IMAGE, why);
    };
    if is_newer(version) {
        let why = format!("the PTX is of a version above {HIGHEST_PTX_MAJOR}.x");
        return refuse(Code::UNSUPPORTED_PTX_VERSION, &why);
    }
    Ok(text)
}

/// Whether a PTX version is newer than the supported versions. If the version cannot be read, returns `false`, because the parser reports
/// that error.
fn is_newer(version: &str) -> bool {
    let major = version.trim_start().split('.').next();
    let major = major.and_then(|digits| digits.parse::<u32>().ok());
    major.is_some_and(|major| major > HIGHEST_PTX_MAJOR)
}

/// First waits for all work of the context, because this work may include kernels of the module.
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

pub(crate) fn function_count(count: Out<u32>, handle: Handle<Module>) -> Outcome {
    let module = machine()?.modules.get(handle)?;
    count.write(u32::try_from(module.kernel_names().len()).unwrap_or(u32::MAX))
}

/// Writes the handles of the first `room` functions.
pub(crate) fn functions(
    functions: Out<Handle<Function>>,
    room: u32,
    handle: Handle<Module>,
) -> Outcome {
    let machine = machine()?;
    let module = machine.modules.get(handle)?;
    let names = module.kernel_names();
    for (index, name) in names.iter().take(room as usize).enumerate() {
        functions.write_element(index, module.function(machine, handle, name)?);
    }
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
