//! Modules, kernels, occupancy and launches. Also the addresses of the driver's functions by name, and the names of error codes.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;
use std::ffi::{CStr, c_void};
use std::ptr;

#[test]
fn a_function_outside_the_module_is_not_found() {
    let _context = Context::new();
    let module = load(PTX);
    let mut found = 0;
    // SAFETY: the texts end with NUL, and the call refuses null.
    unsafe {
        assert_eq!(
            cuModuleGetFunction(&mut found, module, c"subtract".as_ptr()),
            NOT_FOUND
        );
        assert_eq!(
            cuModuleGetFunction(&mut found, module, ptr::null()),
            INVALID_VALUE
        );
    }
    let twice = [function(module, c"trap"), function(module, c"trap")];
    assert_eq!(twice[0], twice[1], "one handle for one function");
    assert_eq!(cuModuleUnload(module), 0);
}

#[test]
fn a_text_that_cannot_be_loaded_is_explained_in_the_log() {
    const ERROR_LOG: i32 = 5;
    const ERROR_LOG_BYTES: i32 = 6;
    let _context = Context::new();
    let text =
        c".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { frobnicate.u32; }\n";
    let load_into = |log: &mut [u8]| {
        let (mut module, options) = (0, [ERROR_LOG, ERROR_LOG_BYTES]);
        let bytes = ptr::without_provenance_mut::<c_void>(log.len());
        let mut values = [log.as_mut_ptr().cast(), bytes];
        let (image, options) = (text.as_ptr(), options.as_ptr());
        // SAFETY: there are two options, with a buffer and its length, and the text ends with NUL.
        let code =
            unsafe { cuModuleLoadDataEx(&mut module, image, 2, options, values.as_mut_ptr()) };
        assert_eq!(code, INVALID_PTX);
        values[1].addr()
    };
    let mut log = [b'x'; 500];
    let length = load_into(&mut log);
    let written = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert_eq!(written.len(), length);
    assert!(
        written.contains("line 4") && written.contains("frobnicate"),
        "{written}"
    );
    let mut short = [b'x'; 6];
    let mut compare = Comparison::default();
    compare.expect("length when cut short", load_into(&mut short[..5]), 5);
    let cut = [log[0], log[1], log[2], log[3], 0, b'x'];
    compare.expect("a log that is cut short", short, cut);
}

fn load_code(image: &CStr) -> i32 {
    // SAFETY: the text ends with NUL.
    unsafe { cuModuleLoadData(&mut 0, image.as_ptr()) }
}

/// PTX for a newer device is refused with the error for invalid PTX. The error "no binary for this GPU" is for compiled code only.
#[test]
fn each_loading_error_has_its_code() {
    let _context = Context::new();
    let mut compare = Comparison::default();
    let newer_device = c".version 8.7\n.target sm_120\n.address_size 64\n";
    compare.expect("a newer device", load_code(newer_device), INVALID_PTX);
    let newer_version = c".version 99.0\n.target sm_80\n.address_size 64\n";
    let seen = load_code(newer_version);
    compare.expect("a newer version", seen, UNSUPPORTED_PTX_VERSION);
    let no_target = c".version 7.0\n";
    compare.expect("no target", load_code(no_target), INVALID_PTX);
    let nonsense = c".version 7.0\n.target sm_80\n.address_size 64\nnonsense\n";
    compare.expect("nonsense in PTX", load_code(nonsense), INVALID_PTX);
    compare.expect("no PTX", load_code(c"this is no PTX"), INVALID_IMAGE);
    compare.expect("nothing", load_code(c""), INVALID_IMAGE);
    // SAFETY: the call may get null, and refuses it.
    let null = unsafe { cuModuleLoadData(&mut 0, ptr::null()) };
    compare.expect("null", null, INVALID_VALUE);
}

#[test]
fn compiled_code_is_refused() {
    if virtual_only("a real device runs it") {
        return;
    }
    let _context = Context::new();
    assert_eq!(load_code(c"\x7fELF\x02\x01"), NO_BINARY_FOR_GPU);
}

#[test]
fn a_launch_that_does_not_fit_is_refused() {
    let _context = Context::new();
    let module = load(PTX);
    let (trap, bounded) = (function(module, c"trap"), function(module, c"with_shared"));
    assert_eq!(launch(trap, 0, 1, 0, &[]), INVALID_VALUE);
    assert_eq!(launch(trap, 1, 0, 0, &[]), INVALID_VALUE);
    assert_eq!(launch(trap, 1, 1025, 0, &[]), INVALID_VALUE);
    assert_eq!(launch(bounded, 1, 513, 0, &[]), INVALID_VALUE);
    assert_eq!(cuCtxSynchronize(), 0, "nothing was launched");
    if virtual_only("a real driver follows the null pointer") {
        return;
    }
    let (write, none) = (function(module, c"write"), ptr::null_mut());
    // SAFETY: the call may get null lists, and refuses the missing parameters.
    let missing = unsafe { cuLaunchKernel(write, 1, 1, 1, 1, 1, 1, 0, 0, none, none) };
    assert_eq!(missing, INVALID_VALUE);
}

#[test]
fn shared_memory_beyond_the_default_must_be_requested() {
    const MAX_DYNAMIC_SHARED_BYTES: i32 = 8;
    let _context = Context::new();
    let function = function(load(PTX), c"with_shared");
    let launch = |shared_bytes| {
        let none = ptr::null_mut();
        // SAFETY: the kernel has no parameters, so both lists may be null.
        unsafe { cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, shared_bytes, 0, none, none) }
    };
    assert_eq!(launch(32 << 10), 0);
    assert_eq!(launch((32 << 10) + 1), INVALID_VALUE);
    assert_eq!(
        cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_BYTES, 212 << 10),
        INVALID_VALUE
    );
    assert_eq!(
        cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_BYTES, 211 << 10),
        0
    );
    assert_eq!(launch(211 << 10), 0);
    assert_eq!(cuCtxSynchronize(), 0);
}

/// How many blocks a multiprocessor holds. An H100 and an H200 have the same limits, and the virtual device has them too.
#[test]
fn occupancy_is_limited_by_threads_shared_memory_and_blocks() {
    let _context = Context::new();
    let module = load(PTX);
    let occupancy = |name, threads, shared_bytes| {
        let mut blocks = -1;
        let function = function(module, name);
        let code = cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut blocks,
            function,
            threads,
            shared_bytes,
        );
        (code, blocks)
    };
    let mut compare = Comparison::default();
    let mut expect = |what: &str, seen, expected| compare.expect(what, seen, expected);
    expect("2048 threads", occupancy(c"trap", 256, 0), (0, 8));
    expect("32 blocks", occupancy(c"trap", 32, 0), (0, 32));
    expect("a part of a warp", occupancy(c"trap", 1, 0), (0, 32));
    expect("a warp too many", occupancy(c"trap", 513, 0), (0, 3));
    let shared = occupancy(c"with_shared", 32, 0);
    expect("228 KiB, 17 KiB a block", shared, (0, 13));
    let shared = occupancy(c"with_shared", 32, 32 << 10);
    expect("228 KiB, 49 KiB a block", shared, (0, 4));
    let shared = occupancy(c"with_shared", 32, (32 << 10) + 1);
    expect("more than was asked for", shared, (0, 0));
    let undeclared = occupancy(c"with_shared", 1024, 0);
    expect("more threads than it declares", undeclared, (0, 2));
    expect("too large a block", occupancy(c"trap", 1025, 0), (0, 0));
    let none = occupancy(c"trap", 0, 0);
    expect("no threads", none, (INVALID_VALUE, -1));
}

#[test]
fn functions_are_found_by_name() {
    let _context = Context::new();
    type GetId = unsafe extern "C" fn(usize, &mut u64) -> i32;
    let mut address = ptr::null_mut();
    let (mut id, mut same) = (0, 0);
    let stream = stream(0);
    // SAFETY: the text ends with NUL, and `GetId` is the type of `cuStreamGetId`.
    unsafe {
        assert_eq!(
            cuGetProcAddress(c"cuStreamGetId".as_ptr(), &mut address, 12_000, 0),
            0
        );
        let get_id = std::mem::transmute::<*mut c_void, GetId>(address);
        assert_eq!(get_id(stream, &mut id), 0);
    }
    assert_eq!(cuStreamGetId(stream, &mut same), 0);
    assert_eq!(id, same);
    let known = address;
    // SAFETY: the text ends with NUL.
    let missing = unsafe { cuGetProcAddress(c"cuNothing".as_ptr(), &mut address, 12_000, 0) };
    let mut compare = Comparison::default();
    compare.expect("no such function", missing, NOT_FOUND);
    compare.expect("its address", address, known);
}

#[test]
fn a_plain_name_gives_the_newest_version() {
    start();
    let mut address = ptr::null_mut();
    // SAFETY: the text ends with NUL.
    let found = unsafe { cuGetProcAddress(c"cuMemAlloc".as_ptr(), &mut address, 12_000, 0) };
    assert_eq!((found, address), (0, cuMemAlloc_v2 as *mut c_void));
}

#[test]
fn codes_have_names() {
    start();
    let mut name = ptr::null();
    // SAFETY: a known code's name ends with NUL and lives as long as the program.
    unsafe {
        assert_eq!(cuGetErrorName(NOT_READY, &mut name), 0);
        assert_eq!(CStr::from_ptr(name), c"CUDA_ERROR_NOT_READY");
        assert_eq!(cuGetErrorName(12_345, &mut name), INVALID_VALUE);
    }
    assert!(name.is_null());
}
