//! Tests the library as `libcuda.so.1`, opened at run time. Each case is a separate process: this program starts itself with the word of
//! the case as the argument, and compares the output. This program is also linked with the virtual driver, for the cases in which a process
//! has two copies of the driver.

use std::env;
use std::error::Error;
use std::ffi::{CString, c_void};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use virtual_gpu::driver::UNSUPPORTED_CALLS;

type Init = unsafe extern "C" fn(u32) -> i32;
type GetCount = unsafe extern "C" fn(&mut i32) -> i32;
type Destroy = unsafe extern "C" fn(*mut c_void) -> i32;
type GetProcAddress = unsafe extern "C" fn(*const i8, &mut *mut c_void, i32, u64) -> i32;

unsafe extern "C" {
    safe fn cuInit(flags: u32) -> i32;
}

struct Case {
    name: &'static str,
    word: &'static str,
    mode: &'static str,
    output: &'static str,
    /// A text on stderr, and how often it must occur.
    error: (&'static str, usize),
}

const CASES: [Case; 6] = [
    Case {
        name: "the virtual device",
        word: "library",
        mode: "on",
        output: "init 0, devices 1",
        error: ("virtual-gpu:", 0),
    },
    Case {
        name: "it does not take itself for the real driver",
        word: "start",
        mode: "auto",
        output: "init 0",
        error: ("virtual-gpu:", 0),
    },
    Case {
        name: "what is linked in comes first",
        word: "linked-then-library",
        mode: "on",
        output: "linked 0, library 803",
        error: ("two virtual drivers in this process", 1),
    },
    Case {
        name: "the library comes first",
        word: "library-then-linked",
        mode: "on",
        output: "library 0, linked 803",
        error: ("two virtual drivers in this process", 1),
    },
    Case {
        name: "all calls are there",
        word: "symbols",
        mode: "on",
        output: "missing: []",
        error: ("virtual-gpu:", 0),
    },
    Case {
        name: "what is not supported is named once",
        word: "unsupported",
        mode: "on",
        output: "codes 801 801",
        error: ("cuArrayDestroy is not supported", 1),
    },
];

fn main() -> ExitCode {
    let failed = match env::args().nth(1).as_deref() {
        Some(word) if CASES.iter().any(|case| case.word == word) => report(word).is_err(),
        _ => CASES.iter().filter(|case| !passes(case)).count() > 0,
    };
    ExitCode::from(u8::from(failed))
}

fn passes(case: &Case) -> bool {
    match run(case) {
        Ok((output, error)) => {
            let (text, times) = case.error;
            let as_expected = output.trim() == case.output && error.matches(text).count() == times;
            let verdict = if as_expected { "ok" } else { "FAILED" };
            println!("{}: {verdict}", case.name);
            if !as_expected {
                println!("  expected {:?}, got {output:?} and {error:?}", case.output);
            }
            as_expected
        }
        Err(error) => {
            println!("{}: FAILED: {error}", case.name);
            false
        }
    }
}

/// The output of a case on stdout and stderr. The case loads the library as `libcuda.so.1`.
fn run(case: &Case) -> Result<(String, String), Box<dyn Error>> {
    let program = env::current_exe()?;
    let beside = program.parent().ok_or("no folder")?;
    let built = beside.join("libvirtual_libcuda.so");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("libcuda");
    fs::create_dir_all(&folder)?;
    fs::copy(built, folder.join("libcuda.so.1"))?;
    let output = Command::new(program)
        .arg(case.word)
        .env("LD_LIBRARY_PATH", &folder)
        .env("VIRTUAL_GPU", case.mode)
        .output()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((text(output.stdout), text(output.stderr)))
}

fn report(word: &str) -> Result<(), Box<dyn Error>> {
    // SAFETY: loading the library only runs the initialisers of Rust's standard library.
    let library = unsafe { libloading::Library::new("libcuda.so.1") }?;
    // SAFETY: the types are those that `cuda.h` declares for these functions.
    let (init, get_count, destroy, get_address) = unsafe {
        (
            library.get::<Init>(b"cuInit\0")?,
            library.get::<GetCount>(b"cuDeviceGetCount\0")?,
            library.get::<Destroy>(b"cuArrayDestroy\0")?,
            library.get::<GetProcAddress>(b"cuGetProcAddress\0")?,
        )
    };
    // SAFETY: `cuInit` takes no pointers, and the flags are 0, as it requires.
    let start = || unsafe { init(0) };
    match word {
        "library" => {
            let (code, mut count) = (start(), 0);
            // SAFETY: `count` is valid for the write.
            unsafe { get_count(&mut count) };
            println!("init {code}, devices {count}");
        }
        "start" => println!("init {}", start()),
        "linked-then-library" => {
            let linked = cuInit(0);
            println!("linked {linked}, library {}", start());
        }
        "library-then-linked" => {
            let code = start();
            println!("library {code}, linked {}", cuInit(0));
        }
        "symbols" => {
            let mut missing = Vec::new();
            for name in UNSUPPORTED_CALLS {
                let symbol = CString::new(*name)?;
                // SAFETY: the symbol is only looked up and never called, so its type does not matter.
                let is_there =
                    unsafe { library.get::<Destroy>(symbol.as_bytes_with_nul()) }.is_ok();
                let mut address = std::ptr::null_mut();
                // SAFETY: the name ends with NUL, and `address` is valid for the write.
                let code = unsafe { get_address(symbol.as_ptr(), &mut address, 13_050, 0) };
                let is_plain = !name.contains('_');
                if !is_there || is_plain && (code != 0 || address.is_null()) {
                    missing.push(name);
                }
            }
            println!("missing: {missing:?}");
        }
        _ => {
            start();
            // SAFETY: the virtual device does not support the call, and never uses its argument.
            let codes = unsafe { [destroy(std::ptr::null_mut()), destroy(std::ptr::null_mut())] };
            println!("codes {} {}", codes[0], codes[1]);
        }
    }
    Ok(())
}
