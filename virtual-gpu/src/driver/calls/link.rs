//! Linking: `cuLinkCreate`, the inputs, and the linked image.

use crate::driver::abi::{Handle, HostPointer, In, Out, Text};
use crate::driver::calls::jit::Logs;
use crate::driver::calls::module::Refusal;
use crate::driver::calls::{check_unsafe_call, module};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::current::current;
use crate::driver::objects::linker::Linker;
use crate::driver::objects::lock;
use crate::driver::objects::machine::machine;
use std::ffi::{CString, NulError, c_char};
use std::path::Path;
use std::sync::{Mutex, OnceLock};

/// CUDA's numbers for kinds of input.
const CUBIN: i32 = 0;
const PTX: i32 = 1;
const FAT_BINARY: i32 = 2;
const OBJECT: i32 = 3;
const LIBRARY: i32 = 4;
const BITCODE: i32 = 5;

/// The file names of the device runtime's library. The file need not exist: its functions are built
/// in.
const DEVICE_RUNTIME: [&str; 2] = ["libcudadevrt.a", "cudadevrt.lib"];

pub(crate) fn create(
    count: u32,
    options: In<i32>,
    values: Out<HostPointer>,
    linker: Out<Handle<Linker>>,
) -> Outcome {
    let context = current()?;
    check_unsafe_call()?;
    let place = linker.required()?;
    let logs = Logs::read(count, options, values)?;
    place.write(machine()?.linkers.insert(Linker {
        context,
        logs,
        texts: Mutex::default(),
        image: OnceLock::new(),
    }))
}

#[expect(clippy::too_many_arguments, reason = "as the driver's call has")]
pub(crate) fn add_data(
    handle: Handle<Linker>,
    kind: i32,
    data: HostPointer,
    bytes: usize,
    _name: Text,
    count: u32,
    options: In<i32>,
    values: Out<HostPointer>,
) -> Outcome {
    let linker = machine()?.linkers.get(handle)?;
    check_unsafe_call()?;
    let logs = Logs::read(count, options, values)?;
    add(&linker, kind, &data.read(bytes)?, &logs)
}

pub(crate) fn add_file(
    handle: Handle<Linker>,
    kind: i32,
    path: Text,
    count: u32,
    options: In<i32>,
    values: Out<HostPointer>,
) -> Outcome {
    let linker = machine()?.linkers.get(handle)?;
    check_unsafe_call()?;
    let path = Path::new(path.text(Code::FILE_NOT_FOUND)?);
    let logs = Logs::read(count, options, values)?;
    let is_device_runtime = || DEVICE_RUNTIME.iter().any(|name| path.ends_with(name));
    match std::fs::read(path) {
        Ok(data) => add(&linker, kind, &data, &logs),
        Err(_) if kind == LIBRARY && is_device_runtime() => Ok(()),
        Err(_) => Err(Code::FILE_NOT_FOUND),
    }
}

fn add(linker: &Linker, kind: i32, data: &[u8], own_logs: &Logs) -> Outcome {
    let added = match kind {
        PTX => add_text(linker, data),
        LIBRARY => Ok(()),
        CUBIN | FAT_BINARY | OBJECT => Err(Refusal::new(
            Code::NO_BINARY_FOR_GPU,
            "the input is compiled device code, and only PTX can be interpreted",
        )),
        BITCODE => Err(Refusal::new(
            Code::NOT_SUPPORTED,
            "bit code is not supported",
        )),
        _ => Err(Refusal::new(Code::INVALID_VALUE, "no such kind of input")),
    };
    let errors = added.as_ref().map_or_else(|refusal| &*refusal.why, |()| "");
    linker.logs.write(errors)?;
    own_logs.write(errors)?;
    added.map_err(|refusal| refusal.code)
}

fn add_text(linker: &Linker, data: &[u8]) -> Result<(), Refusal> {
    let end = data.iter().position(|byte| *byte == 0);
    let text = module::checked_text(&data[..end.unwrap_or(data.len())])?;
    if linker.image.get().is_some() {
        let why = "a text that comes after the image was made";
        return Err(Refusal::new(Code::INVALID_HANDLE, why));
    }
    if !crate::ptx::needs_others(text) {
        check(linker, text)?;
    }
    lock(&linker.texts).push(text.to_owned());
    Ok(())
}

/// Loads a text only to find its errors.
fn check(linker: &Linker, text: &str) -> Result<(), Refusal> {
    let device = linker.context.device;
    let loaded = crate::Module::load(text, &device.config, &device.memory)?;
    // Unloading cannot fail, because nothing else frees the module's variables.
    let _ = loaded.unload(&device.memory);
    Ok(())
}

/// Makes the image, and loads it once to find its errors.
fn image(linker: &Linker) -> Result<CString, Refusal> {
    let refuse = |code, why: String| Refusal::new(code, why);
    let texts = lock(&linker.texts);
    let linked = match &texts[..] {
        [] => return Err(refuse(Code::INVALID_IMAGE, "no text was added".into())),
        [text] => text.clone(),
        texts => {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            crate::ptx::link(&texts).map_err(|why| refuse(Code::INVALID_PTX, why))?
        }
    };
    check(linker, &linked)?;
    let problem = |nul: NulError| format!("a NUL at {}", nul.nul_position());
    CString::new(linked).map_err(|nul| refuse(Code::INVALID_PTX, problem(nul)))
}

/// The image belongs to the linker. The length that is returned includes the NUL, so a program that copies this many bytes can load the
/// copy.
pub(crate) fn complete(
    handle: Handle<Linker>,
    image: Out<*const c_char>,
    bytes: Out<usize>,
) -> Outcome {
    let linker = machine()?.linkers.get(handle)?;
    check_unsafe_call()?;
    let place = image.required()?;
    let made = match linker.image.get() {
        Some(_) => Ok(()),
        None => self::image(&linker).map(|image| {
            // Another thread may have made the same image first.
            let _ = linker.image.set(image);
        }),
    };
    let errors = made.as_ref().map_or_else(|refusal| &*refusal.why, |()| "");
    linker.logs.write(errors)?;
    made.map_err(|refusal| refusal.code)?;
    let image = linker.image.get().ok_or(Code::INVALID_IMAGE)?;
    bytes.write_unless_null(image.as_bytes_with_nul().len());
    place.write(image.as_ptr())
}

pub(crate) fn destroy(handle: Handle<Linker>) -> Outcome {
    check_unsafe_call()?;
    machine()?.linkers.remove(handle).map(drop)
}
